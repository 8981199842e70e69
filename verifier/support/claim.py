"""Step 5 for one claim: each citation alone, in parts, in context, and then several together.

The most trusted comes first: the span alone. Context and other spans are read only if the span is
not enough, and never against a contradiction or a veto of the span. A claim that is not a whole
sentence is read with the question, and passes only then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.verdicts.status import SupportStatus
from spanproof.core.verdicts.verdict import ReadTexts, Support
from spanproof.verifier.claims.subclaims import split_claim
from spanproof.verifier.support.agreed import says_whole
from spanproof.verifier.support.context import find_contexts, is_title
from spanproof.verifier.support.joint import join_support
from spanproof.verifier.support.judge import CELLS_JOINED
from spanproof.verifier.support.parts import combine_parts, judge_parts, lift_joined
from spanproof.verifier.support.premise import Premise, cut_words
from spanproof.verifier.support.question import (
    is_answered,
    is_empty,
    is_fragment,
    states_nothing_alone,
)
from spanproof.verifier.support.scope import SCOPE_CUT, find_scope_cut
from spanproof.verifier.support.stated_cells import states_cell
from spanproof.verifier.support.surroundings import read_surroundings
from spanproof.verifier.support.table_cells import compare_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.citation import Answer, Claim
    from spanproof.core.span import Span
    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.claims.subclaims import Part
    from spanproof.verifier.support.context import Context
    from spanproof.verifier.support.joint import Cited
    from spanproof.verifier.support.judge import SupportJudge

#: How far below the default threshold context alone must stay.
_CLEARLY_BELOW = 0.05
_NO_SPAN = Support(status=SupportStatus.NOT_RUN, reason="no_span")
#: What a cell that the claim states may lift: the model reads no tables.
_OPEN = frozenset({SupportStatus.NEUTRAL, SupportStatus.BORDERLINE, SupportStatus.CONTRADICTED})
#: A claim that passes by its words.
_BY_WORDS = frozenset({"verbatim", "restated"})
#: The model calls the claim entailed, and that is not enough for a pass.
_MODEL_ALONE = frozenset({"no_certificate", "claim_part_unsupported"})


def support_claims(
    judge: SupportJudge,
    answer: Answer,
    pairs: Sequence[tuple[Claim, int]],
    cited: Sequence[Cited],
) -> dict[tuple[Span, int], Support]:
    """The support of each claim by each of its citations, by the claim's span and their index.

    ``cited`` has one entry for each citation of the answer, in their order.
    """
    claims: dict[Span, Claim] = {}
    indexes: dict[Span, list[int]] = {}
    for claim, index in pairs:
        claims[claim.span] = claim
        indexes.setdefault(claim.span, []).append(index)
    supports: dict[tuple[Span, int], Support] = {}
    for span, claim in claims.items():
        own = [cited[index] for index in sorted(set(indexes[span]))]
        parts = split_claim(answer.prose, span, answer.anchors, answer.unclaimed)
        found = _support_claim(judge, claim, parts, own, answer.question)
        supports |= {(span, index): support for index, support in found.items()}
    return supports


def _support_claim(
    judge: SupportJudge,
    claim: Claim,
    parts: Sequence[Part],
    cited: Sequence[Cited],
    question: str | None,
) -> dict[int, Support]:
    alone = {
        one.citation: _support_alone(judge, claim.hypothesis, parts, one, question) for one in cited
    }
    found = join_support(judge, claim.hypothesis, parts, cited, alone)
    return {
        one.citation: _judge_around(judge, claim.hypothesis, one, found[one.citation])
        for one in cited
    }


def _judge_around(judge: SupportJudge, hypothesis: str, cited: Cited, support: Support) -> Support:
    """The support, lowered where what the span leaves out of its sentence turns what it says."""
    extraction, span = cited.extraction, cited.span
    if support.status is not SupportStatus.ENTAILED or extraction is None or span is None:
        return support
    surroundings = read_surroundings(extraction, span)
    found = find_scope_cut(extraction, span, surroundings, hypothesis)
    is_refused = False
    if not found and len(surroundings.sentence) > len(span):
        sentence = cut_words(extraction, surroundings.sentence, citation=cited.citation)
        (read,) = judge.judge_all(Premise.join([sentence]), [hypothesis], citation=cited.citation)
        is_refused = (
            read.status is SupportStatus.CONTRADICTED
            or read.reason == "veto"
            # "Travel free" of "travel free when accompanied": the words alone leave something out.
            or (support.reason in _BY_WORDS and read.status is not SupportStatus.ENTAILED)
        )
        found = read.vetoes if is_refused else ()
    if not found and not is_refused:
        return support
    return replace(support, status=SupportStatus.BORDERLINE, reason=SCOPE_CUT, vetoes=found)


def _support_alone(
    judge: SupportJudge,
    hypothesis: str,
    parts: Sequence[Part],
    cited: Cited,
    question: str | None,
) -> Support:
    extraction, span = cited.extraction, cited.span
    if extraction is None or span is None:
        return _NO_SPAN
    premise = Premise.of_span(extraction, span, citation=cited.citation)
    bare = _judge_whole(judge, premise, hypothesis, parts, cited.citation)
    if bare.status is SupportStatus.NOT_RUN:
        return bare
    if bare.status in _OPEN and states_cell(extraction, span, hypothesis):
        bare = replace(bare, status=SupportStatus.ENTAILED, reason="restated", vetoes=())
    else:
        bare = _refuse_cells(bare, compare_cells(extraction, span, hypothesis))
    is_named = is_title(extraction, span, hypothesis)
    if bare.status is SupportStatus.ENTAILED and is_named:
        return _leave_open(bare)
    if is_empty(hypothesis) or (
        is_fragment(hypothesis) and not _is_stated(bare, hypothesis, premise)
    ):
        return _support_fragment(judge, bare, hypothesis, cited, question)
    if not _may_need_context(bare):
        return bare
    for context in find_contexts(extraction, span, hypothesis, None, citation=cited.citation):
        found = _judge_in(judge, context, hypothesis, parts, cited.citation)
        if found is not None:
            return _leave_open(found) if is_named else found
    return bare


def _support_fragment(
    judge: SupportJudge, bare: Support, hypothesis: str, cited: Cited, question: str | None
) -> Support:
    """The support of part of a sentence: read with the question, or left open; never better."""
    extraction, span = cited.extraction, cited.span
    is_open = bare.status is SupportStatus.ENTAILED or _may_need_context(bare)
    if extraction is None or span is None or not is_open:
        return bare
    asked = (question or "").strip()
    if not asked and not states_nothing_alone(hypothesis) and bare.status is SupportStatus.ENTAILED:
        return bare
    for context in find_contexts(extraction, span, hypothesis, question, citation=cited.citation):
        if asked and context.question is None:
            continue
        found = _judge_in(judge, context, hypothesis, (), cited.citation)
        if found is None:
            continue
        if asked and not is_answered(asked, hypothesis, context.premise.text):
            return _leave_open(found)
        return found
    if bare.status is SupportStatus.ENTAILED:
        # The words stand there, but whether they answer anything is not shown.
        return _leave_open(bare)
    return bare


def _is_stated(bare: Support, hypothesis: str, premise: Premise) -> bool:
    """Whether a few words are a whole sentence of the source, which needs no question."""
    return (
        bare.status is SupportStatus.ENTAILED
        and premise.text.rstrip().endswith(".")
        and says_whole(hypothesis, premise)
    )


def _leave_open(support: Support) -> Support:
    """Leave the words open: a person decides what part of a sentence says."""
    return replace(support, status=SupportStatus.BORDERLINE, reason="fragment", grade="partial")


def _refuse_cells(bare: Support, vetoes: tuple[Veto, ...]) -> Support:
    """A value of another cell than the claim names is a veto, which can only lower."""
    if not vetoes or bare.status in {SupportStatus.NOT_RUN, SupportStatus.CONTRADICTED}:
        return bare
    return replace(
        bare, status=SupportStatus.NEUTRAL, reason="veto", vetoes=(*bare.vetoes, *vetoes)
    )


def _judge_whole(
    judge: SupportJudge, premise: Premise, hypothesis: str, parts: Sequence[Part], citation: int
) -> Support:
    (whole,) = judge.judge_all(premise, [hypothesis], citation=citation)
    # A part counts only if its whole was read, or if the whole is too long to read.
    readable = whole.status is not SupportStatus.NOT_RUN or whole.reason == "claim_too_long"
    subclaims = judge_parts(judge, premise, parts, citation) if parts and readable else ()
    return combine_parts(lift_joined(whole, premise, subclaims), subclaims)


def _may_need_context(bare: Support) -> bool:
    if bare.status not in {SupportStatus.NEUTRAL, SupportStatus.BORDERLINE}:
        return False
    # Context may confirm what the span leaves open; it does not remove a difference.
    if bare.vetoes and bare.reason != "slots_unconfirmed":
        return False
    if bare.reason in {"claim_in_parts", CELLS_JOINED}:
        return False
    return not any(
        (part.vetoes and part.reason != "slots_unconfirmed")
        or part.status is SupportStatus.CONTRADICTED
        for part in bare.subclaims
    )


def _is_entailed_by_model(support: Support) -> bool:
    """Whether it passes, or lacks no more than a certificate for the model's word."""
    return support.status is SupportStatus.ENTAILED or support.reason in _MODEL_ALONE


