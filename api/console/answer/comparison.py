"""A quote against its source as a word diff, with the words that decided the verdict marked."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from spanproof.api.console.answer.difference import DifferencePiece
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanproof.operations.presentation.excerpt import Excerpt

Json = dict[str, Any]
#: Words, and what stands between them: a diff in these units reads as a person compares.
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
#: Longer texts are shown without a diff: it would take seconds and nobody would read it.
MOST_TOKENS = 2_000
#: Characters of the document shown on either side of the quote.
AROUND = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedText:
    """A piece of a claim; ``is_deciding``: a veto or a part without support rests on it."""

    text: str
    is_deciding: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The quote in its surroundings in the document; ``differs`` is about more than white space."""

    before: str
    pieces: tuple[DifferencePiece, ...]
    after: str
    differs: bool


def mark_claim(verdict: Json) -> tuple[MarkedText, ...]:
    """The claim cut at the words of its vetoes, and of its parts that nothing accounts for."""
    text, support = verdict["claim"]["text"], verdict["support"]
    # Blocks of older procedures name no place for these words, or no such words.
    found = [*support["vetoes"], *support.get("unsupported_parts", ())]
    spans = []
    for each in found:
        start, end = each.get("claim_start"), each.get("claim_end")
        # The place is one of the hypothesis, which may lack an anchor that the claim has.
        if start is None or text[start:end] != each["claim"]:
            start = text.find(each["claim"])
            end = start + len(each["claim"])
        if start >= 0:
            spans.append(Span(start, end))
    return tuple(
        MarkedText(text=text[start:end], is_deciding=is_inside)
        for start, end, is_inside in _cut(len(text), spans)
    )


def compare(
    quote: str | None, excerpt: Excerpt, edits: Sequence[DifferencePiece], deciding: Iterable[Span]
) -> Comparison:
    """The excerpt's words with the quote's; ``deciding`` counts from the excerpt's marked words.

    ``edits`` is the block's own difference, and wins over one that is computed here.
    """
    pieces = tuple(edits) or _diff_words(quote or "", excerpt.marked)
    return Comparison(
        before=("…" if excerpt.is_cut_before else "") + excerpt.before,
        pieces=_mark_source(pieces, list(deciding)),
        after=excerpt.after + ("…" if excerpt.is_cut_after else ""),
        differs=any(piece.side != "same" for piece in pieces),
    )


def _diff_words(quote: str, source: str) -> tuple[DifferencePiece, ...]:
    ours, theirs = _TOKEN.findall(quote), _TOKEN.findall(source)
    whole = DifferencePiece(side="same", text=source)
    if not quote or quote == source or len(ours) + len(theirs) > MOST_TOKENS:
        return (whole,)
    pieces: list[DifferencePiece] = []
    matcher = SequenceMatcher(None, _fold_space(ours), _fold_space(theirs), autojunk=False)
    for kind, low, high, start, end in matcher.get_opcodes():
        removed, added = "".join(ours[low:high]), "".join(theirs[start:end])
        if kind == "equal" or not (removed + added).strip():
            pieces.append(DifferencePiece(side="same", text=added))
            continue
        pieces.append(DifferencePiece(side="quote", text=removed))
        pieces.append(DifferencePiece(side="source", text=added))
    return tuple(piece for piece in pieces if piece.text)


def _fold_space(tokens: Iterable[str]) -> list[str]:
    return [" " if token.isspace() else token for token in tokens]


def _mark_source(
    pieces: Sequence[DifferencePiece], deciding: Sequence[Span]
) -> tuple[DifferencePiece, ...]:
    """Cut the pieces of the source at the deciding words; pieces of the quote have no place."""
    marked: list[DifferencePiece] = []
    position = 0
    for piece in pieces:
        if piece.side == "quote":
            marked.append(piece)
            continue
        size = len(piece.text)
        here = [
            Span(max(0, span.start - position), min(size, span.end - position))
            for span in deciding
            if span.start - position < size and span.end > position
        ]
        marked.extend(
            replace(piece, text=piece.text[start:end], is_deciding=is_inside)
            for start, end, is_inside in _cut(size, here)
        )
        position += size
    return tuple(marked)


def _cut(length: int, spans: Sequence[Span]) -> Iterable[tuple[int, int, bool]]:
    """``[0, length)`` cut where the spans begin and end, and whether a stretch is inside one."""
    edges = sorted({0, length, *(edge for span in spans for edge in (span.start, span.end))})
    for start, end in itertools.pairwise(edges):
        yield start, end, any(span.start <= start and end <= span.end for span in spans)
