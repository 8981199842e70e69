"""Page images with highlighted quads, and annotated copies: colour says the outcome.

``Highlight`` is plain; an engine is loaded by the functions only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.errors import ExtractionError, PageNotFoundError
from spanproof.core.geometry import Quad
from spanproof.ingest.engine.protocol import to_png
from spanproof.ingest.media_detection import detect_media_type
from spanproof.ingest.media_type import HEAD_BYTES, PDF

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from spanproof.core.geometry import PageFrame, Point
    from spanproof.ingest.engine.protocol import Drawing, Pixels
    from spanproof.ingest.limits import EngineName

DEFAULT_DPI = 110
#: A page image has at most so many pixels; a larger page is drawn smaller.
MAX_PIXELS = 16_000_000
_LONGEST_SIDE = 20_000

Colour = tuple[int, int, int]
COLOURS: dict[str, Colour] = {
    "pass": (46, 160, 67),
    "review": (227, 160, 8),
    "fail": (218, 54, 51),
    "error": (128, 128, 128),
}
# Paper under a highlight keeps this much of its light; ink stays ink because colours multiply.
_TINT = 0.35
_OUTLINE_PIXELS = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """Quads of one span on one page, in user space, and the outcome that colours them."""

    quads: tuple[Quad, ...]
    outcome: str

    @property
    def colour(self) -> Colour:
        """The outcome's colour; an unknown outcome has the colour of an error."""
        return COLOURS.get(self.outcome, COLOURS["error"])

    def to_json(self) -> dict[str, Any]:
        """The form in which the parser's child gets it."""
        return {"quads": [quad.to_list() for quad in self.quads], "outcome": self.outcome}

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Highlight:
        """Read that form."""
        quads = [list(zip(q[0::2], q[1::2], strict=True)) for q in raw["quads"]]
        return cls(
            quads=tuple(Quad(ul=ul, ur=ur, lr=lr, ll=ll) for ul, ur, lr, ll in quads),
            outcome=raw["outcome"],
        )


def render_page(  # noqa: PLR0913 - what to draw, and how large
    data: bytes,
    page: int,
    highlights: Sequence[Highlight] = (),
    *,
    dpi: int = DEFAULT_DPI,
    strip: float | None = None,
    engine: EngineName = "mupdf",
) -> bytes:
    """A page (from 1) of a PDF as displayed, highlights drawn over it, as PNG bytes.

    With ``strip`` only the band of the page that holds the highlights, and so many points above
    and below it.
    """
    with _open(data, engine) as drawing:
        frame = drawing.frame(_checked(page, drawing.page_count))
        pixels = drawing.draw(page, _scale(frame, dpi))
        height, width = pixels.shape[:2]
        wide, high = frame.display_size
        band: list[float] = []
        for highlight in highlights:
            for quad in highlight.quads:
                shown = [frame.user_to_display(corner) for corner in quad.corners]
                band += [y for _, y in shown]
                _paint(
                    pixels,
                    [(x * width / wide, y * height / high) for x, y in shown],
                    highlight.colour,
                )
        if strip is not None and band:
            scale = height / high
            top = min(max(0, math.floor((min(band) - strip) * scale)), height - 1)
            pixels = pixels[top : max(top + 1, math.ceil((max(band) + strip) * scale))]
        return to_png(pixels)


def annotate_pdf(
    data: bytes,
    highlights_by_page: Mapping[int, Sequence[Highlight]],
    *,
    engine: EngineName = "mupdf",
) -> bytes:
    """A copy of a PDF with a highlight annotation for each highlight, its outcome in the note."""
    with _open(data, engine) as drawing:
        for page, highlights in sorted(highlights_by_page.items()):
            _checked(page, drawing.page_count)
            for highlight in highlights:
                red, green, blue = (value / 255 for value in highlight.colour)
                note = f"outcome: {highlight.outcome}"
                if highlight.quads:
                    drawing.annotate(page, highlight.quads, (red, green, blue), note)
        return drawing.save()


def _open(data: bytes, engine: EngineName) -> AbstractContextManager[Drawing]:
    from spanproof.ingest.engine.choice import load_engine

    if detect_media_type(data[:HEAD_BYTES], None) != PDF:
        msg = "Expected a PDF to draw, got text."
        raise ExtractionError(msg, hint="Only PDFs have page images.")
    return load_engine(engine).open_drawing(data)


def _checked(page: int, pages: int) -> int:
    if not 1 <= page <= pages:
        msg = f"Expected a page from 1 to {pages}, got {page}."
        raise PageNotFoundError(msg, hint="Pages count from 1.")
    return page


def _scale(frame: PageFrame, dpi: int) -> float:
    """Pixels a point: as asked, or fewer where the image would be too large."""
    width, height = (max(side, 1e-3) for side in frame.display_size)
    return min(
        dpi / 72, math.sqrt(MAX_PIXELS / (width * height)), _LONGEST_SIDE / max(width, height)
    )


def _paint(pixels: Pixels, corners: list[Point], colour: Colour) -> None:
    """Multiply a convex quad's inside with a tint and its edge with the colour, in place."""
    height, width = pixels.shape[:2]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    left, right = max(0, math.floor(min(xs)) - 1), min(width, math.ceil(max(xs)) + 2)
    top, bottom = max(0, math.floor(min(ys)) - 1), min(height, math.ceil(max(ys)) + 2)
    if left >= right or top >= bottom:
        return
    across = np.arange(left, right) + 0.5
    down = (np.arange(top, bottom) + 0.5)[:, None]
    area = sum(
        x0 * y1 - x1 * y0
        for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True)
    )
    depth = np.full((bottom - top, right - left), np.inf)
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
        length = math.hypot(x1 - x0, y1 - y0)
        if length > 0:
            inward = ((x1 - x0) * (down - y0) - (y1 - y0) * (across - x0)) / length
            depth = np.minimum(depth, math.copysign(1.0, area) * inward)
    window = pixels[top:bottom, left:right, :3]
    edge = (depth > -_OUTLINE_PIXELS / 2) & (depth < _OUTLINE_PIXELS)
    inside = depth >= _OUTLINE_PIXELS
    full = np.array(colour) / 255
    window[inside] = (window[inside] * (1 - _TINT * (1 - full))).astype(np.uint8)
    window[edge] = (window[edge] * full).astype(np.uint8)
