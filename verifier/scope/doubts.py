"""What a claim drops of its source, as doubts: reason enough for a person to look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Veto
from spanproof.verifier.scope.dropped import find_dropped
from spanproof.verifier.slots.compare import MAX_SLOT_CHARACTERS
from spanproof.verifier.slots.words import read_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.verdicts.policy import ReviewLevel
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.scope.sentence import Dropped
    from spanproof.verifier.slots.words import Words


def doubt_scope(
    hypothesis: str, premise: str, *, level: ReviewLevel, locale: Locale = "en"
) -> tuple[Veto, ...]:
    """The operators of the premise that the hypothesis drops, up to a level, with both sides.

    A kind is ``unconfirmed_condition`` and so on; offsets are those of the two texts.
    """
    if len(hypothesis) > MAX_SLOT_CHARACTERS or not hypothesis or not premise:
        return ()
    claim, source = read_words(hypothesis, locale), read_words(premise, locale)
    found = find_dropped(claim, source, locale)
    return to_vetoes(
        (one for one in found if level == "possible" or one.operator.level == "likely"),
        claim,
        source,
    )


def to_vetoes(found: Iterable[Dropped], claim: Words, source: Words) -> tuple[Veto, ...]:
    """One for each word of the claim: what governs it in the source."""
    vetoes: dict[int, Veto] = {}
    for one in found:
        ours = claim.words[one.word].span
        theirs = place_of(one, source)
        vetoes.setdefault(
            one.word,
            Veto(
                kind=f"unconfirmed_{one.operator.kind}",
                claim=claim.text[ours.start : ours.end],
                claim_span=ours,
                source=source.text[theirs.start : theirs.end],
                source_span=theirs,
            ),
        )
    return tuple(veto for _, veto in sorted(vetoes.items()))


def place_of(found: Dropped, source: Words) -> Span:
    """Where an operator stands; of a question, its last word and the mark."""
    operator = found.operator
    if operator.own:
        return Span(source.words[operator.first].start, source.words[operator.last - 1].end)
    last = source.words[operator.high - 1]
    return Span(last.start, source.text.index("?", last.end) + 1)
