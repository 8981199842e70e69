"""An old store's chunks get places, or a reason; its old answers get a grade, never a guess."""

from __future__ import annotations

import json
from datetime import date
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from openpyxl import Workbook

from spanproof.core.digest import Digest
from spanproof.core.errors import OutputError
from spanproof.operations.backfill.chunks import MOST_LINE_BYTES, backfill_chunks
from spanproof.operations.backfill.logs import import_logs
from spanproof.operations.documents.find import find
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.documents.references import load_extraction
from spanproof.operations.erasing import erase
from spanproof.operations.errors import UnreadableFileError
from tests.engines import needs_mupdf
from tests.operations.audited import take_document
from tests.pdf_pages import make_pages
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context

TWICE = b"The fee is ten euros. The fee is ten euros. Notice is given in writing.\n"


def write_lines(path: Path, *rows: Any) -> Path:
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def kept(context: Context) -> Context:
    """A PDF and a text; a scripted model judges."""
    take_document(context)
    ingest_stream(
        context,
        [TWICE],
        filename="fees.txt",
        media_type="text/plain",
        doc_id="fees",
        title=None,
    )
    return context


@pytest.mark.long
def test_a_row_of_a_workbook_is_found_as_other_programs_read_it(
    context: Context, tmp_path: Path
) -> None:
    book = Workbook()
    book.active.append(["Rate", 0.125, date(2024, 1, 1)])
    book.active["B1"].number_format, book.active["C1"].number_format = "0.0%", "dd.mm.yyyy"
    stream = BytesIO()
    book.save(stream)
    ingest_stream(
        context,
        [stream.getvalue()],
        filename="a.xlsx",
        media_type=None,
        doc_id="rates",
        title=None,
    )
    chunks = write_lines(
        tmp_path / "chunks.jsonl",
        {"chunk_id": "c1", "doc_id": "rates", "text": "Rate\t0.125\t2024-01-01 00:00:00"},
        {"chunk_id": "c2", "doc_id": "rates", "text": "Rate\t0.126\t2024-01-01 00:00:00"},
    )
    backfill_chunks(context, chunks, tmp_path / "patch.jsonl")
    found, changed = read_rows(tmp_path / "patch.jsonl")
    assert (found["status"], found["folds"]) == ("located", ["cell_value"])
    assert (found["patch"]["char_start"], found["patch"]["char_end"]) == (0, 21)
    assert changed["status"] == "absent"
    (match,) = find(context, "rates", "0.125").matches
    assert (match.text, match.folds) == ("12.5%", ("cell_value",))


