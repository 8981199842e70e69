"""The claim that each citation is judged on: its anchor's sentence, or the provider's segment.

A segment that is a whole sentence, or several, is read as it stands. A fragment is widened: to the
one part of its sentence that can be true by itself, where it lies in one, else to the sentence; not
to an "According to …," before it, which only names the source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from spanproof.core.citation import Claim
from spanproof.core.errors import AnswerTooDenseError
from spanproof.core.span import Span
from spanproof.core.verdicts.answer_findings import UncitedSentence
from spanproof.verifier.claims.checkworthy import CheckWorthiness, judge_check_worthiness
from spanproof.verifier.claims.claims import (
    blank_anchors,
    find_claims,
    read_sentence,
    to_hypothesis,
)
from spanproof.verifier.claims.subclaims import split_claim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.citation import Answer
    from spanproof.verifier.claims.claims import MarkedSentence

#: Of a sentence's letters, how many a segment may leave out and still be the whole sentence.
_EDGE_CHARACTERS = 3
#: How an answer names the source that it is about to cite.
_LEAD = re.compile(
    r"(?:according to|based on|as per|as (?:stated|noted|described|reported|mentioned"
    r"|explained|shown|set out|specified|defined) (?:in|by)) [^,.;:!?\n]{1,80}[,:]\s+",
    re.IGNORECASE,
)
_STOPPED = re.compile(r"[.!?。！？…؟।۔:;][\"'”’»」』)\]]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Claims with the index of the citation each is judged by, in the order of the answer.

    ``orphans`` are markers without a citation, ``unused`` the anchor numbers of citations without
    a claim, ``uncited`` the sentences that no citation speaks for. ``statements`` counts the
    sentences, cited or not, that state something to be checked. ``unread`` are marks that look like
    citations but are not read, where they were looked for.
    """

    pairs: tuple[tuple[Claim, int], ...]
    orphans: tuple[tuple[int, Span], ...]
    unused: tuple[int, ...]
    uncited: tuple[UncitedSentence, ...]
    sentences: int
    statements: int = 0
    unread: tuple[Span, ...] = ()


def pair_claims(answer: Answer, *, most: int | None = None, pointer: str = "/answer") -> Pairing:
    """Pair every citation with its claims, each once, however many marks name it there.

    Raises AnswerTooDenseError for more than ``most`` pairs, before they are made; it names the
    answer's place in the payload by ``pointer``.
    """
    prose, anchors = answer.prose, answer.anchors
    anchored, sentences = find_claims(prose, anchors, answer.unclaimed)
    blanked = blank_anchors(prose, anchors, answer.unclaimed)
    claiming = blank_anchors(prose, (), answer.unclaimed)
    by_number: dict[int, list[int]] = {}
    segments: list[tuple[Span, int]] = []
    for index, citation in enumerate(answer.citations):
        if citation.segment is None:
            by_number.setdefault(citation.anchor, []).append(index)
        elif claiming[citation.segment.start : citation.segment.end].strip():
            segments.append((citation.segment, index))
    marked = {(claim.span, anchor.number): claim for anchor, claim in anchored}
    count = sum(len(by_number.get(number, ())) for _, number in marked) + len(segments)
    if most is not None and count > most:
        what = "pairs of a claim and a citation"
        raise AnswerTooDenseError.of(pointer, what, most=most, got=count)
    pairs = [
        (claim, index)
        for (_, number), claim in marked.items()
        for index in by_number.get(number, ())
    ]
    covered = {id(sentence) for sentence in sentences if sentence.anchors}
    known_claims: dict[Span, Claim] = {}
    for segment, index in segments:
        touched = _find_touched(blanked, segment, sentences)
        covered.update(id(sentence) for sentence in touched)
        if segment not in known_claims:
            known_claims[segment] = _claim_of(answer, blanked, segment, touched)
        pairs.append((known_claims[segment], index))
    known = {citation.anchor for citation in answer.citations}
    used = {answer.citations[index].anchor for _, index in pairs}
    worths = _judge_worths(blanked, sentences)
    return Pairing(
        pairs=tuple(sorted(pairs, key=lambda pair: (pair[0].span.start, pair[0].span.end))),
        orphans=tuple((a.number, a.span) for a in anchors if a.number not in known),
        unused=tuple(sorted(known - used)),
        uncited=tuple(
            UncitedSentence(span=s.span, check_worthy=worth.check_worthy, reason=worth.reason)
            for s, worth in zip(sentences, worths, strict=True)
            if id(s) not in covered
        ),
        sentences=len(sentences),
        statements=sum(worth.check_worthy for worth in worths),
    )


