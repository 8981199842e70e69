"""Pictures of pages with boxes: polygons in the frame of the displayed page, drawn over its image.

A figure shows a window of the page: the whole of it, or what surrounds the span. Its tools (zoom,
turn, next page) are links to the span's page, so they work without JavaScript.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from spanproof.core.documents.locate import locate_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.api.console.links import Links
    from spanproof.core.citation import ClaimedLocator
    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.geometry import PageFrame, Quad, Rect
    from spanproof.core.span import Span

#: Percent of the width of the figure: 200 shows half of the page's width.
ZOOMS: Final = (100, 150, 200, 300)
TURNS: Final = (0, 90, 180, 270)
#: Points around a span in its crop, and the least width of one: less has no context.
_MARGIN, _LEAST_WIDTH = 24.0, 380.0
#: Height of a crop by its width, so that reason, quote and crop fit one screen.
_CROP_SHAPE = 0.72


class Window(NamedTuple):
    """What of a page is shown, in points: left, top, width, height."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool of a figure: a name for the script, a sign and a label for a reader, an address."""

    name: str
    sign: str
    label: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFigure:
    """One page: its image, its size in points as displayed, and the boxes in the same points.

    ``window`` is what is shown of it, before it is turned by ``turn`` degrees about its middle.
    """

    doc_hash: str
    page: int
    page_label: str | None
    image_url: str
    original_url: str
    width: float
    height: float
    polygons: tuple[str, ...]
    window: Window
    turn: int = 0
    tools: tuple[Tool, ...] = ()
    given: str | None = None

    @property
    def middle(self) -> str:
        """The point about which the page is turned."""
        x, y, width, height = self.window
        return f"{x + width / 2:.2f} {y + height / 2:.2f}"

    @property
    def view_box(self) -> str:
        """The window as SVG writes it; a page on its side is as wide as it was high."""
        x, y, width, height = self.window
        if self.turn % 180:
            x, y = x + (width - height) / 2, y + (height - width) / 2
            width, height = height, width
        return f"{x:.2f} {y:.2f} {width:.2f} {height:.2f}"


class Look(NamedTuple):
    """How to show a page: those of the span without one; ``is_crop``: around the span alone."""

    page: int | None = None
    zoom: int = ZOOMS[0]
    turn: int = 0
    is_crop: bool = False


CROP = Look(is_crop=True)


def draw_figures(
    extraction: Extraction,
    spans: Sequence[Span],
    links: Links,
    *,
    given: ClaimedLocator | None = None,
    look: Look | None = None,
) -> tuple[PageFigure, ...]:
    """A figure for each page with one of the spans, or with the box that the answer gives.

    With a page in ``look`` only that one.
    """
    boxes: dict[int, list[str]] = {}
    for span in spans:
        for locator in locate_span(extraction, span):
            drawn = (_polygon(quad, locator.frame) for quad in locator.quads)
            boxes.setdefault(locator.page, []).extend(drawn)
    if given is not None and given.bbox is not None:
        boxes.setdefault(given.page, [])
    look = look or Look()
    if look.page is not None:
        boxes = {look.page: boxes.get(look.page, [])}
    pages = {page.number: page for page in extraction.pages if page.frame is not None}
    desk = _Desk(extraction, links, spans[0] if spans else None, pages)
    return tuple(
        desk.make_figure(pages[number], tuple(drawn), given, look=look)
        for number, drawn in sorted(boxes.items())
        if number in pages
    )


