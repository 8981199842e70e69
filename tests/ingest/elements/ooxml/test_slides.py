"""PPTX: a page a slide, with notes, tables, groups and charts."""

from __future__ import annotations

from typing import Any

import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.ingest.elements.blocks import block_of, of_kind, read, save

AREA = (Inches(1), Inches(1), Inches(4), Inches(2))


def _slide(deck: Any, layout: int = 5, title: str = "Results") -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    slide.shapes.title.text = title
    return slide


def test_every_slide_is_a_page_and_bullets_have_levels() -> None:
    deck = pptx.Presentation()
    body = _slide(deck, 1).placeholders[1].text_frame
    body.text = "Revenue grew"
    inner = body.add_paragraph()
    inner.text, inner.level = "in Europe", 1
    _slide(deck, title="Outlook")
    extraction = read(save(deck), "a.pptx")
    assert extraction.text.text == "Results\nRevenue grew\nin Europe\fOutlook\f"
    assert [(b.kind, b.level, b.place.slide) for b in extraction.blocks if b.place] == [
        ("title", None, 1),
        ("list_item", 1, 1),
        ("list_item", 2, 1),
        ("title", None, 2),
    ]
    assert [page.number for page in extraction.pages] == [1, 2]
    assert extraction.pipeline.name == "unstructured-pptx@0.27.32+canon-1"


def test_notes_follow_their_slide() -> None:
    deck = pptx.Presentation()
    _slide(deck).notes_slide.notes_text_frame.text = "Say it slowly."
    extraction = read(save(deck), "a.pptx")
    assert extraction.text.text == "Results\nSay it slowly.\f"
    block = block_of(extraction, "Say it slowly.")
    assert block.kind == "notes"
    assert block.place is not None
    assert (block.place.slide, block.place.part) == (1, "notes")


def test_tables_and_grouped_shapes_are_read() -> None:
    deck = pptx.Presentation()
    slide = _slide(deck)
    table = slide.shapes.add_table(2, 2, *AREA).table
    for index, text in enumerate(("a", "b", "c", "d")):
        table.cell(index // 2, index % 2).text = text
    group = slide.shapes.add_group_shape().shapes.add_group_shape()
    group.shapes.add_textbox(*AREA).text_frame.text = "in two groups"
    extraction = read(save(deck), "a.pptx")
    assert extraction.text.text == "Results\na\tb\nc\td\nin two groups\f"
    assert of_kind(extraction, "row") == ["a\tb", "c\td"]
    place = block_of(extraction, "d").place
    assert place is not None
    assert place.cell == "B2"


def test_a_chart_shows_its_title_and_the_values_it_was_drawn_from() -> None:
    deck = pptx.Presentation()
    data = CategoryChartData(number_format="0.0%")
    data.categories = ["East", "West"]
    data.add_series("Share", (0.25, 0.751))
    chart = _slide(deck).shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, *AREA, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Share by region"
    extraction = read(save(deck), "a.pptx")
    assert extraction.text.text == ("Results\nShare by region\nEast\tWest\nShare\t25.0%\t75.1%\f")


def test_a_hidden_slide_is_kept_and_flagged_invisible() -> None:
    deck = pptx.Presentation()
    _slide(deck)._element.set("show", "0")
    extraction = read(save(deck), "a.pptx")
    assert extraction.text.text == "Results\f"
    assert extraction.counts.invisible == len("Results")
