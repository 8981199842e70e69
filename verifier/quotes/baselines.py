"""Baselines: where a raised or lowered figure meets the text of its line.

Engines give the digits of a superscript, or of a footnote's mark, right behind those before them.
Each stays a run of its own in the layout, with a baseline and a height of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.span import Span

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

#: The lower run is at most so high as the other, and their baselines differ by so much of that.
_MOST_HEIGHT, _LEAST_SHIFT = 0.9, 0.1
#: Marks inside a number; one of them may end a sentence before a footnote's mark.
_MARKS = ".,'’"


def is_shifted(extraction: Extraction, at: int) -> bool:
    """Whether another run begins at an offset, in the same line, on another baseline."""
    heights = _heights_at(extraction, at)
    return heights is not None and min(heights) <= _MOST_HEIGHT * max(heights)


def without_shifted(extraction: Extraction, span: Span) -> tuple[str, Span]:
    """The text up to digits on another baseline beside a span's edges, and the span in it.

    Such a digit is a footnote's mark or a power, and no part of the number beside it.
    """
    text, low, high = extraction.text.text, 0, len(extraction.text)
    if span.start < span.end and _is_shifted_digit(extraction, span.start):
        low = span.start
    # "10,000³" and "in 2019.³": behind the digits, or behind the stop that ends the sentence.
    for at in (span.end, span.end + 1):
        if text[span.end : at].strip(_MARKS) == "" and _is_shifted_digit(extraction, at):
            high = at
            break
    if (low, high) == (0, len(text)):
        return text, span
    return text[low:high], span.shift(-low)


def _is_shifted_digit(extraction: Extraction, at: int) -> bool:
    return extraction.text.text[at : at + 1].isdigit() and is_shifted(extraction, at)


def joins_digits(extraction: Extraction, at: int) -> bool:
    """Whether a digit on another baseline ends what reads as one number: ``10³``, ``45.³``."""
    text = extraction.text.text
    before = text[max(0, at - 2) : at]
    return before.rstrip(_MARKS)[-1:].isdigit() and _is_shifted_digit(extraction, at)


def is_raised(extraction: Extraction, at: int, *, behind: bool) -> bool:
    """Whether the smaller one of two such runs stands behind an offset, or before it."""
    heights = _heights_at(extraction, at)
    return heights is not None and heights[behind] <= _MOST_HEIGHT * heights[not behind]


def _heights_at(extraction: Extraction, at: int) -> tuple[float, float] | None:
    """The heights of the two runs that meet at an offset on two baselines."""
    layout = extraction.layout
    if layout is None or not at:
        return None
    run = layout.runs_of(Span(at, at + 1)).start
    if not 0 < run < len(layout.run_start) or layout.run_start[run] != at:
        return None
    if layout.run_end[run - 1] != at:
        return None
    before, behind = (layout.run_ascent - layout.run_descent)[run - 1 : run + 1].tolist()
    dx, dy = (float(np.diff(way[run - 1 : run + 1])[0]) for way in (layout.run_x, layout.run_y))
    shift = abs(dy * float(layout.run_cos[run]) - dx * float(layout.run_sin[run]))
    return (before, behind) if shift >= _LEAST_SHIFT * max(before, behind) else None
