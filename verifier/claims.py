"""Prose → sentences with exact offsets, and the claim that each anchor marks.

Sentence ends come from sentencex (Wikimedia; it keeps every character, knows abbreviations and
decimals). Anchors are blanked, never removed, before it looks, so offsets stay those of the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from core.citation import Claim
from core.span import Span

if TYPE_CHECKING:
    from core.citation import Anchor

#: A blank line, or a line that starts a list item, a heading or a table row, ends a block.
_BLOCK_END = re.compile(r"\n(?=[ \t]*\n|[ \t]*(?:[-*+•][ \t]|\d{1,3}[.)][ \t]|#{1,6}[ \t]|\|))")
_LIST_MARKER = re.compile(r"\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+|#{1,6}\s+)")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
#: After these a stop ends no sentence when a digit or a small letter follows.
_ABBREVIATION = re.compile(
    r"\b(?:approx|art|arts|ca|cf|ch|cl|col|ed|eds|fig|figs|incl|max|min|no|nos|para|paras|pp?|"
    r"sec|secs|viz|vol|vols)\.\s*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSentence:
    """One sentence (anchors and stop included) and the anchors that mark it."""

    span: Span
    anchors: tuple[Anchor, ...]


def split_sentences(prose: str, anchors: tuple[Anchor, ...] = ()) -> tuple[MarkedSentence, ...]:
    """The sentences of the prose in order, each with its anchors.

    An anchor after a stop belongs to the sentence that it follows; one that opens a line belongs to
    the sentence that it precedes. White space between sentences belongs to none of them.
    """
    import sentencex

    blanked = blank_anchors(prose, anchors)
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for block in _split_blocks(blanked):
        for piece in _join_abbreviations(sentencex.segment("en", block)):
            visible = piece.strip()
            if _WORD.search(visible):
                starts.append(position + piece.index(visible))
                ends.append(starts[-1] + len(visible))
            elif visible and ends and not piece[: piece.index(visible)].count("\n"):
                # A stop that stands behind its anchor: "… [2] ." ends the sentence before.
                ends[-1] = position + piece.index(visible) + len(visible)
            position += len(piece)
    owned: list[list[Anchor]] = [[] for _ in starts]
    for anchor in anchors:
        index = _owner(prose, anchor.span, starts, ends)
        if index is None:
            continue
        owned[index].append(anchor)
        starts[index] = min(starts[index], anchor.span.start)
        ends[index] = max(ends[index], anchor.span.end)
    return tuple(
        MarkedSentence(span=Span(start, end), anchors=tuple(marks))
        for start, end, marks in zip(starts, ends, owned, strict=True)
    )


def find_claims(
    prose: str, anchors: tuple[Anchor, ...]
) -> tuple[tuple[tuple[Anchor, Claim], ...], tuple[Span, ...], int]:
    """Each anchor with its claim, the sentences without an anchor, and the count of sentences.

    An anchor in a text without any sentence (``[1]`` alone) has no claim and is left out.
    """
    sentences = split_sentences(prose, anchors)
    blanked = blank_anchors(prose, anchors)
    claims: list[tuple[Anchor, Claim]] = []
    uncited: list[Span] = []
    for sentence in sentences:
        if not sentence.anchors:
            uncited.append(sentence.span)
        claim = Claim(
            text=prose[sentence.span.start : sentence.span.end],
            span=sentence.span,
            hypothesis=to_hypothesis(blanked[sentence.span.start : sentence.span.end]),
        )
        claims.extend((anchor, claim) for anchor in sentence.anchors)
    return tuple(claims), tuple(uncited), len(sentences)


def blank_anchors(prose: str, anchors: tuple[Anchor, ...]) -> str:
    """The prose with blanks where its anchors stand: every other offset stays."""
    for anchor in anchors:
        start, end = anchor.span.start, anchor.span.end
        prose = prose[:start] + " " * (end - start) + prose[end:]
    return prose


def _split_blocks(text: str) -> list[str]:
    cuts = [0, *(match.end() for match in _BLOCK_END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(cuts) if start < end]


def _join_abbreviations(pieces: list[str]) -> list[str]:
    joined: list[str] = []
    for piece in pieces:
        lead = piece.lstrip()[:1]
        follows = lead.islower() or lead.isdigit()
        if joined and follows and _ABBREVIATION.search(joined[-1]):
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


def _owner(prose: str, span: Span, starts: list[int], ends: list[int]) -> int | None:
    before = None
    for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if start <= span.start < end:
            return index
        if end <= span.start:
            before = index
        else:
            opens_line = before is None or "\n" in prose[ends[before] : span.start]
            return index if opens_line else before
    return before


def to_hypothesis(text: str) -> str:
    """Words of an answer as the model reads them: no list mark, no emphasis, single blanks.

    Anchors are taken for blanked already.
    """
    marker = _LIST_MARKER.match(text)
    text = _EMPHASIS.sub("", text[marker.end() :] if marker else text)
    # Blanks before a stop are what a removed anchor leaves behind.
    return re.sub(r"\s+([.,;:!?])", r"\1", " ".join(text.split()))
