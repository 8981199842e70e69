"""A cell's value has a few ways to be written, and no others."""

from __future__ import annotations

from spanproof.core.documents.text_block import CellValue
from spanproof.core.span import Span


def test_a_cells_value_is_told_raw_as_a_date_and_with_its_time() -> None:
    at = Span(0, 4)
    assert CellValue(span=at, raw="0.125").forms == ("0.125",)
    assert CellValue(span=at, moment="08:30:00").forms == ("08:30:00",)
    assert CellValue(span=at, raw="45292", moment="2024-01-01T00:00:00").forms == (
        "45292",
        "2024-01-01",
        "2024-01-01 00:00:00",
        "2024-01-01T00:00:00",
    )