def _judge_in(
    judge: SupportJudge, context: Context, hypothesis: str, parts: Sequence[Part], citation: int
) -> Support | None:
    """The support in a context if the model calls the claim entailed there; else None.

    Then the bare one counts. Context that entails the claim without the span shows that something
    else supports it.
    """
    asked = "" if context.question is None else f"{context.question} "
    (whole,) = judge.judge_all(context.premise, [asked + hypothesis], citation=citation)
    if not _is_entailed_by_model(whole) or whole.evidence is None:
        return None
    # Not a question of the policy: what a milder one leaves open no stricter one may pass.
    if context.alone is not None and judge.carries(
        context.alone, asked + hypothesis, above=-_CLEARLY_BELOW
    ):
        return None
    told = [replace(part, hypothesis=asked + part.hypothesis) for part in parts]
    subclaims = judge_parts(judge, context.premise, told, citation)
    # As if the model's word were enough: a part that gainsays counts under every policy.
    entailed = combine_parts(replace(whole, status=SupportStatus.ENTAILED), subclaims)
    if entailed.status is not SupportStatus.ENTAILED:
        return None
    graded = combine_parts(whole, subclaims)
    return replace(
        graded,
        context=context.name,
        read=ReadTexts(premise=context.premise.text, hypothesis=asked + hypothesis),
    )
