"""Where the glyphs of a page begin: in an extraction, and in pdfium's own columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.layout import QUANTUM
from spanproof.core.documents.match_views import to_codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.layout import Layout
    from spanproof.core.geometry import Quad
    from spanproof.core.span import Span

Doubles = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

# Rounding of a quad's corners: a point this far outside is inside.
_MARGIN = QUANTUM / 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Glyphs:
    """Characters of a page in an engine's order: code point, origin, middle of the box."""

    codes: Ints
    x: Doubles
    y: Doubles
    middle_x: Doubles
    middle_y: Doubles

    def __len__(self) -> int:
        return len(self.codes)

    def inside(self, quad: Quad) -> Mask:
        """Which middles lie in a quad."""
        (ux, uy), (rx, ry), (lx, ly) = quad.ul, quad.ur, quad.ll
        length = float(np.hypot(rx - ux, ry - uy))
        cos, sin = ((rx - ux) / length, (ry - uy) / length) if length else (1.0, 0.0)
        height = (ux - lx) * -sin + (uy - ly) * cos
        along = (self.middle_x - ux) * cos + (self.middle_y - uy) * sin
        above = (self.middle_x - lx) * -sin + (self.middle_y - ly) * cos
        held: Mask = (along >= -_MARGIN) & (along <= length + _MARGIN)
        held &= (above >= min(0.0, height) - _MARGIN) & (above <= max(0.0, height) + _MARGIN)
        return held


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OurGlyphs:
    """The characters of a span that have a box, with the offset and the run of each."""

    glyphs: Glyphs
    offset: Ints
    run: Ints

    @classmethod
    def of(cls, extraction: Extraction, layout: Layout, span: Span) -> OurGlyphs:
        """Origins are the boxes' left edges on the base line, as a run has them."""
        runs = np.array(layout.runs_of(span), np.int64)
        starts = np.maximum(layout.run_start[runs], span.start).astype(np.int64)
        ends = np.minimum(layout.run_end[runs], span.end).astype(np.int64)
        lengths = ends - starts
        run = np.repeat(runs, lengths)
        first = np.repeat(np.cumsum(lengths) - lengths, lengths)
        offset = np.arange(int(lengths.sum())) - first + np.repeat(starts, lengths)
        boxed = layout.left[offset] != layout.right[offset]
        run, offset = run[boxed], offset[boxed]
        cos, sin = layout.run_cos[run].astype(np.float64), layout.run_sin[run].astype(np.float64)
        x, y = layout.run_x[run].astype(np.float64), layout.run_y[run].astype(np.float64)
        left = layout.left[offset].astype(np.float64)
        along = (left + layout.right[offset]) / 2
        across = (layout.run_ascent[run].astype(np.float64) + layout.run_descent[run]) / 2
        codes = to_codes(extraction.text.slice(span))[offset - span.start]
        return cls(
            glyphs=Glyphs(
                codes=codes.astype(np.int64),
                x=(x + left * cos) * QUANTUM,
                y=(y + left * sin) * QUANTUM,
                middle_x=(x + along * cos - across * sin) * QUANTUM,
                middle_y=(y + along * sin + across * cos) * QUANTUM,
            ),
            offset=offset,
            run=run,
        )


def read_pdfium(data: bytes, numbers: Sequence[int]) -> Iterator[tuple[int, Glyphs]]:
    """The glyphs of some pages (from 1) as pdfium gives them, without what it made up."""
    from spanproof.ingest.engine.pdfium.columns import open_text, read_columns
    from spanproof.ingest.engine.pdfium.documents import open_document, open_page

    with open_document(data) as opened:
        for number in numbers:
            with open_page(opened, number - 1) as page, open_text(page) as text:
                columns = read_columns(text)
            codes, is_low = _join_surrogates(columns.points.astype(np.int64))
            real = ~columns.generated & ~is_low
            boxes = columns.boxes[real].astype(np.float64)
            yield (
                number,
                Glyphs(
                    codes=codes[real],
                    x=columns.origins[real, 0],
                    y=columns.origins[real, 1],
                    middle_x=(boxes[:, 0] + boxes[:, 2]) / 2,
                    middle_y=(boxes[:, 1] + boxes[:, 3]) / 2,
                ),
            )


def _join_surrogates(codes: Ints) -> tuple[Ints, Mask]:
    """Make one of the two codes that pdfium gives for a character beyond the 16-bit plane."""
    high = (codes[:-1] >> 10 == 0xD800 >> 10) & (codes[1:] >> 10 == 0xDC00 >> 10)
    first = np.flatnonzero(high)
    joined = codes.copy()
    joined[first] = 0x10000 + ((codes[first] & 0x3FF) << 10) + (codes[first + 1] & 0x3FF)
    is_low = np.zeros(len(codes), bool)
    is_low[first + 1] = True
    return joined, is_low
