"""What counts of a recogniser's reading of a line whose glyphs are lost in part."""

from __future__ import annotations

import pytest

from spanproof.ingest.assembly.line_readings import fit_reading, may_be_fitted


def _fit(line: str, reading: str) -> list[tuple[int, int, str]]:
    """The places, and what they show; ``·`` is a lost glyph."""
    cells = ["\ufffd" if character == "·" else character for character in line]
    return [(one.start, one.end, one.glyphs) for one in fit_reading(cells, reading)]


@pytest.mark.parametrize(
    ("line", "reading", "shown"),
    [
        pytest.param("The drug is ··· safe.", "The drug is not safe.", ["not"], id="a word"),
        pytest.param("It is classi·ed so", "It is classified so\n", ["fi"], id="a ligature"),
        pytest.param("·e proportion of", "The proportion of", ["Th"], id="a ligature of two"),
        pytest.param("Felony ·····", "Felony | 40Y ¢\n", ["40Y \ufffd"], id="a symbol stays lost"),
        pytest.param("·0.9393", "—0.9393", ["-"], id="a sign at a number"),
        pytest.param("It pays 1,000· or more", "It pays 1,000% or more", ["%"], id="a unit"),
        pytest.param("the seller·s duty", "the seller’s duty", ["'"], id="an apostrophe"),
        pytest.param("the seller·may not", "the seller may not", [" "], id="a blank"),
        pytest.param("the drug····safe here", "the drug not safe here", [" not "], id="its blanks"),
        pytest.param("paid (···), then", "paid (not), then", ["not"], id="in brackets"),
        pytest.param("It is so·ly e·ective in", "It is sofly effective in", ["f", "ff"], id="two"),
        pytest.param(
            "··, ··· are of the kind", "He, who are of the kind", ["He, who"], id="joined"
        ),
        pytest.param("“It’s ··· so”, he said", '"It\'s not so", he said', ["not"], id="quotes"),
    ],
)
def test_what_stands_at_the_lost_glyphs_is_taken(line: str, reading: str, shown: list[str]) -> None:
    assert [glyphs for *_, glyphs in _fit(line, reading)] == shown


def test_a_reading_is_at_the_lost_glyphs_alone() -> None:
    assert _fit("It is classi·ed as ··· so", "It is classified as not so") == [
        (12, 13, "fi"),
        (19, 22, "not"),
    ]


@pytest.mark.parametrize(
    ("line", "reading"),
    [
        pytest.param("The drug is ··· safe.", "The drug is not sale.", id="another letter"),
        pytest.param("The drug is ··· safe.", "The Drug is not safe.", id="another case"),
        pytest.param("It pays 10 euros ··· more", "It pays 70 euros and more", id="another digit"),
        pytest.param("It pays 10 euros ··· more", "It pays 1O euros and more", id="O for 0"),
        pytest.param("The drug is ··· safe.", "drug is not safe.", id="a word is missing"),
        pytest.param(
            "The drug is ··· safe.", "The drug is not safe. 12", id="words of a neighbour"
        ),
        pytest.param("The drug is ··· safe.", "", id="nothing"),
        pytest.param("The drug is ··· safe.", "The drug is | safe.", id="a rule"),
        pytest.param("The drug is ··· safe.", "The drug is |not safe.", id="a rule at a word"),
        pytest.param("The drug is ··· safe.", "The drug is notwithout safe.", id="too long"),
        pytest.param("The drug is ······ safe.", "The drug is no safe.", id="too short"),
        pytest.param("It is (·····) so now.", "It is never so now.", id="without its brackets"),
        pytest.param("··, ··· are of the kind", "He who are of the kind", id="without its comma"),
        pytest.param("It is classi·ed so", "It is classiverifed so", id="too long for a glyph"),
        pytest.param("Subtotal of all ····· 5", "Subtotal of all ....00 5", id="leaders"),
        pytest.param("Subtotal of all ····· 5", "Subtotal of all eeeee 5", id="leaders as letters"),
        pytest.param("· Assisting in it", "e Assisting in it", id="a bullet"),
        pytest.param("It takes 50 ·g of it", "It takes 50 pg of it", id="a letter of a short word"),
        pytest.param("the sum · of all", "the sum - of all", id="a sign by itself"),
        pytest.param("It has 100· of it", "It has 100¢ of it", id="a symbol"),
        pytest.param("with ··no·· then", "with banonoso then", id="no certain place"),
        pytest.param("is ··", "is so", id="little to compare"),
        pytest.param("It is ··········", "It is completely", id="less than is lost"),
        pytest.param("·········", "The drug", id="nothing to compare"),
        pytest.param("the seller· ", "the seller \n", id="no blank at an end"),
    ],
)
def test_a_reading_that_may_be_nonsense_is_thrown_away(line: str, reading: str) -> None:
    assert _fit(line, reading) == []


def test_lines_that_cannot_be_checked_are_not_read_at_all() -> None:
    lost = "\ufffd"
    assert may_be_fitted([*"The drug is ", lost])
    assert not may_be_fitted([*"The drug is "])
    assert not may_be_fitted([*"is ", lost])
    assert not may_be_fitted([*"It is ", *[lost] * 5])


def test_what_another_reading_tells_of_a_glyph_is_known() -> None:
    cells = ["T", "h", "e", " ", "drug", "", "", "", " ", "\ufffd", "\ufffd", " ", *"safe"]
    (found,) = fit_reading(cells, "The drug is safe")
    assert (found.start, found.end, found.glyphs, found.differs) == (9, 11, "is", False)
    assert fit_reading(cells, "The dog is safe") == []