def test_every_chunk_gets_its_place_or_the_reason_why_not(kept: Context, tmp_path: Path) -> None:
    doc_hash = str(Digest.of(TWICE))
    erased = [b"Soon gone.\n"]
    ingest_stream(kept, erased, filename=None, media_type="text/plain", doc_id="old", title=None)
    erase(kept, "old", reason="asked for")
    chunks = write_lines(
        tmp_path / "chunks.jsonl",
        {"chunk_id": "c1", "doc_id": "agreement", "text": SENTENCE, "embedding": [0.5]},
        {"chunk_id": "c2", "doc_hash": doc_hash, "text": "Notice is  given\nin writing."},
        b"",
        {"chunk_id": "c3", "doc_id": "fees", "text": "The fee is ten euros."},
        {"chunk_id": "c4", "doc_id": "fees", "text": "The fee is twelve euros. The fee"},
        {"chunk_id": "c5", "doc_id": "fees", "text": "Words that stand in no document."},
        {"chunk_id": "c6", "doc_id": "nobody's", "text": "Notice is given in writing."},
        {"chunk_id": "c7", "doc_id": "old", "text": "Soon gone."},
        {"chunk_id": "c1", "doc_id": "fees", "text": "Notice is given in writing."},
        {"chunk_id": "c8", "doc_id": "fees", "text": "  "},
        {"chunk_id": "c9", "text": "Notice is given in writing."},
        {"chunk_id": 7, "doc_id": "fees", "text": "Notice"},
        b"[1]",
        b'{"chunk_id"',
        b'"' + b"x" * MOST_LINE_BYTES + b'"',
        {"chunk_id": "c10", "doc_id": "fees", "text": "Notice is given in writing."},
    )
    report = backfill_chunks(kept, chunks, tmp_path / "patch.jsonl")
    rows = read_rows(tmp_path / "patch.jsonl")
    assert [(row["chunk_id"], row["status"]) for row in rows] == [
        ("c1", "located"),
        ("c2", "located"),
        ("c3", "ambiguous"),
        ("c4", "altered"),
        ("c5", "absent"),
        ("c6", "unknown_document"),
        ("c7", "unknown_document"),
        ("c1", "malformed"),
        ("c8", "malformed"),
        ("c9", "malformed"),
        (None, "malformed"),
        (None, "malformed"),
        (None, "malformed"),
        (None, "malformed"),
        ("c10", "located"),
    ]
    for row in rows:
        assert (row["patch"] is None) is (row["status"] != "located")
        assert (row["reason"] is None) is (row["status"] == "located")
    first, second, third = rows[:3]
    extraction = kept.store.documents.load_extraction(Digest.parse(first["patch"]["extraction_id"]))
    words = extraction.text.text[first["patch"]["char_start"] : first["patch"]["char_end"]]
    assert words == SENTENCE
    assert first["patch"]["text_sha256"] == str(Digest.of(words.encode()))
    assert (first["patch"]["page_start"], first["patch"]["page_end"]) == (1, 1)
    assert [quad["page"] for quad in first["patch"]["quads"]] == [1]
    assert len(first["patch"]["quads"][0]["points"]) == 8
    assert (second["patch"]["doc_id"], second["patch"]["quads"]) == ("fees", [])
    assert second["folds"] == ["white_space"]
    assert [each["char_start"] for each in third["candidates"]] == [0, 22]
    assert "DOCUMENT_ERASED" in rows[6]["reason"]
    assert report.to_json() == {
        "chunks": 15,
        "located": 3,
        "unlocatable": {
            "absent": 1,
            "altered": 1,
            "ambiguous": 1,
            "malformed": 7,
            "unknown_document": 2,
        },
    }
    assert not report.is_whole


def test_a_chunk_that_cuts_a_word_is_found_and_says_so(context: Context, tmp_path: Path) -> None:
    text = "A storehouse pays 13 % to nobody unable to read all contracts.\n"
    ingest_stream(
        context,
        [text.encode()],
        filename=None,
        media_type="text/plain",
        doc_id="cut",
        title=None,
    )
    told = {
        "storehouse pays": [],
        "house pays": ["SPAN_CUTS_TOKEN"],
        "all contract": ["SPAN_CUTS_TOKEN"],
        "3 % to nobody": ["SPAN_CUTS_TOKEN", "SPAN_CUTS_MEANING"],
        "able to read": ["SPAN_CUTS_TOKEN", "SPAN_CUTS_MEANING"],
    }
    chunks = write_lines(
        tmp_path / "chunks.jsonl",
        *({"chunk_id": quote, "doc_id": "cut", "text": quote} for quote in told),
    )
    backfill_chunks(context, chunks, tmp_path / "patch.jsonl")
    rows = read_rows(tmp_path / "patch.jsonl")
    assert {row["chunk_id"]: row["codes"] for row in rows} == told
    for quote, codes in told.items():
        (match,) = find(context, "cut", quote).to_json()["matches"]
        assert match["codes"] == codes


