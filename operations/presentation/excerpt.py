"""A span in its surroundings: the canonical text before it, its own, and after it."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.span import Span

if TYPE_CHECKING:
    from spanproof.core.citation import Retrieval
    from spanproof.core.text import CanonicalText

#: Characters shown on either side of a span.
CONTEXT_CHARACTERS = 300
#: A longer span is cut here: a page that quotes a whole book helps no one.
MAX_SHOWN_CHARACTERS = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Three neighbouring pieces of one text; ``left_out`` counts hidden characters of the span."""

    before: str
    marked: str
    after: str
    is_cut_before: bool
    is_cut_after: bool
    left_out: int = 0


def cut_excerpt(
    text: CanonicalText, span: Span, *, around: int = CONTEXT_CHARACTERS
) -> Excerpt | None:
    """The span with ``around`` characters on either side; None beyond the text."""
    if not text.holds(span):
        return None
    whole = text.text
    start, end = max(0, span.start - around), min(len(whole), span.end + around)
    shown = min(len(span), MAX_SHOWN_CHARACTERS)
    return Excerpt(
        before=whole[start : span.start],
        marked=whole[span.start : span.start + shown],
        after=whole[span.end : end],
        is_cut_before=start > 0,
        is_cut_after=end < len(whole),
        left_out=len(span) - shown,
    )


def mark_chunk(chunk: Retrieval, text: CanonicalText | None, span: Span | None) -> Excerpt | None:
    """The chunk's text with the span marked where it certainly stands, unmarked where not."""
    if chunk.text is None:
        return None
    inside = _span_inside(chunk, text, span)
    start, end = (inside.start, inside.end) if inside else (len(chunk.text), len(chunk.text))
    low, high = (0, len(chunk.text))
    if inside:
        low = max(0, start - CONTEXT_CHARACTERS)
        high = min(len(chunk.text), end + CONTEXT_CHARACTERS)
    else:
        high = min(high, 3 * CONTEXT_CHARACTERS)
    shown = min(end, start + MAX_SHOWN_CHARACTERS)
    return Excerpt(
        before=chunk.text[low : min(start, high)],
        marked=chunk.text[start:shown],
        after=chunk.text[end:high],
        is_cut_before=low > 0,
        is_cut_after=high < len(chunk.text),
        left_out=end - shown,
    )


def _span_inside(chunk: Retrieval, text: CanonicalText | None, span: Span | None) -> Span | None:
    if chunk.text is None or text is None or span is None or not text.holds(span):
        return None
    words = text.slice(span)
    if chunk.span is not None and chunk.span.contains(span):
        moved = span.shift(-chunk.span.start)
        # A chunk may have been cleaned on its way: its offsets count only if the words agree.
        if chunk.text[moved.start : moved.end] == words:
            return moved
    # Chunkers join lines: white space may differ, nothing else may. This marks, it judges nothing.
    pattern = r"\s+".join(re.escape(word) for word in words.split())
    found = list(itertools.islice(re.finditer(pattern, chunk.text), 2)) if pattern else []
    return Span(*found[0].span()) if len(found) == 1 else None
