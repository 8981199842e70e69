"""The words around a span, in its sentence or above it, that change what the span says.

"able to pay" of "not able to pay", "Eating in the hall" under "The following are prohibited:", a
statement that the next sentence calls void. Only claims that would pass are checked, and the check
can only lower: such a claim goes to a person.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Veto
from spanproof.verifier.language.turns import turns_of
from spanproof.verifier.scope.doubts import to_vetoes
from spanproof.verifier.scope.dropped import carries_kind, find_cut
from spanproof.verifier.scope.operators import find_operators
from spanproof.verifier.scope.references import find_turn
from spanproof.verifier.slots.compare import MAX_SLOT_CHARACTERS
from spanproof.verifier.slots.taken.openings import blank_openings
from spanproof.verifier.slots.words import read_words
from spanproof.verifier.support.premise import Premise, Slice, cut_words
from spanproof.verifier.support.readable import Readable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.document import Extraction
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.language.operators import OperatorKind
    from spanproof.verifier.slots.words import Words
    from spanproof.verifier.support.surroundings import Surroundings

#: The reason of support that is lowered by what the span leaves out.
SCOPE_CUT = "scope_cut"
#: Kinds by which a line that heads others governs them all.
_HEADING_KINDS = frozenset(
    {"negation", "exception", "condition", "attribution", "modality", "falsehood"}
)
#: Words of a heading that may be about what the turning word says: "Repealed provisions".
_MAX_HEADING = 5
#: How near to the end of such a line a word that denies must stand: "… must not:".
_NEAR_END = 3
#: A heading over what people get wrong.
_ERRORS = re.compile(
    r"\W*(?:the |some |most )?(?:common|frequent|typical|usual|popular|widespread)(?: \w+)?"
    r" (?:errors|mistakes|pitfalls|misunderstandings|fallacies)\b",
    re.IGNORECASE,
)
_MARKS = frozenset('"“«„')
#: Longer spans are passages: the words around them govern their edges only.
_MAX_SPAN = 20_000


def find_scope_cut(
    extraction: Extraction,
    span: Span,
    surroundings: Surroundings,
    hypothesis: str,
    locale: Locale = "en",
) -> tuple[Veto, ...]:
    """What governs the span from outside and is not in the claim; source spans are canonical."""
    if not hypothesis or len(hypothesis) > MAX_SLOT_CHARACTERS or len(span) > _MAX_SPAN:
        return ()
    text = extraction.text
    claim = read_words(blank_openings(hypothesis, text.slice(span)), locale)
    if not claim.words:
        return ()
    premise = _read_around(extraction, surroundings)
    source = read_words(premise.text, locale)
    place = source.within(_find_in(premise, span))
    cut = to_vetoes(find_cut(claim, source, place, locale), claim, source)
    found = [
        replace(veto, source_span=premise.locate_in_document(veto.source_span, 0))
        for veto in cut
        if veto.source_span is not None
    ]
    for head in surroundings.heads:
        found += _compare_head(claim, text.slice(head), head, locale)
    if surroundings.quoted and not _quotes(claim, locale):
        mark = Span(max(0, span.start - 1), span.start + 1)
        found.append(_to_veto("attribution", claim, text.slice(mark), mark))
    return tuple(found)


def _quotes(claim: Words, locale: Locale) -> bool:
    """Whether the claim says that these are words of somebody."""
    return not _MARKS.isdisjoint(claim.text) or carries_kind(claim, "attribution", "quote", locale)


def _read_around(extraction: Extraction, surroundings: Surroundings) -> Premise:
    """The sentence before, the span's own and the one behind, each on a line."""
    parts: list[Slice | str] = []
    for place in (surroundings.before, surroundings.sentence, surroundings.after):
        if place is not None:
            parts += ["\n"] if parts else []
            parts.append(cut_words(extraction, place))
    return Premise.join(parts)


def _find_in(premise: Premise, span: Span) -> Span:
    """Where a canonical span stands in the premise."""
    for piece in premise.pieces:
        positions = piece.readable.positions
        start, end = (
            bisect_left(positions, place - piece.start) for place in (span.start, span.end)
        )
        if start < end:
            return Span(start, end).shift(piece.span.start)
    return Span(0, 0)


def _compare_head(claim: Words, text: str, head: Span, locale: Locale) -> Iterator[Veto]:
    """The words of a heading, label or list's head that turn what stands under it."""
    words = read_words(Readable.of(text).text, locale)
    found = _find_head_turn(words, locale)
    if found is None:
        return
    kind, first, last = found
    own = words.words[first:last]
    if any(carries_kind(claim, kind, word.text, locale) for word in own):
        return
    place = Span(own[0].start, own[-1].end)
    yield _to_veto(kind, claim, words.text[place.start : place.end], head)


def _find_head_turn(words: Words, locale: Locale) -> tuple[OperatorKind, int, int] | None:
    if not words.words or "?" in words.text:
        return None
    if _ERRORS.match(words.text):
        return "falsehood", 0, min(2, len(words.words))
    turn = find_turn(words.words, locale)
    is_lead = words.text.rstrip().endswith(":")
    if turn is not None:
        kind, at = turn
        is_word = words.words[at].text in turns_of(locale)
        behind = len(words.words) - at - 1
        is_short = len(words.words) <= _MAX_HEADING
        if (is_word and (is_lead or (is_short and kind != "question"))) or (
            not is_word and behind <= _NEAR_END and (is_lead or at == 0 or behind == 1)
        ):
            return kind, at, at + 1
    if not is_lead:
        return None
    for operator in find_operators(words.text, locale):
        to_end = operator.high == len(words.words)
        is_near = len(words.words) - operator.last <= _NEAR_END
        narrow = operator.kind == "negation"
        likely = operator.level == "likely" and operator.own
        if likely and operator.kind in _HEADING_KINDS and to_end and (is_near or not narrow):
            return operator.kind, operator.first, operator.last
    return None


def _to_veto(kind: OperatorKind, claim: Words, words: str, place: Span) -> Veto:
    ours = claim.words[0].span
    return Veto(
        kind=f"unconfirmed_{kind}",
        claim=claim.text[ours.start : ours.end],
        claim_span=ours,
        source=words,
        source_span=place,
    )
