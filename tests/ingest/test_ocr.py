"""OCR as another extraction, of pages that the test drew as pictures: so the words are known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.core.documents.document import Library, Source
from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.locate import locate_span
from spanproof.core.errors import InputError, OcrNotNeededError, OcrUnavailableError
from spanproof.core.span import Span
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest import extract
from spanproof.ingest.engine.mupdf.library import load_pymupdf
from spanproof.ingest.limits import OcrChoice
from spanproof.ingest.ocr import find_tessdata, language_files, tessdata_digest
from spanproof.ingest.sandbox import Parser
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel
from tests.engines import needs_mupdf
from tests.ingest.ocr_data import CHOICE, needs_data
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.document import Extraction

WORDS = "Approved invoices"


pytestmark = [needs_mupdf, needs_data]


def _scan(*, rotation: int = 0, typed: str = "", note: bytes = b"") -> bytes:
    """A page whose picture shows the words upright as displayed; ``typed`` is a page of text."""
    pymupdf = load_pymupdf()
    with pymupdf.open() as drawn:
        page = drawn.new_page(width=400, height=300)
        page.insert_text((60, 100), WORDS, fontsize=28)
        picture = page.get_pixmap(dpi=150)
    with pymupdf.open() as opened:
        size = (400, 300) if rotation in {0, 180} else (300, 400)
        page = opened.new_page(width=size[0], height=size[1])
        page.insert_image(page.rect, pixmap=picture, rotate=rotation, keep_proportion=False)
        page.set_rotation(rotation)
        if typed:
            opened.new_page(width=400, height=300).insert_text((60, 100), typed, fontsize=28)
        if note:
            page.add_freetext_annot((10, 10, 90, 40), note.decode())
        saved: bytes = opened.tobytes()
    return saved


def _box_of(extraction: Extraction, words: str) -> list[float]:
    start = extraction.text.text.index(words)
    (locator,) = locate_span(extraction, Span(start, start + len(words)))
    return locator.bbox.to_list()


@pytest.fixture(scope="module")
def mixed() -> bytes:
    return _scan(typed="Typed text")


def test_pages_without_text_are_read_and_the_others_stay_as_they_are(mixed: bytes) -> None:
    plain, read = extract(mixed), extract(mixed, ocr=CHOICE)
    assert [page.text_source for page in plain.pages] == ["none", "born_digital"]
    assert [page.text_source for page in read.pages] == ["ocr", "born_digital"]
    assert WORDS in read.text.slice(read.pages[0].span)
    assert read.text.slice(read.pages[1].span) == plain.text.slice(plain.pages[1].span)
    assert read.is_ocr
    assert read.text_source == "ocr"
    assert read.layout is not None
    for page, wanted in zip(read.pages, (int(CharFlag.OCR), 0), strict=True):
        flags = read.layout.flags[page.span.start : page.span.end - 1]
        own = flags[(flags & int(CharFlag.SEPARATOR)) == 0]
        assert set((own & int(CharFlag.OCR)).tolist()) == {wanted}
        # Nothing paints recognised text, yet it stands in the picture for all to see.
        assert not (own & int(CharFlag.INVISIBLE)).any()


def test_it_stands_beside_the_first_extraction_and_never_in_its_place(mixed: bytes) -> None:
    plain, read = extract(mixed), extract(mixed, ocr=CHOICE)
    assert read.pipeline.name == f"{plain.pipeline.name}+ocr-eng-150+lost-lines-1"
    assert read.extraction_id != plain.extraction_id
    source = Source(document=plain.document, extractions=(read, plain))
    assert source.find_extraction(None) is plain
    assert source.find_extraction(read.extraction_id) is read


def test_the_identity_names_language_resolution_and_data(mixed: bytes) -> None:
    config = json.loads(extract(mixed, ocr=CHOICE).pipeline.config_json)["ocr"]
    assert config == {
        "engine": "tesseract-in-mupdf",
        "language": "eng",
        "dpi": 150,
        "tessdata_sha256": tessdata_digest(CHOICE),
        "lines": "lost-lines-1",
    }
    assert json.loads(extract(mixed).pipeline.config_json)["ocr"] is None


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_words_stand_where_the_picture_shows_them(rotation: int) -> None:
    read = extract(_scan(rotation=rotation), ocr=CHOICE)
    assert read.pages[0].frame is not None
    assert read.pages[0].frame.rotation == rotation
    x0, y0, x1, y1 = _box_of(read, WORDS)
    assert abs(x0 - 60) < 4
    assert 200 < x1 - x0 < 260
    # The base line is at 100; the letters are 28 points high.
    assert 65 < y0 < 85
    assert 98 < y1 < 112
    assert read.pages[0].counts.offpage == 0


def test_a_citation_is_verified_in_the_extraction_that_it_names() -> None:
    data = _scan()
    plain, read = extract(data), extract(data, ocr=CHOICE)
    library = Library(sources=(Source(document=plain.document, extractions=(read, plain)),))
    cited: dict[str, object] = {
        "anchor": 1,
        "doc_hash": str(plain.document.doc_hash),
        "span": {"text": WORDS},
    }
    found, boxed = [], []
    for more in ({}, {"extraction_id": str(read.extraction_id)}):
        raw = json.dumps({"answer": "They approve invoices [1].", "citations": [cited | more]})
        answer = parse_answer(raw.encode()).answer
        policy = load_policy("balanced")
        block = verify(answer, library, ScriptedModel(), policy, verified_at=MOMENT)
        (verdict,) = block.verdicts
        found.append((verdict.existence.status, "OCR_LAYER" in verdict.codes))
        boxed.append(len(verdict.locator.quads))
    assert found == [(ExistenceStatus.UNVERIFIABLE, False), (ExistenceStatus.EXACT, True)]
    assert boxed == [0, 1]


def test_the_caged_parser_reads_the_same(mixed: bytes) -> None:
    with Parser() as parser:
        caged = parser.extract(mixed, ocr=CHOICE)
    here = extract(mixed, ocr=CHOICE)
    assert caged.text == here.text
    assert caged.pipeline.config_json == here.pipeline.config_json


def test_an_annotation_is_read_as_text_and_not_recognised_again() -> None:
    read = extract(_scan(note=b"remark"), ocr=CHOICE)
    assert read.text.text.count("remark") == 1
    (block,) = read.blocks
    assert read.layout is not None
    assert not read.layout.any_flag(block.span, CharFlag.OCR)


def test_a_document_with_text_on_every_page_is_refused() -> None:
    data = build_pdf(PageSpec(content=text_at(72, 700, "Text")))
    with pytest.raises(OcrNotNeededError, match="got text on each of 1 page") as refused:
        extract(data, ocr=CHOICE)
    assert refused.value.hint


def test_a_page_too_large_to_draw_costs_the_page_and_not_the_document() -> None:
    huge = build_pdf(PageSpec(), inherited=b"/MediaBox[0 0 14000 14000]")
    read = extract(huge, ocr=OcrChoice(dpi=300))
    assert read.pages[0].status == "degraded"
    assert "pixels" in (read.pages[0].problem or "")
    assert read.pages[0].text_source == "none"


def test_missing_language_data_is_named_with_its_package(tmp_path: Path) -> None:
    scan = build_pdf(PageSpec())
    for choice in (OcrChoice(tessdata=str(tmp_path)), OcrChoice(language="xyz")):
        with pytest.raises(OcrUnavailableError) as refused:
            extract(scan, ocr=choice)
        assert f"tesseract-ocr-{choice.language}" in refused.value.hint


def test_a_named_folder_is_never_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    with pytest.raises(OcrUnavailableError):
        find_tessdata(OcrChoice())
    monkeypatch.delenv("TESSDATA_PREFIX")
    (source,) = language_files(OcrChoice(), find_tessdata(OcrChoice()))
    (tmp_path / source.name).write_bytes(source.read_bytes())
    assert find_tessdata(OcrChoice(tessdata=str(tmp_path))) == tmp_path


def test_the_digest_is_that_of_the_language_data(tmp_path: Path) -> None:
    first = tmp_path / "eng.traineddata"
    first.write_bytes(b"one")
    choice = OcrChoice(tessdata=str(tmp_path))
    before = tessdata_digest(choice)
    first.write_bytes(b"two, longer")
    assert tessdata_digest(choice) != before
    (tmp_path / "deu.traineddata").write_bytes(b"one")
    both = tessdata_digest(OcrChoice(language="eng+deu", tessdata=str(tmp_path)))
    assert both not in {before, tessdata_digest(choice)}


def test_a_choice_that_is_none_is_refused() -> None:
    for fields in ({"dpi": 10}, {"language": "../eng"}):
        with pytest.raises(InputError):
            OcrChoice(**fields)
