"""I15: where the layout puts text, the drawn page has ink, and pdfium reads the same words.

Drawing is the test that knows nothing of our geometry. It is reported, not held to a target: text
may be painted in the paper's own colour, or under something else.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bench.invariants.finding import MAX_REPORTED, Finding, Violation
from bench.invariants.origins import OurGlyphs, read_pdfium
from bench.invariants.sample import draw, draw_pages
from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.match_views import MatchView, to_codes
from spanproof.core.errors import ExtractionError
from spanproof.core.span import Span
from spanproof.ingest.assembly.characters import is_space
from spanproof.ingest.engine.mupdf.documents import open_document
from spanproof.ingest.engine.mupdf.drawing import load_page
from spanproof.ingest.engine.mupdf.frames import to_unrotated
from spanproof.ingest.engine.mupdf.library import library_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.layout import Layout
    from spanproof.core.geometry import PageFrame, Quad
    from spanproof.ingest.engine.protocol import Engine, Pixels

#: Pages that are drawn, and runs of each that are looked at.
PAGES, RUNS = 2, 60
# Pixels a point, and at most so many pixels a page: a larger page is drawn smaller.
_SCALE = 2.0
_MOST_PIXELS = 8_000_000
# What the lightest and the darkest point of a box must differ by, of 255: antialiased hairlines do.
_INK = 16
# Points looked at along and across a box, at most.
_ALONG, _ACROSS = 400, 60
#: Characters that leave no ink of their own.
_INKLESS = (
    CharFlag.INVISIBLE
    | CharFlag.OFFPAGE
    | CharFlag.SYNTHETIC
    | CharFlag.CONTROL
    | CharFlag.ACTUALTEXT
    | CharFlag.IGNORABLE
    | CharFlag.SEPARATOR
)
_SEGMENTS = ("form_field", "annotation")


def check_i15(
    extraction: Extraction, data: bytes, engine: Engine, *, pages: int = PAGES, runs: int = RUNS
) -> Finding:
    """Every visible run's quad has ink on the drawn page; pdfium's words inside are the run's.

    Told apart: runs painted in a colour or opacity that leaves none (``pale``), and of the runs
    whose inside pdfium reads, those that read alike, otherwise, and where it reads nothing.
    """
    layout = extraction.layout
    if layout is None or not len(layout.run_start):
        return Finding.none("I15", "runs")
    counts = {"ink": 0, "pale": 0, "none": 0, "alike": 0, "otherwise": 0, "unread": 0}
    broken = []
    try:
        for number in draw_pages(extraction, pages, "I15"):
            drawn = _draw_runs(extraction, layout, number, runs)
            for span, word in _judge_ink(extraction, data, engine, number, drawn):
                counts[word] += 1
                if word == "none":
                    shown = extraction.text.slice(span)[:24]
                    detail = f"no ink where {shown!r} stands"
                    broken.append(Violation(invariant="I15", detail=detail, page=number, span=span))
            for word in _read(extraction, data, number, drawn):
                counts[word] += 1
    except ExtractionError as error:
        return Finding.skip("I15", "runs", error.message)
    return Finding(
        invariant="I15",
        unit="runs",
        checked=counts["ink"] + counts["pale"] + counts["none"],
        violated=len(broken),
        violations=tuple(broken[:MAX_REPORTED]),
        counts=counts,
    )


def _draw_runs(
    extraction: Extraction, layout: Layout, number: int, most: int
) -> list[tuple[Span, Quad]]:
    """Runs of a page, each cut to what should leave ink: first to last such character."""
    span = extraction.pages[number - 1].span
    codes = to_codes(extraction.text.slice(span))
    inked = (
        ~is_space(codes.astype(np.uint32)) & (layout.left != layout.right)[span.start : span.end]
    )
    inked &= (layout.flags[span.start : span.end] & np.uint16(_INKLESS)) == 0
    for block in extraction.blocks:
        # All that is known of a form field's or a note's text is its rectangle.
        if block.kind in _SEGMENTS and span.contains(block.span):
            inked[block.span.start - span.start : block.span.end - span.start] = False
    found = []
    for run in layout.runs_of(span):
        start, end = int(layout.run_start[run]), int(layout.run_end[run])
        marked = np.flatnonzero(inked[start - span.start : end - span.start])
        if len(marked):
            part = Span(start + int(marked[0]), start + int(marked[-1]) + 1)
            quad = layout.quad(run, part)
            if quad is not None:
                found.append((part, quad))
    if len(found) <= most:
        return found
    chosen = draw(extraction, f"I15:{number}").choice(len(found), most, replace=False)
    return [found[int(index)] for index in sorted(chosen)]


def _judge_ink(
    extraction: Extraction,
    data: bytes,
    engine: Engine,
    number: int,
    drawn: Sequence[tuple[Span, Quad]],
) -> list[tuple[Span, str]]:
    if not drawn:
        return []
    with engine.open_drawing(data) as drawing:
        frame = drawing.frame(number)
        width, height = (max(side, 1.0) for side in frame.display_size)
        scale = min(_SCALE, math.sqrt(_MOST_PIXELS / (width * height)))
        pixels = drawing.draw(number, scale)
    contrasts = [(span, _contrast(pixels, frame, quad)) for span, quad in drawn]
    bare = [span for span, contrast in contrasts if contrast < _INK]
    pale = _find_pale(extraction, data, number, bare) if bare else set()
    return [
        (span, "ink" if contrast >= _INK else "pale" if span in pale else "none")
        for span, contrast in contrasts
    ]


def _contrast(pixels: Pixels, frame: PageFrame, quad: Quad) -> int:
    """How much the points inside a quad differ on the drawn page, in the channel of the most."""
    height, width = pixels.shape[:2]
    wide, high = frame.display_size
    corners = np.array([frame.user_to_display(corner) for corner in quad.corners])
    corners *= (width / max(wide, 1e-9), height / max(high, 1e-9))
    origin, right, down = corners[0], corners[1] - corners[0], corners[3] - corners[0]
    along = np.linspace(0, 1, int(min(_ALONG, 2 + 2 * np.hypot(*right))))
    across = np.linspace(0, 1, int(min(_ACROSS, 2 + 2 * np.hypot(*down))))
    points = origin + along[:, None, None] * right + across[None, :, None] * down
    x, y = points.reshape(-1, 2).T
    shown = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    if not shown.any():
        return 0
    values = pixels[y[shown].astype(int), x[shown].astype(int)].astype(int)
    return int((values.max(axis=0) - values.min(axis=0)).max())


def _find_pale(
    extraction: Extraction, data: bytes, number: int, spans: Sequence[Span]
) -> set[Span]:
    """The spans whose first glyph the page paints white or not opaquely, as MuPDF traces it."""
    layout = extraction.layout
    light: list[tuple[float, float]] = []
    with open_document(data) as opened:
        page, frame = load_page(opened, number)
        try:
            for piece in page.get_texttrace():
                paper = 1 - _INK / 255
                if min(piece["color"], default=0) > paper or piece["opacity"] < 1 - paper:
                    light.extend(char[2] for char in piece["chars"])
        except library_errors():
            return set()
    if not light or layout is None:
        return set()
    places = np.array(light)
    pale = set()
    for span in spans:
        first = OurGlyphs.of(extraction, layout, Span(span.start, span.start + 1)).glyphs
        x, y = to_unrotated(frame, (float(first.x[0]), float(first.y[0])))
        if np.hypot(places[:, 0] - x, places[:, 1] - y).min() < frame.user_unit:
            pale.add(span)
    return pale


def _read(
    extraction: Extraction, data: bytes, number: int, drawn: Sequence[tuple[Span, Quad]]
) -> list[str]:
    """What pdfium reads inside the quads: ``alike``, ``otherwise`` or ``unread``."""
    words = []
    for _, theirs in read_pdfium(data, [number] if drawn else []):
        for span, quad in drawn:
            inside = theirs.inside(quad)
            ours = MatchView.of(extraction.text.slice(span)).text
            read = MatchView.of("".join(map(chr, theirs.codes[inside].tolist()))).text
            words.append("alike" if read == ours else "otherwise" if read else "unread")
    return words
