"""Which sentences of a premise a claim's sentence speaks of, by the words that they share."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from spanproof.core.verdicts.verdict import Veto

if TYPE_CHECKING:
    from spanproof.core.span import Span
    from spanproof.core.verdicts.policy import ReviewLevel
    from spanproof.verifier.slots.words import Words

DoubtKind = Literal[
    "unconfirmed_name",
    "unconfirmed_number",
    "unconfirmed_unit",
    "unconfirmed_negation",
    "unconfirmed_antonym",
    "unconfirmed_quantifier",
    "unconfirmed_modality",
    "unconfirmed_date",
    "unconfirmed_roles",
]
#: A sentence that shares nearly as many words as the best one may be the one that is meant.
_NEARLY = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A slot that the source does not confirm, and how sure that is."""

    level: ReviewLevel
    veto: Veto


@dataclass(frozen=True, slots=True, kw_only=True)
class Aligned:
    """A sentence of the premise (half-open range of words) and the share of the claim's words."""

    share: float
    first: int
    last: int


class Alignment:
    """Claim and premise, and the premise's sentences by what they share with one of the claim's."""

    def __init__(self, claim: Words, premise: Words) -> None:
        self.claim = claim
        self.premise = premise
        self._shares: dict[int, tuple[Aligned, ...]] = {}

    def sentences(self, index: int) -> tuple[Aligned, ...]:
        """Every sentence of the premise beside the claim's sentence that holds an index."""
        begin, end = self.claim.sentence(index)
        if begin not in self._shares:
            self._shares[begin] = _share_sentences(self.claim, begin, end, self.premise)
        return self._shares[begin]

    def best(self, index: int) -> tuple[Aligned, ...]:
        """Those that share most, or nearly as much."""
        every = self.sentences(index)
        most = max((each.share for each in every), default=0.0)
        return tuple(each for each in every if each.share >= _NEARLY * most)

    def doubt(
        self, level: ReviewLevel, kind: DoubtKind, ours: Span, theirs: Span | None = None
    ) -> Doubt:
        """A doubt that names both sides as they are written."""
        return Doubt(
            level=level,
            veto=Veto(
                kind=kind,
                claim=self.claim.text[ours.start : ours.end],
                claim_span=ours,
                source=self.premise.text[theirs.start : theirs.end] if theirs else None,
                source_span=theirs,
            ),
        )


def _share_sentences(claim: Words, begin: int, end: int, premise: Words) -> tuple[Aligned, ...]:
    wanted = {word.stem for word in claim.words[begin:end] if word.content}
    counts = [0] * len(premise.opens)
    for stem in wanted:
        places = premise.places.get(stem, ())
        for sentence in {bisect_right(premise.opens, place) - 1 for place in places}:
            counts[sentence] += 1
    bounds = pairwise((*premise.opens, len(premise.words)))
    return tuple(
        Aligned(share=count / len(wanted) if wanted else 0.0, first=first, last=last)
        for count, (first, last) in zip(counts, bounds, strict=True)
    )
