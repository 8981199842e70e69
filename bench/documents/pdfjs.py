"""PDF.js in a headless Chromium: where it puts text, and what it paints.

``make build/pdfjs`` fetches the library; nothing is served from a port and nothing leaves the
machine: every request of the page is answered from that folder.
"""

from __future__ import annotations

import base64
import mimetypes
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Page, Route

    from spanproof.core.geometry import Point, Quad

FOLDER = Path(__file__).parents[2] / "build" / "pdfjs"
_ORIGIN = "http://pdfjs.invalid"
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# The library's own worker, loaded into the page: blocking the page does no harm.
_SCRIPT = """
import * as pdfjs from "/build/pdf.mjs";
import * as worker from "/build/pdf.worker.mjs";
globalThis.pdfjsWorker = worker;
const fonts = { standardFontDataUrl: "/standard_fonts/", cMapUrl: "/cmaps/", wasmUrl: "/wasm/" };
let opened = null;
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const polygon = (context, points) => {
  context.beginPath();
  points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
};
const canvas = (viewport) => {
  const made = document.createElement("canvas");
  made.width = Math.ceil(viewport.width);
  made.height = Math.ceil(viewport.height);
  return made;
};
const span = (places, end) => [
  Math.max(0, Math.floor(Math.min(...places)) - 1),
  Math.min(end, Math.ceil(Math.max(...places)) + 1),
];
const pixels = (made) => made.getContext("2d").getImageData(0, 0, made.width, made.height).data;
const isInk = (data, i) => 0.299 * data[i] + 0.587 * data[i + 1] + 0.114 * data[i + 2] < 160;

globalThis.spanproof = {
  version: pdfjs.version,
  async open(text) {
    if (opened) await opened.destroy();
    opened = await pdfjs.getDocument({ data: bytes(text), ...fonts }).promise;
  },
  async items(number) {
    const page = await opened.getPage(number);
    const content = await page.getTextContent({ disableNormalization: true });
    const viewport = page.getViewport({ scale: 1 });
    return content.items
      .filter((item) => item.str !== undefined)
      .map((item) => {
        const [x, y] = item.transform.slice(4);
        return { text: item.str, user: [x, y], shown: viewport.convertToViewportPoint(x, y) };
      });
  },
  async view(number) {
    const viewport = (await opened.getPage(number)).getViewport({ scale: 1 });
    return { size: [viewport.width, viewport.height], rotation: viewport.rotation };
  },
  async ink(number, quads, scale) {
    const page = await opened.getPage(number);
    const viewport = page.getViewport({ scale });
    const painted = canvas(viewport);
    await page.render({ canvas: painted, viewport, background: "white" }).promise;
    const data = pixels(painted);
    let total = 0;
    for (let i = 0; i < data.length; i += 4) total += isInk(data, i);
    const mask = canvas(viewport);
    const context = mask.getContext("2d", { willReadFrequently: true });
    const counts = quads.map((quad) => {
      const corners = quad.map(([x, y]) => viewport.convertToViewportPoint(x, y));
      context.clearRect(0, 0, mask.width, mask.height);
      polygon(context, corners);
      context.fill();
      // Nothing is marked outside of the box around the corners.
      const [left, right] = span(corners.map(([x]) => x), mask.width);
      const [top, bottom] = span(corners.map(([, y]) => y), mask.height);
      let ink = 0, area = 0;
      if (left >= right || top >= bottom) return { ink, area };
      const marked = context.getImageData(left, top, right - left, bottom - top).data;
      for (let y = top; y < bottom; y += 1) {
        for (let x = left; x < right; x += 1) {
          const at = (y - top) * (right - left) + x - left;
          if (marked[4 * at + 3] < 128) continue;
          area += 1;
          ink += isInk(data, 4 * (y * mask.width + x));
        }
      }
      return { ink, area };
    });
    return { total, counts };
  },
};
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextItem:
    """A run of text as PDF.js reports it: its origin in user space and in the viewport."""

    text: str
    user: Point
    shown: Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """The pixels under one drawn quad, and how many of them are ink."""

    ink: int
    area: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Painting:
    """A rendered page: its ink, and what lies under each quad that was drawn on it."""

    total_ink: int
    highlights: tuple[Highlight, ...]


class Viewer:
    """One page of the browser with PDF.js in it; one document is open at a time."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @property
    def version(self) -> str:
        """The release that runs."""
        return str(self._page.evaluate("spanproof.version"))

    def open(self, data: bytes) -> None:
        """Open a document."""
        self._page.evaluate("text => spanproof.open(text)", base64.b64encode(data).decode())

    def items(self, number: int = 1) -> list[TextItem]:
        """The text items of a page (from 1)."""
        raw = self._page.evaluate("number => spanproof.items(number)", number)
        return [
            TextItem(text=one["text"], user=tuple(one["user"]), shown=tuple(one["shown"]))
            for one in raw
        ]

    def view_size(self, number: int = 1) -> Point:
        """Width and height of the page as shown at scale 1."""
        width, height = self._page.evaluate("number => spanproof.view(number)", number)["size"]
        return float(width), float(height)

    def paint(self, quads: Sequence[Quad], *, number: int = 1, scale: float = 2.0) -> Painting:
        """Render a page and look under each quad, drawn by ``convertToViewportPoint``."""
        given = [[list(corner) for corner in quad.corners] for quad in quads]
        raw = self._page.evaluate(
            "([number, quads, scale]) => spanproof.ink(number, quads, scale)",
            [number, given, scale],
        )
        return Painting(
            total_ink=raw["total"],
            highlights=tuple(Highlight(ink=one["ink"], area=one["area"]) for one in raw["counts"]),
        )


def find_missing() -> str | None:
    """What keeps the viewer from running here, and the remedy; None if it can run."""
    if shutil.which("chromium") is None:
        return "chromium is not installed (Debian: apt-get install chromium)"
    if not (FOLDER / "build" / "pdf.mjs").is_file():
        return "PDF.js is not in build/pdfjs (make build/pdfjs)"
    return None


@contextmanager
def open_viewer() -> Iterator[Viewer]:
    """A viewer in a browser of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=_ARGUMENTS
        )
        page = browser.new_page()
        page.route("**/*", _answer)
        page.goto(f"{_ORIGIN}/")
        page.wait_for_function("globalThis.spanproof !== undefined")
        yield Viewer(page)
        browser.close()


def _answer(route: Route) -> None:
    path = route.request.url.removeprefix(_ORIGIN).partition("?")[0]
    if path == "/":
        html = f'<!doctype html><meta charset="utf-8"><script type="module">{_SCRIPT}</script>'
        route.fulfill(body=html, content_type="text/html")
        return
    file = FOLDER / path.lstrip("/")
    if not route.request.url.startswith(_ORIGIN) or not file.is_file():
        route.abort()
        return
    kind: Any = "text/javascript" if file.suffix == ".mjs" else mimetypes.guess_type(file.name)[0]
    route.fulfill(body=file.read_bytes(), content_type=kind or "application/octet-stream")
