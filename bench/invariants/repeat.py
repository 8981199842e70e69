"""I4 and I11: reading again gives the same, and a page reads the same by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bench.invariants.finding import Finding, Violation
from bench.invariants.sample import draw_pages

if TYPE_CHECKING:
    from bench.invariants.reader import Reader
    from spanproof.core.documents.document import Extraction, Page
    from spanproof.ingest.limits import Limits

#: Pages that are read by themselves; a shorter document's are all read.
PAGES = 6


def check_i4(first: Extraction, second: Extraction) -> Finding:
    """Two readings of the same bytes have one identity, and one layout besides.

    The readings are the caller's to make: in another process, folder and number of workers.
    """
    broken = []
    if first.extraction_id != second.extraction_id:
        detail = f"{first.extraction_id} the first time, then {second.extraction_id}"
        broken.append(Violation(invariant="I4", detail=detail))
    if first.pages != second.pages:
        broken.append(Violation(invariant="I4", detail="the pages differ"))
    marked = [(each.blocks, each.glyph_texts, each.cell_values) for each in (first, second)]
    if marked[0] != marked[1]:
        broken.append(Violation(invariant="I4", detail="the blocks differ"))
    layouts = [e.layout.to_bytes() if e.layout is not None else b"" for e in (first, second)]
    if layouts[0] != layouts[1]:
        broken.append(Violation(invariant="I4", detail="the layouts differ"))
    return Finding.of("readings", 1, broken, invariant="I4")


def check_i11(
    extraction: Extraction, data: bytes, engine: Reader, limits: Limits, *, most: int = PAGES
) -> Finding:
    """A page that is read alone has the text, the flags and the places that it has among others."""
    broken = []
    numbers = draw_pages(extraction, most, "I11")
    for number in numbers:
        alone = engine.read(extraction.document, data, limits, only=frozenset({number}))
        detail = _differs(extraction, alone, number)
        if detail is not None:
            page = extraction.pages[number - 1]
            broken.append(Violation(invariant="I11", detail=detail, page=number, span=page.span))
    return Finding.of("pages", len(numbers), broken, invariant="I11")


def _differs(together: Extraction, alone: Extraction, number: int) -> str | None:
    ours, theirs = together.pages[number - 1], alone.pages[number - 1]
    text, other = together.text.slice(ours.span), alone.text.slice(theirs.span)
    if text != other:
        at = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), None)
        at = min(len(text), len(other)) if at is None else at
        return f"alone {other[at : at + 20]!r} stands where {text[at : at + 20]!r} did ({at})"
    if _facts(ours) != _facts(theirs):
        return f"alone the page is {_facts(theirs)}, not {_facts(ours)}"
    if together.layout is None or alone.layout is None:
        return None if together.layout is alone.layout else "alone the page has another layout"
    for name in ("left", "right", "flags"):
        mine = getattr(together.layout, name)[ours.span.start : ours.span.end]
        if not np.array_equal(
            mine, getattr(alone.layout, name)[theirs.span.start : theirs.span.end]
        ):
            return f"alone the characters have another {name!r}"
    mine, yours = together.layout.runs_of(ours.span), alone.layout.runs_of(theirs.span)
    for name in ("run_x", "run_y", "run_cos", "run_sin", "run_ascent", "run_descent"):
        column, other_column = getattr(together.layout, name), getattr(alone.layout, name)
        if not np.array_equal(column[mine], other_column[yours]):
            return f"alone the runs have another {name!r}"
    return None


def _facts(page: Page) -> tuple[object, ...]:
    return page.frame, page.label, page.text_source, page.counts, page.status, page.problem