class _Desk(NamedTuple):
    """What all figures of a span share."""

    extraction: Extraction
    links: Links
    span: Span | None
    pages: dict[int, Page]

    def make_figure(
        self,
        page: Page,
        polygons: tuple[str, ...],
        given: ClaimedLocator | None,
        *,
        look: Look,
    ) -> PageFigure:
        doc_hash = str(self.extraction.document.doc_hash)
        width, height = (0.0, 0.0) if page.frame is None else page.frame.display_size
        is_here = given is not None and given.bbox is not None and given.page == page.number
        outline = _outline(given.bbox) if is_here and given and given.bbox else None
        bounds = _bound((*polygons, outline) if outline else polygons)
        if look.is_crop and bounds is not None:
            window = _crop(bounds, width, height)
        else:
            window = _zoom(bounds, width, height, look.zoom)
        shown = Look(page.number, round(100 * width / window.width) if width else 100, look.turn)
        return PageFigure(
            doc_hash=doc_hash,
            page=page.number,
            page_label=page.label,
            image_url=self.links.page_image(doc_hash, page.number),
            original_url=self.links.original(doc_hash, page.number),
            width=round(width, 2),
            height=round(height, 2),
            polygons=polygons,
            window=window,
            turn=look.turn,
            tools=self.make_tools(shown),
            given=outline,
        )

    def make_tools(self, shown: Look) -> tuple[Tool, ...]:
        """The links that a reader may follow from here; none where there is no span to go to."""
        if self.span is None or shown.page is None:
            return ()
        wider = max((zoom for zoom in ZOOMS if zoom < shown.zoom), default=ZOOMS[0])
        closer = min((zoom for zoom in ZOOMS if zoom > shown.zoom), default=ZOOMS[-1])
        wanted = [
            ("out", "−", "Zoom out", shown._replace(zoom=wider)),
            ("in", "+", "Zoom in", shown._replace(zoom=closer)),
            ("turn", "↻", "Turn the page", shown._replace(turn=(shown.turn + 90) % 360)),
        ]
        fresh = Look(turn=shown.turn)
        if shown.page - 1 in self.pages:
            wanted.append(("previous", "‹", "Previous page", fresh._replace(page=shown.page - 1)))
        if shown.page + 1 in self.pages:
            wanted.append(("next", "›", "Next page", fresh._replace(page=shown.page + 1)))
        return tuple(
            Tool(name=name, sign=sign, label=label, url=self._link(look))
            for name, sign, label, look in wanted
        )

    def _link(self, look: Look) -> str:
        zoom = min(ZOOMS, key=lambda each: abs(each - look.zoom))
        query = {"page": str(look.page), "zoom": str(zoom), "turn": str(look.turn)}
        span = self.span
        assert span is not None  # noqa: S101 - make_tools has looked
        return self.links.span(
            str(self.extraction.document.doc_hash),
            str(self.extraction.extraction_id),
            span.start,
            span.end,
            query,
        )


def _bound(polygons: Sequence[str]) -> Window | None:
    points = [pair.split(",") for polygon in polygons for pair in polygon.split()]
    if not points:
        return None
    across, down = [float(x) for x, _ in points], [float(y) for _, y in points]
    return Window(min(across), min(down), max(across) - min(across), max(down) - min(down))


def _crop(bounds: Window, width: float, height: float) -> Window:
    """The span with some of its surroundings; the top of one that is too high for a screen."""
    wide = min(width, max(_LEAST_WIDTH, bounds.width + 2 * _MARGIN))
    high = min(height, wide * _CROP_SHAPE)
    top = bounds.y - _MARGIN
    if bounds.height + 2 * _MARGIN < high:
        top = bounds.y + bounds.height / 2 - high / 2
    return _shift(Window(bounds.x + bounds.width / 2 - wide / 2, top, wide, high), width, height)


def _zoom(bounds: Window | None, width: float, height: float, zoom: int) -> Window:
    wide, high = width * 100 / zoom, height * 100 / zoom
    x, y = width / 2, height / 2
    if bounds is not None:
        x, y = bounds.x + bounds.width / 2, bounds.y + bounds.height / 2
    return _shift(Window(x - wide / 2, y - high / 2, wide, high), width, height)


def _shift(window: Window, width: float, height: float) -> Window:
    """The window moved as little as keeps it on a page of that size."""
    x = max(0.0, min(window.x, width - window.width))
    return window._replace(x=x, y=max(0.0, min(window.y, height - window.height)))


def _polygon(quad: Quad, frame: PageFrame) -> str:
    return _points([frame.user_to_display(corner) for corner in quad.corners])


def _outline(box: Rect) -> str:
    corners = [(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)]
    return _points(corners)


def _points(corners: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in corners)
