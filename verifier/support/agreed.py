"""Doubts of a claim, and whether a sentence that its premise says in another form says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.verifier.language.kept import keep_last
from spanproof.verifier.readings import (
    is_passage,
    recast,
    split_flat,
    write_alike,
    write_out,
    write_reordered,
)
from spanproof.verifier.scope.doubts import doubt_scope
from spanproof.verifier.slots import compare_slots, doubt_slots
from spanproof.verifier.slots.agreement import (
    find_agreement,
    find_joined,
    find_said,
    says_exactly,
    says_verbatim,
)
from spanproof.verifier.slots.content import read_content
from spanproof.verifier.slots.coverage import measure_coverage
from spanproof.verifier.slots.taken.openings import blank_openings
from spanproof.verifier.support.premise import Premise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.verdicts.policy import ReviewLevel
    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.slots.agreement import Agreement

#: Doubts that only miss a word, void where the source says the same in another one.
_WORDINGS = frozenset({"unconfirmed_antonym", "unconfirmed_modality", "unconfirmed_number"})
#: Doubts of who did what to whom, which another order may settle; no other one.
_ROLES = frozenset({"unconfirmed_roles"})
#: Of a premise of more sentences the parts of a claim are sought in their own words alone.
_MAX_SENTENCES = 12
#: What a part that begins with one of these speaks of depends on the sentence before it.
_PRONOUNS = frozenset(
    {"he", "she", "it", "they", "this", "that", "these", "those", "who", "which"}
    | {"his", "her", "its", "their", "there"}
)


def find_doubts(hypothesis: str, premise: str, level: ReviewLevel) -> tuple[Veto, ...]:
    """What the premise leaves unconfirmed of a claim, up to a level."""
    told = blank_openings(hypothesis, premise)
    slots = doubt_slots(told, premise, premise_start=0, level=level)
    found = slots + doubt_scope(told, premise, level=level)
    # "Free" says "at no charge": words of a phrase that the source has are not compared again.
    joined = find_joined(hypothesis, premise) if found else ()
    said = find_said(hypothesis, premise) if found else ()
    verbatim = any(doubt.kind == "unconfirmed_name" for doubt in found) and says_verbatim(
        hypothesis, premise
    )
    return tuple(
        doubt
        for doubt in found
        if not any(span.contains(doubt.claim_span) for span in joined)
        and not (doubt.kind in _WORDINGS and doubt.source is None and doubt.claim_span in said)
        # Each name of the claim stands where the source has it.
        and not (doubt.kind == "unconfirmed_name" and verbatim)
        # What is so can be so.
        and (doubt.kind, doubt.claim.lower(), doubt.source) != ("unconfirmed_modality", "can", None)
    )


def joins_cells(hypothesis: str, premise: Premise) -> bool:
    """Whether the premise says a claim only as far as its words run on from cell to cell."""
    return (
        premise.cell_by_cell != premise.text
        and find_agreement(hypothesis, premise.text) is not None
        and find_agreement(hypothesis, premise.cell_by_cell) is None
    )


def find_written_out(hypothesis: str, premise: Premise) -> Agreement | None:
    """How a sentence that the premise says in another form says the hypothesis; None if none does.

    It is compared as a premise of its own: nothing around it speaks against the claim.
    """
    claim = write_alike(hypothesis)
    for text in _list_written(hypothesis, claim, premise):
        agreed = find_agreement(claim, text)
        if agreed is not None and not _differs(claim, text):
            return agreed
    return "verbatim" if _says_reordered(claim, premise) else None


def _says_reordered(claim: str, premise: Premise) -> bool:
    """Whether the premise says a claim word for word once either is put in another order.

    The order then says who did what to whom: "sent by Ann", told actively, has no "by" left.
    """
    source, _ = _read_written(premise.cell_by_cell, premise.read_lines())
    turned = [text for text, keys in _read_turned(source) if _holds_most(claim, keys)]
    forms = list(recast(claim))
    if not (turned or forms) or any(
        doubt.kind not in _ROLES for doubt in find_doubts(claim, source, "possible")
    ):
        return False
    pairs = [(form, text) for form in forms for text in (source, *turned)]
    pairs += [(claim, text) for text in turned]
    return any(
        not measure_coverage(form, text).leftover
        and says_verbatim(form, text)
        and not _differs(form, text)
        for form, text in pairs
    )


def says_whole(hypothesis: str, premise: Premise) -> bool:
    """Whether the premise has the hypothesis as a whole sentence, in its own words and order.

    Or says so in another form, if it is one sentence alone. What is said exactly no model can call
    contradicted.
    """
    text = premise.cell_by_cell
    if says_exactly(hypothesis, text) and not _differs(hypothesis, text):
        return True
    claim, (source, _) = write_alike(hypothesis), _read_written(text, premise.read_lines())
    if says_exactly(claim, source) and not _differs(claim, source):
        return True
    written = [
        each for each in _list_written(hypothesis, claim, premise) if says_exactly(claim, each)
    ]
    return (
        bool(written)
        and len(split_flat(text)) == 1
        and not all(_differs(claim, each) for each in written)
    )


def says_parts(parts: Sequence[str], premise: Premise) -> bool:
    """Whether two neighbouring sentences say each part of a claim, none of which says "it".

    Farther apart, "the company" may be another one.
    """
    if any(part.split(maxsplit=1)[0].lower() in _PRONOUNS for part in parts):
        return False
    sentences = split_flat(premise.cell_by_cell)
    found = [
        [
            number
            for number, text in enumerate(sentences)
            if (find_agreement(part, text) is not None and not _differs(part, text))
            # What a sentence says in another form may need the one before it: "It does not …".
            or (
                len(sentences) <= _MAX_SENTENCES
                and find_written_out(
                    part, Premise.of(" ".join(sentences[max(0, number - 1) : number + 1]), start=0)
                )
            )
        ]
        for part in parts
    ]
    return any(
        all(not {start, start + 1}.isdisjoint(numbers) for numbers in found)
        for first in found[0]
        for start in (first - 1, first)
    )


def _list_written(hypothesis: str, claim: str, premise: Premise) -> Iterator[str]:
    """The texts that may say a claim: most of its words stand in them."""
    source, written = _read_written(premise.cell_by_cell, premise.read_lines())
    if (claim, source) != (hypothesis, premise.cell_by_cell):
        yield source
    for text, keys in written:
        if _holds_most(claim, keys):
            yield text


def _holds_most(claim: str, given: frozenset[str]) -> bool:
    """Whether a text with such keys has at least half of a claim's words."""
    content = read_content(claim)
    asked = [
        same for same, empty in zip(content.same, content.empty, strict=True) if same and not empty
    ]
    return 2 * sum(not given.isdisjoint(keys) for keys in asked) >= len(asked)


@keep_last
def _read_turned(source: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The sentences of a premise in another order, each with its keys."""
    return tuple((each, frozenset(read_content(each).places)) for each in write_reordered(source))


@keep_last
def _read_written(text: str, lines: str) -> tuple[str, tuple[tuple[str, frozenset[str]], ...]]:
    """A premise in the notation of comparisons, and what it says besides, each with its keys."""
    if is_passage(text):
        return text, ()
    source = write_alike(text)
    written = write_out(source, write_alike(lines))
    return source, tuple((each, frozenset(read_content(each).places)) for each in written)


def _differs(claim: str, text: str) -> bool:
    return bool(compare_slots(claim, text, premise_start=0) or find_doubts(claim, text, "possible"))
