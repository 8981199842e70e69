"""I7 and I8: a span's quads hold the span's glyphs and grow with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bench.invariants.finding import MAX_REPORTED, Finding, Violation
from bench.invariants.origins import OurGlyphs
from bench.invariants.sample import draw_spans
from spanproof.core.documents.layout import QUANTUM, CharFlag
from spanproof.core.documents.locate import locate_span
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.invariants.origins import Ints, Mask
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.layout import Layout
    from spanproof.core.geometry import Quad

SPANS = 60
# Rounding of a quad's corners.
_MARGIN = QUANTUM / 2


def check_i7(extraction: Extraction, *, most: int = SPANS) -> Finding:
    """A span → its quads → the glyphs whose centres they hold: the span's glyphs again.

    More glyphs are explained where they belong to other lines whose boxes overlap the span's, or
    are printed over its own; a glyph of its line besides, or one that is missing, is a violation.
    """
    layout = extraction.layout
    if layout is None or not len(layout.run_start):
        return Finding.none("I7", "spans")
    on_page: dict[int, OurGlyphs] = {}
    counts = {"strict": 0, "explained": 0}
    broken = []
    for span in draw_spans(extraction, most, "I7"):
        words = []
        found = {locator.page: locator.quads for locator in locate_span(extraction, span)}
        for page in extraction.pages_of(span):
            if page.number not in on_page:
                on_page[page.number] = OurGlyphs.of(extraction, layout, page.span)
            # The part is cut here: a locator's own word on what it covers is not taken.
            part = span.intersection(page.span)
            quads = found.get(page.number, ())
            if quads or _owned(on_page[page.number], part).any():
                words.append(_judge(layout, on_page[page.number], part, quads))
        word = next((w for w in words if w not in counts), None)
        if word is not None:
            first = extraction.page_at(span.start).number
            broken.append(Violation(invariant="I7", detail=word, page=first, span=span))
        elif words:
            counts["explained" if "explained" in words else "strict"] += 1
    checked = sum(counts.values()) + len(broken)
    return Finding.of("spans", checked, broken, invariant="I7", counts=counts)


def check_i8(extraction: Extraction, *, most: int = SPANS) -> Finding:
    """Quads are the union of their glyphs, run by run; a longer span's hold a shorter one's.

    Separators have no place.
    """
    layout = extraction.layout
    if layout is None or not len(layout.run_start):
        return Finding.none("I8", "spans")
    spans = draw_spans(extraction, most, "I8")
    separators = np.flatnonzero((layout.flags & np.uint16(CharFlag.SEPARATOR)) != 0)[:MAX_REPORTED]
    broken = []
    for span in spans:
        half = Span(span.start, span.start + (len(span) + 1) // 2)
        for run in layout.runs_of(span):
            whole, part = _reach(layout, run, span), _reach(layout, run, half)
            union = _union(layout, run, span)
            if not _equal(whole, union):
                detail = f"run {run}: quad {whole}, glyphs {union}"
                broken.append(_of(extraction, span, detail))
            if part is not None and (whole is None or not _holds(whole, part)):
                detail = f"run {run}: {whole} does not hold {part} of {half}"
                broken.append(_of(extraction, span, detail))
    broken.extend(
        _of(extraction, Span(offset, offset + 1), "a separator has a place")
        for offset in separators.tolist()
        if locate_span(extraction, Span(offset, offset + 1))
    )
    return Finding.of("spans", len(spans) + len(separators), broken, invariant="I8")


def _judge(layout: Layout, page: OurGlyphs, span: Span, quads: Sequence[Quad]) -> str:
    """``strict``, ``explained``, or what is wrong with the glyphs inside the quads of a span."""
    own = _owned(page, span)
    held = np.zeros(len(page.offset), bool)
    between = 0
    runs = [run for run in layout.runs_of(span) if layout.quad(run, span) is not None]
    if len(runs) != len(quads):
        return f"{len(quads)} quads for {len(runs)} runs"
    for run, quad in zip(runs, quads, strict=True):
        inside = page.glyphs.inside(quad)
        held |= inside
        # On another line: the two overlap. On this line: it is between the span's glyphs.
        of_run = page.run == run
        between += _count_apart(
            layout, page.offset[inside & ~own & of_run], page.offset[own & of_run]
        )
    missing = int((own & ~held).sum())
    if missing:
        return f"{missing} of its {int(own.sum())} glyphs stand outside its quads"
    if between:
        return f"{between} other glyphs of a line stand between its glyphs"
    return "explained" if bool((held & ~own).any()) else "strict"


def _owned(page: OurGlyphs, span: Span) -> Mask:
    owned: Mask = (page.offset >= span.start) & (page.offset < span.end)
    return owned


def _count_apart(layout: Layout, others: Ints, own: Ints) -> int:
    """How many glyphs of a run have their middle on none of the span's glyphs in that run."""
    if not len(others):
        return 0
    own = own[np.argsort(layout.left[own], kind="stable")]
    farthest = np.maximum.accumulate(layout.right[own])
    middles = (layout.left[others].astype(np.float64) + layout.right[others]) / 2
    before = np.searchsorted(layout.left[own], middles, side="right") - 1
    return int(((before < 0) | (farthest[np.maximum(before, 0)] < middles)).sum())


def _reach(layout: Layout, run: int, span: Span) -> tuple[float, float] | None:
    """How far a quad reaches along its run's direction, from the run's origin."""
    quad = layout.quad(run, span)
    if quad is None:
        return None
    x, y = float(layout.run_x[run]) * QUANTUM, float(layout.run_y[run]) * QUANTUM
    cos, sin = float(layout.run_cos[run]), float(layout.run_sin[run])
    (lx, ly), (rx, ry) = quad.ll, quad.lr
    return (lx - x) * cos + (ly - y) * sin, (rx - x) * cos + (ry - y) * sin


def _union(layout: Layout, run: int, span: Span) -> tuple[float, float] | None:
    """From the lowest left edge to the highest right one of the span's glyphs in a run."""
    start = max(span.start, int(layout.run_start[run]))
    end = min(span.end, int(layout.run_end[run]))
    edges = zip(layout.left[start:end].tolist(), layout.right[start:end].tolist(), strict=True)
    boxes = [(low * QUANTUM, high * QUANTUM) for low, high in edges if low != high]
    return (min(low for low, _ in boxes), max(high for _, high in boxes)) if boxes else None


def _holds(outer: tuple[float, float], inner: tuple[float, float]) -> bool:
    return outer[0] <= inner[0] + _MARGIN and inner[1] <= outer[1] + _MARGIN


def _equal(one: tuple[float, float] | None, other: tuple[float, float] | None) -> bool:
    if one is None or other is None:
        return one is other
    return _holds(one, other) and _holds(other, one)


def _of(extraction: Extraction, span: Span, detail: str) -> Violation:
    page = extraction.page_at(span.start).number
    return Violation(invariant="I8", detail=detail, page=page, span=span)
