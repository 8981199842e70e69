"""Words that a file draws in pieces, with blanks that no page shows, and blanks that one shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.span import Span
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest import extract
from spanproof.verifier.quotes.existence import find_quote
from spanproof.verifier.quotes.on_page.touching import find_unseen
from spanproof.verifier.support.premise import Premise
from tests.builders import make_extraction
from tests.ingest.drawn_pdf import ADVANCE, show, write_pdf
from tests.ingest.pdf_bytes import PageSpec

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

SIZE = 10.0
GLYPH = ADVANCE * SIZE
LEFT, BASE = 60.0, 400.0
NOT_FOUND = {ExistenceStatus.ALTERED, ExistenceStatus.ABSENT}


def _draw(*pieces: str, apart: float = 0.0, raised: float = 0.0, blank_at: float = -2.0) -> bytes:
    """Pieces drawn behind each other on one line, an unpainted blank after each of them.

    ``apart`` is the room before each further piece in points, ``raised`` how much higher it stands,
    ``blank_at`` how many glyphs behind the end of the piece its blank begins.
    """
    x, y, content = LEFT, BASE, b""
    for piece in pieces:
        content += b"0 Tr\n" + show(piece, x, y, size=SIZE)
        x, y = x + GLYPH * len(piece) + apart, y + raised
        content += b"3 Tr\n" + show(" ", x - apart + blank_at * GLYPH, y, size=SIZE)
    return write_pdf(PageSpec(content=content))


def _read(data: bytes) -> Extraction:
    return extract(data, filename="pieces.pdf")


@pytest.mark.parametrize(
    ("pieces", "quote"),
    [
        (("TDRs m", "ay have m", "any types"), "TDRs may have many types"),
        (("this is n", "ot a t", "able"), "this is not a table"),
        (("the a", "typical case"), "the atypical case"),
        (("we in", "valid", "ate it"), "we invalidate it"),
    ],
)
def test_a_word_drawn_in_pieces_is_one_word(pieces: tuple[str, ...], quote: str) -> None:
    extraction = _read(_draw(*pieces))
    assert quote not in extraction.text.text
    existence = find_quote(quote, extraction)
    assert existence.status is ExistenceStatus.FOLD_EQUAL
    assert "spacing" in existence.folds
    assert set(existence.folds) <= {"spacing", "white_space"}


@pytest.mark.parametrize(
    "drawn",
    [
        pytest.param(_draw("the a", "typical case", apart=1.0), id="a narrow gap"),
        pytest.param(_draw("the a", "typical case", apart=-1.0), id="letters over each other"),
        pytest.param(_draw("the a", "typical case", raised=2.0), id="another baseline"),
        pytest.param(_draw("the a", "typical case", blank_at=0.0), id="a blank behind the letter"),
        pytest.param(_draw("the a ", "typical case"), id="a blank that is shown"),
    ],
)
def test_white_space_that_may_be_shown_stays(drawn: bytes) -> None:
    assert find_quote("the atypical case", _read(drawn)).status in NOT_FOUND


def test_a_number_in_pieces_stays_in_pieces() -> None:
    # What touches it may be another cell: a figure is never put together.
    extraction = _read(_draw("pays 1", "23 euros"))
    assert find_quote("pays 123 euros", extraction).status in NOT_FOUND


def test_a_word_that_the_page_lacks_is_not_found_among_pieces() -> None:
    extraction = _read(_draw("it will d", "iffer from t", "he terms"))
    assert find_quote("it will not differ from the terms", extraction).status in NOT_FOUND


def test_a_premise_is_read_as_the_page_shows_it() -> None:
    extraction = _read(_draw("TDRs m", "ay have m", "any types"))
    span = extraction.pages[0].span
    premise = Premise.of_span(extraction, span)
    assert premise.text.split() == ["TDRs", "may", "have", "many", "types"]
    assert premise.read_lines().split() == premise.text.split()
    start = premise.text.index("may")
    place = premise.locate_in_document(Span(start, start + 3), 0)
    assert place is not None
    assert extraction.text.slice(place) == "m\n ay"


def test_a_premise_keeps_the_white_space_that_may_be_shown() -> None:
    extraction = _read(_draw("the a", "typical case", apart=1.0))
    premise = Premise.of_span(extraction, extraction.pages[0].span)
    assert premise.text.split() == ["the", "a", "typical", "case"]


def test_what_is_unseen_lies_inside_the_span() -> None:
    extraction = _read(_draw("TDRs m", "ay have m", "any types"))
    text = extraction.text.text
    whole = find_unseen(extraction, extraction.pages[0].span)
    assert [text[one.start - 1 : one.end + 1] for one in whole] == ["m\n a", "m\n a"]
    assert find_unseen(extraction, Span(whole[0].start, whole[1].end)) == ()
    assert find_unseen(make_extraction("a b"), Span(0, 3)) == ()
