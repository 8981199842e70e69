"""OCR of lines with glyphs without a Unicode value: what is kept beside the text, and what not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from spanproof.core.citation import Quote
from spanproof.core.documents.document import Library, Source
from spanproof.core.documents.layout import CharFlag
from spanproof.core.errors import OcrNotNeededError
from spanproof.core.verdicts.status import ExistenceStatus, Outcome
from spanproof.ingest import extract
from spanproof.ingest.engine.mupdf import lost_lines, pages
from spanproof.ingest.engine.mupdf.library import load_pymupdf
from spanproof.ingest.engine.mupdf.recognition import Recogniser
from spanproof.ingest.limits import OcrChoice
from spanproof.ingest.sandbox import Parser
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.identity.superseded import find_superseding
from spanproof.verifier.policies import load_policy
from spanproof.verifier.quotes.existence import check_existence
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel
from tests.engines import needs_mupdf
from tests.ingest.assembly.streams import make_stream
from tests.ingest.ocr_data import CHOICE, needs_data

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

pytestmark = [needs_mupdf, needs_data]

_DATA = os.environ.get("SPANPROOF_TEST_DATA")
SHOWN = "The drug is not safe for children."
_BESIDE = "Take 25 drops of it every day."


def _draw(
    *,
    rotation: int = 0,
    turn: int = 0,
    lines: int = 1,
    start: tuple[float, float] = (60, 100),
    over: str = "",
    mapped: bool = False,
    blank: bool = False,
) -> bytes:
    """A page whose "not" no font tells; ``over`` is painted on its "safe", and no text.

    Where the font is ``mapped``, its own map tells the word.
    """
    pymupdf = load_pymupdf()
    with pymupdf.open() as document:
        page = document.new_page(width=400, height=400)
        page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("cjk").buffer)
        across, down = {0: (1, 0), 90: (0, -1), 180: (-1, 0), 270: (0, 1)}[turn]
        for row in range(lines):
            x, y = start[0], start[1] + 40 * row
            for text in ("The drug is ", "not", " safe for children."):
                name = "F0" if text == "not" else "helv"
                page.insert_text((x, y), text, fontsize=16, fontname=name, rotate=turn)
                wide = 30 if name == "F0" else pymupdf.get_text_length(text, "helv", 16)
                x, y = x + across * wide, y + down * wide
        page.insert_text((60, 300), _BESIDE, fontsize=16)
        if over:
            with pymupdf.open() as other:
                drawn = other.new_page(width=34, height=20)
                drawn.insert_text((1, 15), over, fontsize=16)
                x = start[0] + 30 + pymupdf.get_text_length("The drug is  ", "helv", 16)
                page.insert_image((x, 85, x + 34, 105), pixmap=drawn.get_pixmap(dpi=150))
        (font, name), *_ = ((f[0], f[3]) for f in page.get_fonts() if f[2] == "Type0")
        document.xref_set_key(font, "ToUnicode", "null")
        if not mapped:
            # Its own map is not believed where another kind of font has the same name.
            twin = page.insert_font(fontname="tiro")
            document.xref_set_key(twin, "BaseFont", f"/{name.replace(' ', '#20')}")
        page.set_rotation(rotation)
        if blank:
            document.new_page(width=400, height=400)
        data: bytes = document.tobytes(deflate=True)
    return data


def _shown(extraction: Extraction) -> list[str]:
    return [one.glyphs for one in extraction.glyph_texts]


def _judge(
    quote: str, *extractions: Extraction
) -> tuple[ExistenceStatus, Outcome, tuple[str, ...]]:
    document = extractions[0].document
    library = Library(sources=(Source(document=document, extractions=extractions),))
    cited = {"anchor": 1, "doc_hash": str(document.doc_hash), "span": {"text": quote}}
    raw = json.dumps({"answer": "The label speaks about it [1].", "citations": [cited]})
    answer, policy = parse_answer(raw.encode()).answer, load_policy("balanced")
    (verdict,) = verify(answer, library, ScriptedModel(), policy, verified_at=MOMENT).verdicts
    return verdict.existence.status, verdict.outcome, verdict.codes


@pytest.fixture(scope="module")
def drawn() -> bytes:
    return _draw()


def test_the_reading_is_kept_beside_the_same_text(drawn: bytes) -> None:
    plain, read = extract(drawn), extract(drawn, ocr=CHOICE)
    assert "\ufffd\ufffd\ufffd" in plain.text.text
    assert plain.glyph_texts == ()
    assert _shown(read) == ["not"]
    assert read.text == plain.text
    assert read.layout is not None
    assert plain.layout is not None
    assert (read.layout.flags == plain.layout.flags).all()
    assert not read.is_ocr
    assert read.pages[0].text_source == "born_digital"


def test_a_quote_of_the_page_is_reviewed_and_any_other_is_not(drawn: bytes) -> None:
    plain, read = extract(drawn), extract(drawn, ocr=CHOICE)
    status, outcome, codes = _judge(SHOWN, read)
    assert (status, outcome) == (ExistenceStatus.FOLD_EQUAL, Outcome.REVIEW)
    assert "LOST_GLYPHS" in codes
    assert _judge(SHOWN, plain)[:2] == (ExistenceStatus.ALTERED, Outcome.FAIL)
    for other in (
        "The drug is now safe for children.",
        "The drug is safe for children.",
        "The drug is not safe for 5 children.",
        "The pill is not safe for children.",
        f"{SHOWN}\nTake 26 drops of it every day.",
    ):
        assert _judge(other, read)[1] is Outcome.FAIL, other


def test_neither_text_replaces_the_other(drawn: bytes) -> None:
    plain, read = extract(drawn), extract(drawn, ocr=CHOICE)
    source = Source(document=plain.document, extractions=(read, plain))
    assert find_superseding(source, plain) is None
    assert find_superseding(source, read) is None
    assert source.find_extraction(None) is read


@pytest.mark.parametrize(
    ("turn", "start"), [(90, (330, 380)), (180, (370, 200)), (270, (330, 60)), (0, (60, 100))]
)
@pytest.mark.parametrize("rotation", [0, 90])
def test_a_line_is_turned_until_it_reads_level(
    turn: int, start: tuple[float, float], rotation: int
) -> None:
    data = _draw(turn=turn, start=start, rotation=rotation)
    assert _shown(extract(data, ocr=CHOICE)) == ["not"]


def test_a_line_that_the_page_shows_otherwise_is_thrown_away() -> None:
    assert _shown(extract(_draw(over="sick"), ocr=CHOICE)) == []
    assert _shown(extract(_draw(over="safe"), ocr=CHOICE)) == ["not"]


def test_a_line_that_reaches_beyond_the_page_is_not_read() -> None:
    assert _shown(extract(_draw(start=(200, 100)), ocr=CHOICE)) == []


def test_lines_and_pixels_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    data = _draw(lines=3)
    assert _shown(extract(data, ocr=CHOICE)) == ["not"] * 3
    monkeypatch.setattr(lost_lines, "_MOST_LINES", 2)
    assert _shown(extract(data, ocr=CHOICE)) == ["not"] * 2
    monkeypatch.setattr(lost_lines, "_MOST_PIXELS", 20_000)
    assert _shown(extract(data, ocr=CHOICE)) == []


class _Undrawn:
    def get_displaylist(self, **_: int) -> None:
        pytest.fail("Expected a page that is not drawn.")


def test_a_column_of_glyphs_is_not_read() -> None:
    stream = make_stream([["The drug is not safe"]], vertical=True, codes={12: 0xFFFD})
    lost = lost_lines.LostLines.of(stream, [])
    assert len(lost.lines) == 1
    assert lost.read(_Undrawn(), cast("Recogniser", None)) == []


def test_a_fault_would_be_that_of_the_page_with_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    monkeypatch.setattr(pages, "report_page", told.append)
    extract(_draw(blank=True), ocr=CHOICE)
    assert told == [1, 2, 1]


def test_ocr_that_fails_costs_the_reading_and_nothing_else(
    drawn: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> str:
        raise RuntimeError

    monkeypatch.setattr(Recogniser, "read_words", fail)
    read = extract(drawn, ocr=CHOICE)
    assert _shown(read) == []
    assert read.layout is not None
    assert not (read.layout.flags & int(CharFlag.INVISIBLE)).any()


def test_a_line_that_the_fonts_own_map_reads_needs_no_ocr() -> None:
    data = _draw(mapped=True)
    assert _shown(extract(data)) == ["not"]
    with pytest.raises(OcrNotNeededError, match="got text on each of 1 page"):
        extract(data, ocr=CHOICE)


def test_lines_are_read_beside_pages_without_text() -> None:
    read = extract(_draw(blank=True), ocr=CHOICE)
    assert _shown(read) == ["not"]
    assert [page.text_source for page in read.pages] == ["born_digital", "none"]


def test_the_caged_parser_reads_the_same(drawn: bytes) -> None:
    with Parser() as parser:
        assert _shown(parser.extract(drawn, ocr=CHOICE)) == ["not"]


@pytest.mark.parametrize(
    ("name", "quote", "others"),
    [
        ("camelot/offense.pdf", "Felony 40Y", ("Felony 45Y", "Felony no 40Y", "Misd. 40Y")),
        (
            "unstructured/embedded-images-tables.pdf",
            "0.0335 0.0409 -0.9393 0.0003",
            ("0.0335 0.0409 -0.9398 0.0003", "0.0335 0.0409 0.9393 0.0003"),
        ),
    ],
)
def test_real_pages_are_read_as_they_are_drawn(
    name: str, quote: str, others: tuple[str, ...]
) -> None:
    path = Path(_DATA or "", "documents", "pdf", name)
    if _DATA is None or not path.is_file():
        pytest.skip(f"needs documents/pdf/{name} in SPANPROOF_TEST_DATA")
    data = path.read_bytes()
    plain, read = extract(data, filename=name), extract(data, filename=name, ocr=OcrChoice())
    assert read.text == plain.text
    existence, codes = check_existence(Quote(text=quote), read, ())
    assert (existence.status, existence.folds) == (ExistenceStatus.FOLD_EQUAL, ("shown_glyphs",))
    assert "LOST_GLYPHS" in codes
    missing = {ExistenceStatus.ALTERED, ExistenceStatus.ABSENT}
    assert check_existence(Quote(text=quote), plain, ())[0].status in missing
    for other in others:
        assert check_existence(Quote(text=other), read, ())[0].status in missing, other


@pytest.mark.long
def test_damaged_pages_keep_what_the_second_engine_reads() -> None:
    path = Path(_DATA or "", "documents", "reported", "455746.pdf")
    if _DATA is None or not path.is_file():
        pytest.skip("needs documents/reported/455746.pdf in SPANPROOF_TEST_DATA")
    data = path.read_bytes()
    plain = extract(data, filename=path.name)
    assert plain.second_readings
    with Parser() as parser:
        for read in (extract(data, ocr=CHOICE), parser.extract(data, ocr=CHOICE)):
            assert read.text == plain.text
            assert read.second_readings == plain.second_readings
