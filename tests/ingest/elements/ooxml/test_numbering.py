"""Numbers of lists as Word makes them."""

from __future__ import annotations

import pytest
from lxml import etree

from spanproof.ingest.elements.ooxml.numbering import Numbering, format_number

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def _numbering(levels: str, more: str = "") -> Numbering:
    xml = (
        f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>'
        f'<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>{more}</w:numbering>'
    )
    return Numbering(etree.fromstring(xml))


def _level(depth: int, text: str, style: str = "decimal", more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{style}"/>'
        f'<w:lvlText w:val="{text}"/>{more}</w:lvl>'
    )


def test_a_level_counts_anew_below_each_number_above_it() -> None:
    numbering = _numbering(_level(0, "%1.") + _level(1, "%1.%2"))
    depths = (0, 1, 1, 0, 1)
    assert [numbering.label("1", depth) for depth in depths] == [
        "1. ", "1.1 ", "1.2 ", "2. ", "2.1 ",
    ]  # fmt: skip


def test_legal_numbering_writes_figures_for_the_levels_above() -> None:
    legal = _level(1, "%1.%2", more="<w:isLgl/>")
    numbering = _numbering(_level(0, "Article %1", "upperRoman") + legal)
    assert [numbering.label("1", depth) for depth in (0, 1)] == ["Article I ", "1.1 "]


def test_a_list_that_starts_again_says_so() -> None:
    restart = (
        '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">'
        '<w:startOverride w:val="5"/></w:lvlOverride></w:num>'
        '<w:num w:numId="3"><w:abstractNumId w:val="0"/></w:num>'
    )
    numbering = _numbering(_level(0, "%1)"), restart)
    found = [numbering.label(one, 0) for one in ("1", "1", "2", "3")]
    assert found == ["1) ", "2) ", "5) ", "6) "]


def test_bullets_have_no_number() -> None:
    numbering = _numbering(_level(0, "\uf0b7", "bullet"))
    assert numbering.label("1", 0) == ""


@pytest.mark.parametrize(
    ("number", "style", "text"),
    [
        (27, "lowerLetter", "aa"),
        (1994, "upperRoman", "MCMXCIV"),
        (7, "decimalZero", "07"),
        (112, "ordinal", "112th"),
        (23, "ordinal", "23rd"),
        (4000, "lowerRoman", "4000"),
        (0, "upperLetter", "0"),
        (3, "cardinalText", "3"),
    ],
)
def test_numbers_are_written_in_the_styles_of_lists(number: int, style: str, text: str) -> None:
    assert format_number(number, style) == text
