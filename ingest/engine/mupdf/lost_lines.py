"""OCR of single lines: those with glyphs whose characters nothing else on a page with text tells.

The line alone is drawn, turned so that it reads level, and what Tesseract reads is fitted to the
text that the line has. Neighbours that reach into its box make the reading disagree with that text:
it is thrown away then, and the line stays as it was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.ingest.assembly.characters import REPLACEMENT, replace_forbidden
from spanproof.ingest.assembly.line_readings import LOST, fit_reading, may_be_fitted
from spanproof.ingest.engine.mupdf.library import (
    is_memory,
    library_errors,
    load_pymupdf,
    memory_error,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.ingest.assembly.actual_text import Painted
    from spanproof.ingest.assembly.stream import CharStream
    from spanproof.ingest.engine.mupdf.recognition import Recogniser

# A line takes 0.02 to 0.7 seconds.
_MOST_LINES = 40
_MOST_PIXELS = 4_000_000
_POINTS_PER_INCH = 72.0
# How far glyphs reach above and below their base line, and the white around them, in font sizes.
_ABOVE, _BELOW, _ASIDE, _WHITE = 0.95, 0.3, 0.1, 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class LostLines:
    """The lines of one page with lost glyphs that nothing else reads.

    ``lines`` are pairs of a line's index and the index of its first character.
    """

    stream: CharStream
    painted: Sequence[Painted]
    lines: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, stream: CharStream, painted: Sequence[Painted]) -> LostLines:
        """Find them; ``painted`` is what other readings tell of the page."""
        lost = replace_forbidden(stream.points)[0] == REPLACEMENT
        for one in painted:
            lost[one.start : one.end] = False
        ends = np.cumsum(stream.line_length)
        found = np.unique(np.searchsorted(ends, np.flatnonzero(lost), side="right"))
        starts = (ends - stream.line_length)[found]
        pairs = zip(found.tolist(), starts.tolist(), strict=True)
        return cls(stream=stream, painted=painted, lines=list(pairs))

    def read(self, page: Any, recogniser: Recogniser) -> list[Painted]:  # noqa: ANN401 - untyped bindings
        """What the unrotated page shows at the lost glyphs of its first lines that can be read."""
        found: list[Painted] = []
        left, drawn = _MOST_LINES, None
        for line, start in self.lines:
            cells = self._cells(line, start)
            if self.stream.line_vertical[line] or not may_be_fitted(cells):
                continue
            if not left:
                break
            left -= 1
            try:
                drawn = drawn or page.get_displaylist(annots=0)
                reading = _read_line(drawn, self._place(line, start), recogniser)
            except library_errors() as error:
                if is_memory(error):
                    raise memory_error() from error
                continue
            found += [one.moved(start) for one in fit_reading(cells, reading)]
        return found

    def _cells(self, line: int, start: int) -> list[str]:
        """The line's characters, each as the page shows it."""
        end = start + int(self.stream.line_length[line])
        points = replace_forbidden(self.stream.points[start:end])[0]
        cells = [LOST if point == REPLACEMENT else chr(point) for point in points.tolist()]
        for one in self.painted:
            if one.start < one.end and start <= one.start and one.end <= end:
                cells[one.start - start : one.end - start] = [
                    one.glyphs,
                    *[""] * (one.end - one.start - 1),
                ]
        return cells

    def _place(self, line: int, start: int) -> _Place:
        """Where the line's glyphs are, along its direction and across it."""
        char = slice(start, start + int(self.stream.line_length[line]))
        cos, sin = self.stream.line_direction[line].tolist()
        quads, sizes = self.stream.quads[:, char], self.stream.sizes[char]
        origin_x, origin_y = self.stream.origins[:, char]
        along = quads[0::2] * cos + quads[1::2] * sin
        base = origin_y * cos - origin_x * sin
        aside = float(sizes.max()) * _ASIDE
        return _Place(
            cos=cos,
            sin=sin,
            size=float(sizes.max()),
            left=float(along.min()) - aside,
            right=float(along.max()) + aside,
            top=float((base - _ABOVE * sizes).min()),
            bottom=float((base + _BELOW * sizes).max()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A box in the frame of the unrotated page turned by ``(cos, sin)``; size is the font's."""

    cos: float
    sin: float
    size: float
    left: float
    right: float
    top: float
    bottom: float

    def is_inside(self, box: Any) -> bool:  # noqa: ANN401 - see above
        """Whether all of it lies on the page: what lies beside it is not shown."""
        corners = ((x, y) for x in (self.left, self.right) for y in (self.top, self.bottom))
        return all(
            box.x0 <= x * self.cos - y * self.sin <= box.x1
            and box.y0 <= x * self.sin + y * self.cos <= box.y1
            for x, y in corners
        )


def _read_line(drawn: Any, place: _Place, recogniser: Recogniser) -> str:  # noqa: ANN401 - see above
    """What is read at a place of a drawn page; "" where it is not to be read."""
    pymupdf = load_pymupdf()
    scale = recogniser.dpi / _POINTS_PER_INCH
    white = place.size * _WHITE
    numbers = (place.left, place.top, place.right, place.bottom, white)
    if not all(map(math.isfinite, numbers)) or not place.is_inside(drawn.rect):
        return ""
    x0, y0, x1, y1 = (math.floor(number * scale) for number in numbers[:4])
    border = math.ceil(white * scale)
    inner = pymupdf.IRect(x0, y0, x1, y1)
    outer = pymupdf.IRect(x0 - border, y0 - border, x1 + border, y1 + border)
    if outer.width * outer.height > _MOST_PIXELS:
        return ""
    mupdf = pymupdf.mupdf
    part, picture = (
        pymupdf.Pixmap(pymupdf.csRGB, box, False)  # noqa: FBT003 - their signature
        for box in (inner, outer)
    )
    part.clear_with(255)
    picture.clear_with(255)
    turn = mupdf.FzMatrix(
        place.cos * scale, -place.sin * scale, place.sin * scale, place.cos * scale, 0.0, 0.0
    )
    device = mupdf.fz_new_draw_device(mupdf.FzMatrix(), part.this)
    everywhere = mupdf.FzRect(mupdf.FzRect.Fixed_INFINITE)
    mupdf.fz_run_display_list(drawn.this, device, turn, everywhere, mupdf.FzCookie())
    mupdf.fz_close_device(device)
    picture.copy(part, inner)
    return recogniser.read_words(picture)
