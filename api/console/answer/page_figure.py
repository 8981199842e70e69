"""Page images with boxes: polygons in the frame of the displayed page, drawn over its image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.documents.locate import locate_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.api.console.links import Links
    from spanproof.core.citation import ClaimedLocator
    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.geometry import PageFrame, Quad, Rect
    from spanproof.core.span import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFigure:
    """One page: its image, its size in points as displayed, and the boxes in the same points."""

    doc_hash: str
    page: int
    page_label: str | None
    image_url: str
    original_url: str
    width: float
    height: float
    polygons: tuple[str, ...]
    given: str | None = None


def draw_figures(
    extraction: Extraction,
    spans: Sequence[Span],
    links: Links,
    *,
    given: ClaimedLocator | None = None,
) -> tuple[PageFigure, ...]:
    """A figure for each page with one of the spans, or with the box that the answer gives."""
    polygons: dict[int, list[str]] = {}
    for span in spans:
        for locator in locate_span(extraction, span):
            drawn = (_polygon(quad, locator.frame) for quad in locator.quads)
            polygons.setdefault(locator.page, []).extend(drawn)
    if given is not None and given.bbox is not None:
        polygons.setdefault(given.page, [])
    pages = {page.number: page for page in extraction.pages}
    return tuple(
        _figure(extraction, pages[number], tuple(drawn), given, links)
        for number, drawn in sorted(polygons.items())
        if number in pages and pages[number].frame is not None
    )


def _figure(
    extraction: Extraction,
    page: Page,
    polygons: tuple[str, ...],
    given: ClaimedLocator | None,
    links: Links,
) -> PageFigure:
    doc_hash = str(extraction.document.doc_hash)
    width, height = (0.0, 0.0) if page.frame is None else page.frame.display_size
    is_here = given is not None and given.bbox is not None and given.page == page.number
    return PageFigure(
        doc_hash=doc_hash,
        page=page.number,
        page_label=page.label,
        image_url=links.page_image(doc_hash, page.number),
        original_url=links.original(doc_hash, page.number),
        width=round(width, 2),
        height=round(height, 2),
        polygons=polygons,
        given=_outline(given.bbox) if is_here and given and given.bbox else None,
    )


def _polygon(quad: Quad, frame: PageFrame) -> str:
    return _points([frame.user_to_display(corner) for corner in quad.corners])


def _outline(box: Rect) -> str:
    corners = [(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)]
    return _points(corners)


def _points(corners: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in corners)