def _judge_worths(blanked: str, sentences: Sequence[MarkedSentence]) -> tuple[CheckWorthiness, ...]:
    """Whether each sentence states something: a fragment does where it answers a question."""
    worths: list[CheckWorthiness] = []
    for sentence in sentences:
        worth = judge_check_worthiness(_words_of(blanked, sentence), sentence.sentence.kind)
        if worth.reason == "fragment" and worths and worths[-1].reason == "question":
            worth = CheckWorthiness(check_worthy=True, reason="statement")
        worths.append(worth)
    return tuple(worths)


def _find_touched(
    blanked: str, segment: Span, sentences: Sequence[MarkedSentence]
) -> tuple[MarkedSentence, ...]:
    """The sentences that share a letter or digit with the segment; a stop alone is not enough."""
    first = bisect_right(sentences, segment.start, key=lambda s: s.sentence.span.start) - 1
    touched = []
    for sentence in sentences[max(first, 0) :]:
        span = sentence.sentence.span
        if span.start >= segment.end:
            break
        if _share_letters(blanked, span, segment):
            touched.append(sentence)
    return tuple(touched)


def _claim_of(
    answer: Answer, blanked: str, segment: Span, touched: Sequence[MarkedSentence]
) -> Claim:
    hypothesis = None
    if not touched:
        hypothesis = to_hypothesis(blanked[segment.start : segment.end])
    elif len(touched) == 1 and _is_fragment(blanked, segment, touched[0].sentence.span):
        hypothesis = _widen(answer, blanked, segment, touched[0].sentence.span)
    if hypothesis is None:
        # A cut word is not a word: sentences that a segment cuts are read whole.
        hypothesis = _join([read_sentence(blanked, s.sentence) for s in touched])
    return Claim(
        text=answer.prose[segment.start : segment.end], span=segment, hypothesis=hypothesis
    )


def _widen(answer: Answer, blanked: str, segment: Span, sentence: Span) -> str | None:
    """The part of the sentence that a fragment lies in; None if the whole must be read.

    "According to …," before the fragment is left out: the provider did not cite it, and no source
    entails it, because a source does not name itself.
    """
    lead = _LEAD.match(blanked, sentence.start, segment.start)
    body = sentence if lead is None else Span(lead.end(), sentence.end)
    parts = [
        part
        for part in split_claim(answer.prose, body, answer.anchors, answer.unclaimed)
        if _share_letters(blanked, part.span, segment)
    ]
    if len(parts) == 1:
        return parts[0].hypothesis
    text = None if lead is None else to_hypothesis(blanked[body.start : body.end])
    return text and text[0].upper() + text[1:]


def _join(sentences: Sequence[str]) -> str:
    """Sentences one after the other; a list item or row without a stop gets one before the next."""
    stopped = (one if _STOPPED.search(one) else f"{one}." for one in sentences[:-1])
    return " ".join(chain(stopped, sentences[-1:]))


def _is_fragment(prose: str, segment: Span, sentence: Span) -> bool:
    before = prose[sentence.start : max(sentence.start, segment.start)]
    after = prose[min(sentence.end, segment.end) : sentence.end]
    return sum(letter.isalnum() for letter in before + after) > _EDGE_CHARACTERS


def _share_letters(prose: str, one: Span, other: Span) -> bool:
    shared = one.intersection(other)
    return any(letter.isalnum() for letter in prose[shared.start : shared.end])


def _words_of(blanked: str, sentence: MarkedSentence) -> str:
    return blanked[sentence.sentence.span.start : sentence.sentence.span.end]
