"""Every real document of these formats ends in a text that holds together or a named refusal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import ExtractionError
from spanproof.ingest import extract
from tests.ingest.elements.blocks import check, of_kind

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.document import Extraction

#: Of the files of each type: how many are refused at most, and by which words.
REFUSED = {
    "docx": (2, ("got none", "encrypted")),
    "pptx": (2, ("got none",)),
    "xlsx": (2, ("got none", "encrypted")),
    "html": (1, ("NUL at byte",)),
    "htm": (0, ()),
    "eml": (1, ("encrypted",)),
    "msg": (0, ()),
    "csv": (0, ()),
}


def _find(test_data: Path, name: str) -> Extraction:
    path = next((test_data / "documents").rglob(name))
    return extract(path.read_bytes(), filename=name)


@pytest.mark.long
@pytest.mark.parametrize("suffix", list(REFUSED))
def test_real_documents_end_well(test_data: Path, suffix: str) -> None:
    most, words = REFUSED[suffix]
    ends: Counter[str] = Counter()
    for path in sorted((test_data / "documents" / suffix).rglob(f"*.{suffix}")):
        try:
            extraction = extract(path.read_bytes(), filename=path.name)
        except ExtractionError as error:
            message = error.message
            assert any(word in message for word in words), f"{path.name}: {message}"
            ends["refused"] += 1
            continue
        check(extraction)
        ends[max(page.status for page in extraction.pages)] += 1
    assert ends["refused"] <= most
    assert ends["ok"] >= 3 * ends["degraded"]


def test_an_outlook_message_has_its_header_body_and_attachments(test_data: Path) -> None:
    extraction = _find(test_data, "msg_with_attachment.msg")
    assert extraction.text.text == (
        'From: "Alice Example" <alice@example.com>\nTo: Bob Example <bob@example.com>\n'
        "Date: Wed, 20 May 2026 10:30:00 +0000\nSubject: Email with Attachment\n"
        "This email contains an attachment.\ntest.txt\nreport.pdf\f"
    )
    assert of_kind(extraction, "attachment") == ["test.txt", "report.pdf"]
    assert extraction.pipeline.name == "unstructured-msg@0.27.32+canon-1"


def test_a_diagram_that_unstructured_misses_is_read_and_said_to_be_missed(test_data: Path) -> None:
    extraction = _find(test_data, "testEXCEL_diagramData.xlsx")
    assert extraction.text.text == "SmartArt text#1.\nSmartArt text#2.\nSmartArt text#3.\f"
    assert extraction.pages[0].problem == "unstructured finds no element in it."


def test_the_strict_variant_reads_like_the_usual_one(test_data: Path) -> None:
    for name in ("Strict.docx", "testEXCEL.strict.xlsx"):
        extraction = _find(test_data, name)
        assert {page.status for page in extraction.pages} == {"ok"}
