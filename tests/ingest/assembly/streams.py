"""Streams of characters made by hand: level lines on one kind of page, one box a character."""

from __future__ import annotations

import numpy as np

from spanproof.core.geometry import PageFrame, Rect
from spanproof.ingest.assembly.stream import CharStream

SIZE = 10.0
FRAME = PageFrame(view_box=Rect(0, 0, 600, 800), media_box=Rect(0, 0, 600, 800))


def make_stream(
    pages: list[list[str]],
    *,
    synthetic: frozenset[int] = frozenset(),
    vertical: bool = False,
    codes: dict[int, int] | None = None,
) -> CharStream:
    """Pages of lines of text; ``codes`` puts a number in place of the i-th character's."""
    lines = [line for page in pages for line in page]
    points = np.array([ord(char) for line in lines for char in line], np.uint32)
    for index, code in (codes or {}).items():
        points[index] = code
    column: list[int] = []
    row: list[int] = []
    for page in pages:
        for number, line in enumerate(page):
            column.extend(range(len(line)))
            row.extend([number] * len(line))
    x, y = np.array(column, np.float64) * SIZE, 100 + np.array(row, np.float64) * SIZE
    if vertical:
        x = np.full(len(points), 50.0)
    quads = np.array([x, y, x + SIZE, y, x, y + SIZE, x + SIZE, y + SIZE], np.float32)
    return CharStream(
        page_lines=np.array([len(page) for page in pages], np.int64),
        line_length=np.array([len(line) for line in lines], np.int64),
        line_direction=np.tile(
            np.array([0, 1] if vertical else [1, 0], np.float32), (len(lines), 1)
        ),
        line_vertical=np.full(len(lines), vertical),
        points=points,
        synthetic=np.array([i in synthetic for i in range(len(points))], bool),
        invisible=np.zeros(len(points), bool),
        drawn=np.zeros(len(points), bool),
        quads=quads.reshape(8, -1),
        origins=np.array([x, y + 0.8 * SIZE], np.float32).reshape(2, -1),
        sizes=np.full(len(points), SIZE, np.float32),
    )
