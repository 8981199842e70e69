"""The lines of a page and their boxes."""

from __future__ import annotations

from dataclasses import replace

from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.page_lines import lines_of
from spanproof.core.geometry import Rect
from tests.core.documents.layouts import level_layout, two_pages


def test_each_line_has_the_box_of_its_own_letters() -> None:
    extraction = two_pages()
    lines = lines_of(extraction).of_page(extraction, extraction.pages[0])
    assert [extraction.text.slice(line.span) for line in lines] == ["ab cd", "ef"]
    assert [line.box for line in lines] == [
        Rect(100, 92, 150, 102),
        Rect(100, 192, 120, 202),
    ]


def test_a_line_end_of_the_document_inside_a_run_ends_a_line() -> None:
    layout = level_layout([(0, 8, 10_000, 70_000), (9, 11, 10_000, 70_000)], 12)
    flags = layout.flags.copy()
    flags[5] = CharFlag.CONTROL
    extraction = replace(two_pages(), layout=replace(layout, flags=flags))
    lines = lines_of(extraction).of_page(extraction, extraction.pages[0])
    assert [line.box for line in lines] == [
        Rect(100, 92, 150, 102),
        Rect(160, 92, 180, 102),
    ]
