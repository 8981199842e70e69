"""Layouts for tests: level runs drawn by hypothesis, and a document of two pages by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from spanproof.core.digest import Digest
from spanproof.core.documents.document import CharacterCounts, Document, Extraction, Page, Pipeline
from spanproof.core.documents.layout import CharFlag, Layout
from spanproof.core.geometry import PageFrame, Rect
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText

if TYPE_CHECKING:
    from collections.abc import Sequence

FRAME = PageFrame(view_box=Rect(0, 0, 600, 800), media_box=Rect(0, 0, 600, 800))


def level_layout(
    runs: Sequence[tuple[int, int, int, int]], total: int, *, width: int = 1000
) -> Layout:
    """Level runs ``(start, end, x, y)`` whose characters are each ``width`` wide, in quanta."""
    count = len(runs)
    left, right = np.zeros(total, np.int32), np.zeros(total, np.int32)
    flags = np.full(total, CharFlag.SEPARATOR, np.uint16)
    for start, end, _, _ in runs:
        left[start:end] = np.arange(end - start) * width
        right[start:end] = left[start:end] + width
        flags[start:end] = 0

    def column(index: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return np.array([run[index] for run in runs], np.int32)

    return Layout(
        run_start=column(0),
        run_end=column(1),
        run_x=column(2),
        run_y=column(3),
        run_cos=np.ones(count, np.float32),
        run_sin=np.zeros(count, np.float32),
        run_ascent=np.full(count, 800, np.int32),
        run_descent=np.full(count, -200, np.int32),
        left=left,
        right=right,
        flags=flags,
    )


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Any layout that holds together."""
    lengths = draw(st.lists(st.integers(1, 9), max_size=6))
    gaps = draw(st.lists(st.integers(0, 2), min_size=len(lengths) + 1, max_size=len(lengths) + 1))
    runs, at = [], gaps[0]
    for length, gap in zip(lengths, gaps[1:], strict=True):
        runs.append((at, at + length))
        at += length + gap
    count = len(runs)
    number = st.integers(-(2**31), 2**31 - 1)

    def numbers(size: int, values: st.SearchStrategy[int] = number) -> list[int]:
        return draw(st.lists(values, min_size=size, max_size=size))

    angles = np.array(numbers(count, st.integers(0, 359)), np.float64) * np.pi / 180
    edges = np.sort(np.array([numbers(at), numbers(at)], np.int32).reshape(2, at), axis=0)
    return Layout(
        run_start=np.array([s for s, _ in runs], np.int32),
        run_end=np.array([e for _, e in runs], np.int32),
        run_x=np.array(numbers(count), np.int32),
        run_y=np.array(numbers(count), np.int32),
        run_cos=np.cos(angles).astype(np.float32),
        run_sin=np.sin(angles).astype(np.float32),
        run_ascent=np.array(numbers(count), np.int32),
        run_descent=np.array(numbers(count), np.int32),
        left=edges[0].copy(),
        right=edges[1].copy(),
        flags=np.array(numbers(at, st.integers(0, 4095)), np.uint16),
    )


def two_pages() -> Extraction:
    """``ab cd`` and ``ef`` on the first page, ``gh`` on the second; ten points a character."""
    text = "ab cd\nef\fgh\f"
    layout = level_layout(
        [(0, 5, 10_000, 70_000), (6, 8, 10_000, 60_000), (9, 11, 10_000, 70_000)], len(text)
    )
    pages = (
        Page(
            number=1,
            label="i",
            span=Span(0, 9),
            frame=FRAME,
            text_source="born_digital",
            counts=CharacterCounts(characters=9),
        ),
        Page(
            number=2,
            label=None,
            span=Span(9, 12),
            frame=FRAME,
            text_source="born_digital",
            counts=CharacterCounts(characters=3),
        ),
    )
    return Extraction(
        document=Document(
            doc_hash=Digest.of(b"bytes"), media_type="application/pdf", byte_length=5
        ),
        pipeline=Pipeline(name="hand@1", config_json="{}"),
        text=CanonicalText.of(text),
        pages=pages,
        layout=layout,
        originals=((4, 0xD800),),
    )