@needs_mupdf
def test_chunks_of_another_reader_are_found_by_spacing_and_by_the_order_of_lines(
    context: Context, tmp_path: Path
) -> None:
    # Drawn column by column, and told row by row.
    rows = (
        ("Revenue from services", "4,512"),
        ("Cost of materials used", "2,204"),
        ("Staff and other expenses", "1,377"),
        ("Result before taxes", "931"),
    )
    page = [(72.0 + 180 * x, 100.0 + 20 * y, row[x]) for x in (0, 1) for y, row in enumerate(rows)]
    ingest_stream(
        context,
        [make_pages([page])],
        filename="a.pdf",
        media_type=None,
        doc_id="page",
        title=None,
    )
    told = "\n".join(" ".join(row) for row in rows)
    chunks = write_lines(
        tmp_path / "chunks.jsonl",
        {"chunk_id": "spacing", "doc_id": "page", "text": "Sta ff and other expen ses"},
        {"chunk_id": "line_order", "doc_id": "page", "text": told},
        {"chunk_id": "other", "doc_id": "page", "text": told.replace("931", "913")},
    )
    backfill_chunks(context, chunks, tmp_path / "patch.jsonl")
    spaced, ordered, other = read_rows(tmp_path / "patch.jsonl")
    assert (spaced["status"], spaced["folds"]) == ("located", ["spacing"])
    assert (ordered["status"], ordered["folds"]) == ("located", ["line_order"])
    pieces = [(each["char_start"], each["char_end"]) for each in ordered["patch"]["pieces"]]
    extraction = load_extraction(context, "page")
    words = " ".join(extraction.text.text[start:end] for start, end in pieces)
    assert words.split() == told.split()
    assert other["status"] not in {"located", "ambiguous"}


def test_a_patch_is_there_whole_or_not_at_all(kept: Context, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError):
        backfill_chunks(kept, tmp_path / "none.jsonl", tmp_path / "patch.jsonl")
    chunks = write_lines(tmp_path / "chunks.jsonl", {"chunk_id": "c", "text": "x", "doc_id": "d"})
    with pytest.raises(OutputError):
        backfill_chunks(kept, chunks, tmp_path / "nowhere" / "patch.jsonl")
    assert sorted(path.name for path in tmp_path.glob("*.jsonl*")) == ["chunks.jsonl"]


def test_old_logs_are_graded_by_what_they_said_themselves(kept: Context, tmp_path: Path) -> None:
    chunks = write_lines(
        tmp_path / "chunks.jsonl", {"chunk_id": "c1", "doc_id": "agreement", "text": SENTENCE}
    )
    report = backfill_chunks(kept, chunks, tmp_path / "patch.jsonl")
    said = "Defective goods are replaced within four business days [1]."
    known = {"anchor": 1, "chunk_id": "c1"}
    quoted = {"anchor": 1, "doc_id": "agreement", "span": {"text": SENTENCE}}
    unknown = {"anchor": 2, "chunk_id": "gone"}
    old = {"answer": said, "citations": [known], "labels": {"team": "a"}, "answer_id": "old-1"}
    logs = write_lines(
        tmp_path / "logs.jsonl",
        {"answer": said, "citations": [quoted]},
        old | {"retrieved": [{"chunk_id": "c1"}]},
        {"answer": f"{said} And more [2].", "citations": [known, unknown]},
        {"answer": said, "citations": [unknown]},
        {"answer": "Nothing is cited here."},
        {"answer": 7, "citations": [known]},
        {"answer": said, "citations": "all of them"},
        b"not json",
    )
    graded = import_logs(kept, logs, tmp_path / "graded.jsonl", report.placed)
    rows = read_rows(tmp_path / "graded.jsonl")
    assert [(row["line"], row["grade"], row["result"]) for row in rows] == [
        (1, "span", "pass"),
        (2, "chunk", "pass"),
        (3, "part", "fail"),
        (4, "none", None),
        (5, "none", None),
        (6, "none", None),
        (7, "none", None),
        (8, "none", None),
    ]
    assert rows[2]["citations_left_out"] == [2]
    assert rows[3]["citations_left_out"] == [2]
    assert all("MALFORMED_ANSWER" in row["reason"] for row in rows[5:])
    assert graded.to_json() == {
        "logs": 8,
        "grades": {"chunk": 1, "none": 5, "part": 1, "span": 1},
        "results": {"fail": 1, "pass": 2},
    }
    stored = kept.store.answers.load(rows[1]["verification_id"])
    payload = json.loads(stored.raw)
    line = logs.read_bytes().splitlines()[1]
    assert payload["labels"] == {"team": "a", "imported_log_sha256": str(Digest.of(line))}
    assert payload["retrieved"][0]["text"] == SENTENCE
    assert (stored.answer_id, payload["citations"][0]["span"]["text"]) == ("old-1", SENTENCE)
    assert "orphan" in json.dumps(kept.store.answers.load(rows[2]["verification_id"]).block)
