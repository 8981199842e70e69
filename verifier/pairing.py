"""Which claim each citation is judged on: the sentence of its anchor, or the provider's segment.

A segment that is a whole sentence, or several, is read as it stands. A fragment is widened: to the
one part of its sentence that can be true by itself, where it lies in one, else to the sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.citation import Claim
from verifier.claims import blank_anchors, find_claims, split_sentences, to_hypothesis
from verifier.subclaims import split_claim

if TYPE_CHECKING:
    from core.citation import Answer
    from core.span import Span
    from verifier.claims import MarkedSentence

#: Of a sentence's letters, how many a segment may leave out and still be the whole sentence.
_EDGE_CHARACTERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Claims with the index of the citation each is judged by, in the order of the answer.

    ``orphans`` are markers without a citation, ``unused`` the anchor numbers of citations without
    a claim, ``uncited`` the sentences that no citation speaks for.
    """

    pairs: tuple[tuple[Claim, int], ...]
    orphans: tuple[tuple[int, Span], ...]
    unused: tuple[int, ...]
    uncited: tuple[Span, ...]
    sentences: int


def pair_claims(answer: Answer) -> Pairing:
    """Pair every citation with its claims."""
    prose, anchors = answer.prose, answer.anchors
    anchored, uncited, count = find_claims(prose, anchors)
    known = {citation.anchor for citation in answer.citations}
    pairs = [
        (claim, index)
        for anchor, claim in anchored
        for index, citation in enumerate(answer.citations)
        if citation.anchor == anchor.number and citation.segment is None
    ]
    segments = [
        (citation.segment, index)
        for index, citation in enumerate(answer.citations)
        if citation.segment is not None
        and prose[citation.segment.start : citation.segment.end].strip()
    ]
    if segments:
        sentences = split_sentences(prose, anchors)
        pairs += [(_claim_of(answer, segment, sentences), index) for segment, index in segments]
        covered = [segment for segment, _ in segments]
        uncited = tuple(s for s in uncited if not any(_overlap(s, segment) for segment in covered))
    used = {answer.citations[index].anchor for _, index in pairs}
    return Pairing(
        pairs=tuple(sorted(pairs, key=lambda pair: (pair[0].span.start, pair[0].span.end))),
        orphans=tuple((a.number, a.span) for a in anchors if a.number not in known),
        unused=tuple(sorted(known - used)),
        uncited=uncited,
        sentences=count,
    )


def _claim_of(answer: Answer, segment: Span, sentences: tuple[MarkedSentence, ...]) -> Claim:
    prose, anchors = answer.prose, answer.anchors
    touched = [s.span for s in sentences if _overlap(s.span, segment)]
    hypothesis = None
    if len(touched) == 1 and _is_fragment(prose, segment, touched[0]):
        parts = [p for p in split_claim(prose, touched[0], anchors) if _overlap(p.span, segment)]
        hypothesis = parts[0].hypothesis if len(parts) == 1 else None
    if hypothesis is None:
        # Cut words are none: what a segment cuts at its edges is read whole.
        start = min([segment.start, *(span.start for span in touched)])
        end = max([segment.end, *(span.end for span in touched)])
        hypothesis = to_hypothesis(blank_anchors(prose, anchors)[start:end])
    return Claim(text=_read(prose, segment), span=segment, hypothesis=hypothesis)


def _is_fragment(prose: str, segment: Span, sentence: Span) -> bool:
    before = prose[sentence.start : max(sentence.start, segment.start)]
    after = prose[min(sentence.end, segment.end) : sentence.end]
    return sum(letter.isalnum() for letter in before + after) > _EDGE_CHARACTERS


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _read(prose: str, span: Span) -> str:
    return prose[span.start : span.end]
