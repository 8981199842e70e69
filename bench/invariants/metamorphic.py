"""I12 and I13: page display and file encoding do not change text or places."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.invariants.finding import Finding, Violation
from bench.invariants.resave import RESAVES, find_preserved, rotate, scale, shift, write_anew
from bench.invariants.sample import draw_pages
from spanproof.core.digest import Digest
from spanproof.core.documents.layout import QUANTUM
from spanproof.core.errors import ExtractionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.invariants.reader import Reader
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.layout import Layout
    from spanproof.core.span import Span
    from spanproof.ingest.limits import Limits

#: Pages whose entries are changed; a shorter document's are all.
PAGES = 4
#: How far a glyph's corner may move, in user units: four quanta of rounding, and what an engine
#: loses that multiplies thousands of matrices in 32-bit floats (0.064 was met on a drawing).
MOST_MOVED = 0.1
_CHANGES: dict[str, Callable[..., bytes]] = {"turned": rotate, "shifted": shift, "scaled": scale}


def check_i12(
    extraction: Extraction, data: bytes, engine: Reader, limits: Limits, *, most: int = PAGES
) -> Finding:
    """/Rotate, the boxes' origin and /UserUnit leave the text and every glyph's corners alone."""
    numbers = draw_pages(extraction, most, "I12")
    frames = {n: f for n in numbers if (f := extraction.pages[n - 1].frame) is not None}
    if not frames:
        return Finding.none("I12", "pages")
    broken = []
    counts = {"farthest, 1/1000": 0}
    for name, change in _CHANGES.items():
        try:
            changed = change(data, frames)
        except ExtractionError as error:
            return Finding.skip("I12", "pages", error.message)
        other = _read(extraction, changed, engine, limits, frozenset(frames))
        for number in frames:
            detail, moved = _compare(extraction, other, number)
            counts["farthest, 1/1000"] = max(counts["farthest, 1/1000"], round(1000 * moved))
            if detail is not None:
                span = extraction.pages[number - 1].span
                broken.append(
                    Violation(invariant="I12", detail=f"{name}: {detail}", page=number, span=span)
                )
    checked = len(frames) * len(_CHANGES)
    return Finding.of("pages", checked, broken, invariant="I12", counts=counts)


def check_i13(
    extraction: Extraction, data: bytes, engine: Reader, limits: Limits, *, most: int = 200
) -> Finding:
    """A file written anew has another hash and the same text."""
    numbers = draw_pages(extraction, most, "I13")
    only = None if len(numbers) == len(extraction.pages) else frozenset(numbers)
    broken = []
    counts = {"pages": 0, "not written as they were": 0}
    for how in RESAVES:
        try:
            saved = write_anew(data, how)
            other = _read(extraction, saved, engine, limits, only)
            kept = find_preserved(data, saved, numbers)
        except ExtractionError as error:
            return Finding.skip("I13", "files", error.message)
        counts["pages"] += len(kept)
        counts["not written as they were"] += len(numbers) - len(kept)
        for number in sorted(kept):
            ours, theirs = (_page_text(e, number) for e in (extraction, other))
            if ours != theirs:
                span = extraction.pages[number - 1].span
                detail = f"{how}: the page reads {_first_difference(ours, theirs)}"
                broken.append(Violation(invariant="I13", detail=detail, page=number, span=span))
        if saved != data and other.document.doc_hash == extraction.document.doc_hash:
            broken.append(Violation(invariant="I13", detail=f"{how}: other bytes, the same hash"))
        whole = only is None and len(kept) == len(other.pages)
        if whole and not broken and other.text.digest != extraction.text.digest:
            broken.append(Violation(invariant="I13", detail=f"{how}: another text"))
    return Finding.of("files", len(RESAVES), broken, invariant="I13", counts=counts)


def corners(layout: Layout, span: Span) -> np.ndarray[Any, np.dtype[np.float64]]:
    """For each character of a span its box's lower left and upper right; NaN where it has none."""
    found = np.full((len(span), 4), np.nan)
    for run in layout.runs_of(span):
        start = max(span.start, int(layout.run_start[run]))
        end = min(span.end, int(layout.run_end[run]))
        left, right = (c[start:end].astype(np.float64) for c in (layout.left, layout.right))
        low, high = float(layout.run_descent[run]), float(layout.run_ascent[run])
        x, y = float(layout.run_x[run]), float(layout.run_y[run])
        cos, sin = float(layout.run_cos[run]), float(layout.run_sin[run])
        rows = np.stack(
            [
                x + left * cos - low * sin,
                y + left * sin + low * cos,
                x + right * cos - high * sin,
                y + right * sin + high * cos,
            ],
            axis=1,
        )
        rows[left == right] = np.nan
        found[start - span.start : end - span.start] = rows * QUANTUM
    return found


def _read(
    extraction: Extraction,
    data: bytes,
    engine: Reader,
    limits: Limits,
    only: frozenset[int] | None,
) -> Extraction:
    document = replace(extraction.document, doc_hash=Digest.of(data), byte_length=len(data))
    return engine.read(document, data, limits, only=only)


def _compare(ours: Extraction, theirs: Extraction, number: int) -> tuple[str | None, float]:
    """What differs on a page, and how far its glyphs moved at most."""
    text, other = _page_text(ours, number), _page_text(theirs, number)
    if text != other:
        return f"the page reads {_first_difference(text, other)}", 0.0
    if ours.layout is None or theirs.layout is None:
        return None, 0.0
    before = corners(ours.layout, ours.pages[number - 1].span)
    after = corners(theirs.layout, theirs.pages[number - 1].span)
    lost = np.flatnonzero((np.isnan(before) != np.isnan(after)).any(axis=1))
    if len(lost):
        return f"{len(lost)} glyphs have no box any more, or have one now", 0.0
    distances = np.nan_to_num(np.abs(after - before)).max(axis=1, initial=0.0)
    moved = float(distances.max(initial=0.0))
    if moved > MOST_MOVED:
        first = int(distances.argmax())
        return f"{text[first]!r} ({first} on the page) moved by {moved:.3f}", moved
    return None, moved


def _page_text(extraction: Extraction, number: int) -> str:
    if number > len(extraction.pages):
        return ""
    return extraction.text.slice(extraction.pages[number - 1].span)


def _first_difference(ours: str, theirs: str) -> str:
    pairs = zip(ours, theirs, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(ours), len(theirs)))
    return f"{theirs[at : at + 24]!r} where {ours[at : at + 24]!r} stood (at {at})"
