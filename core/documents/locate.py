"""A span → its places on its pages, and back: does a given box hold the span?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.geometry import PageFrame, Quad, Rect
    from spanproof.core.span import Span

#: A given box may be this far (points, displayed page) from the glyphs it names.
BOX_MARGIN_POINTS = 2.0
#: The share of the span's glyph centres that a given box must hold.
BOX_SHARE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Locator:
    """A span's place on one page: one quad a run (user space), their hull as displayed."""

    page: int
    page_label: str | None
    span: Span
    quads: tuple[Quad, ...]
    bbox: Rect
    frame: PageFrame


def locate_span(extraction: Extraction, span: Span) -> tuple[Locator, ...]:
    """One locator for each page on which the span has a box; empty where there is no layout."""
    layout = extraction.layout
    if layout is None:
        return ()
    found = []
    for page in extraction.pages_of(span):
        part = span.intersection(page.span)
        quads = layout.quads(part)
        if quads and page.frame is not None:
            found.append(
                Locator(
                    page=page.number,
                    page_label=page.label,
                    span=part,
                    quads=tuple(quads),
                    bbox=page.frame.display_box(quads),
                    frame=page.frame,
                )
            )
    return tuple(found)


def share_inside(extraction: Extraction, span: Span, page: Page, box: Rect) -> float:
    """The share in [0, 1] of the span's glyph centres on a page that a displayed-page box holds."""
    if extraction.layout is None or page.frame is None:
        return 0.0
    centres = extraction.layout.centres(span.intersection(page.span))
    points = [page.frame.user_to_display(point) for point in centres]
    inside = sum(box.contains(point, margin=BOX_MARGIN_POINTS) for point in points)
    return inside / len(points) if points else 0.0
