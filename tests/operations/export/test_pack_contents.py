"""A pack has everything of its verifications and nothing of others; what is missing is told."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import ExtractionError
from spanproof.ingest.sandbox import Parser
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.export.pack import export_pack
from spanproof.operations.fsck.place import check_place
from spanproof.operations.verification.request import RepairRequest, VerificationRequest
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.export.evidence_pack import parse_manifest
from tests.operations.audited import fill, load_trust, take_document, verify_answer
from tests.operations.export.conftest import list_files
from tests.receipt.export.selecting import find_selected
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context

PNG = b"\x89PNG\r\n\x1a\n"


def test_a_pack_has_everything_and_a_list_of_it(context: Context, tmp_path: Path) -> None:
    first, second, _ = fill(context)
    report = export_pack(context, [first, second, first], tmp_path / "pack")
    files = list_files(tmp_path / "pack")
    assert report.files == len(files)
    assert report.bytes == sum(map(len, files.values()))
    assert report.verifications == (first, second)
    assert (report.missing, report.problems, report.without_receipt) == ((), (), ())
    doc_hash = context.store.documents.list().items[0].document.doc_hash
    source = f"documents/{doc_hash.hex}/source.pdf"
    assert Digest.of(files[source]) == doc_hash
    for verification_id in (first, second):
        stored = context.store.answers.load(verification_id)
        assert files[f"answers/{verification_id}/payload"] == stored.raw
        assert json.loads(files[f"answers/{verification_id}/answer.json"])["verification"] == (
            stored.block
        )
        assert files[f"crops/{verification_id}/verdict-0-page-1.png"].startswith(PNG)
        marked = files[f"marked/{verification_id}/{doc_hash.hex}.pdf"]
        assert marked.startswith(b"%PDF-")
        assert b"/Highlight" in marked
        receipt = context.store.receipts.load(verification_id)
        assert files[f"receipts/{verification_id}.sigstore.json"] == receipt.bundle
        assert files[f"receipts/{verification_id}.tlog-proof"].startswith(b"c2sp.org/tlog-proof@v1")
        for stored_statement in context.log.find_statements(verification_id):
            assert f"statements/{stored_statement.index}.dsse.json" in files
    listed = parse_manifest(files["manifest.json"])
    assert listed.verifications == tuple(sorted((first, second)))
    assert listed.files == {
        path: Digest.of(content)
        for path, content in files.items()
        if path not in {"manifest.json", "manifest.dsse.json"}
    }


def test_other_answers_are_not_in_the_pack(context: Context, tmp_path: Path) -> None:
    wanted, other, _ = fill(context)
    export_pack(context, [wanted], tmp_path / "pack")
    for path, content in list_files(tmp_path / "pack").items():
        assert other not in path
        assert other.encode() not in content, path


def test_a_citation_of_a_document_that_is_not_kept_is_told(
    context: Context, tmp_path: Path
) -> None:
    take_document(context)
    unknown = Digest.of(b"never seen")
    verification_id = verify_answer(context, unknown)
    report = export_pack(context, [verification_id], tmp_path / "pack")
    assert report.missing == (str(unknown),)
    assert str(unknown) in (tmp_path / "pack" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("texts", [[SENTENCE], []], ids=["snippet", "unknown"])
def test_what_was_ingested_later_is_no_document_of_the_pack(
    context: Context, tmp_path: Path, texts: list[str]
) -> None:
    answer = {
        "answer": f"{SENTENCE} [1]. Late goods are free [2].",
        "citations": [
            {"anchor": 1, "doc_id": "terms.txt", "span": {"text": SENTENCE}},
            {"anchor": 2, "doc_hash": str(Digest.of(b"later")), "span": {"text": "later"}},
        ],
        "retrieved": [{"text": text, "doc_id": "terms.txt"} for text in texts],
    }
    verification_id = verify_payload(context, json.dumps(answer).encode()).verification_id
    # The same bytes, another version of the name, and what was cited by its hash.
    for content, name in ((SENTENCE, "terms.txt"), ("Other words.", "terms.txt"), ("later", None)):
        ingest_stream(
            context, [content.encode()], filename="terms.txt", media_type=None, doc_id=name
        )
    report = export_pack(context, [verification_id], tmp_path / "pack")
    assert not [path for path in list_files(tmp_path / "pack") if path.startswith("documents/")]
    page = (tmp_path / "pack" / "index.html").read_text(encoding="utf-8")
    assert "/source." not in page
    assert report.missing == (str(Digest.of(b"later")), "terms.txt")
    assert "which the store did not have then" in page
    assert check_place(str(tmp_path / "pack"), load_trust(context)).outcome.value == "OK"


def test_a_document_that_no_citation_names_is_in_the_pack(context: Context, tmp_path: Path) -> None:
    doc_hash = take_document(context)
    answer = {"answer": "Nothing is cited.", "citations": [], "documents": ["agreement"]}
    verification_id = verify_payload(context, json.dumps(answer).encode()).verification_id
    report = export_pack(context, [verification_id], tmp_path / "pack")
    assert report.missing == ()
    assert f"documents/{doc_hash.hex}/source.pdf" in list_files(tmp_path / "pack")


def test_a_citation_that_was_attached_afterwards_is_in_the_pack(
    context: Context, tmp_path: Path
) -> None:
    doc_hash = take_document(context)
    raw = json.dumps(
        {
            "answer": "The supplier replaces defective goods within four business days.",
            "citations": [],
            "documents": [str(doc_hash)],
        }
    ).encode()
    request = VerificationRequest(repair=RepairRequest(sentences=True))
    verification_id = verify_payload(context, raw, request).verification_id
    block = context.store.answers.load(verification_id).block
    assert block["repair"]["citations"]
    export_pack(context, [verification_id], tmp_path / "pack")
    rows = list(csv.DictReader((tmp_path / "pack" / "verdicts.csv").read_text().splitlines()))
    assert [row["quote"] for row in rows] == [
        each["span"]["text"] for each in block["repair"]["citations"]
    ]
    assert check_place(str(tmp_path / "pack"), load_trust(context)).outcome.value == "OK"


def test_a_verification_from_before_there_were_receipts_says_so(
    context: Context, tmp_path: Path
) -> None:
    first, second = fill(context, 2)
    stored = context.store.answers.load(first)
    context.store.answers.add(
        stored.raw,
        stored.block,
        verification_id="early",
        answer_id="early",
        verified_at=stored.verified_at,
    )
    report = export_pack(context, ["early", second], tmp_path / "pack")
    assert report.without_receipt == ("early",)
    page = (tmp_path / "pack" / "index.html").read_text(encoding="utf-8")
    assert "This verification has no receipt" in page
    assert check_place(str(tmp_path / "pack"), load_trust(context)).outcome.value == "OK"


def test_pages_that_cannot_be_drawn_are_told_and_the_rest_is_there(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (verification_id,) = fill(context, 1)

    def refuse(*_: object, **__: object) -> bytes:
        raise ExtractionError("Expected a page, got none.", hint="Look.")

    monkeypatch.setattr(Parser, "render_page", refuse)
    monkeypatch.setattr(Parser, "annotate_pdf", refuse)
    report = export_pack(context, [verification_id], tmp_path / "pack")
    assert len(report.problems) == 2
    assert "Not drawn" in (tmp_path / "pack" / "index.html").read_text(encoding="utf-8")
    assert check_place(str(tmp_path / "pack"), load_trust(context)).outcome.value == "OK"


@pytest.mark.long
def test_a_real_document_is_packed_and_checked(
    context: Context, tmp_path: Path, test_data: Path
) -> None:
    paths = sorted(
        (test_data / "documents" / "pdf").rglob("*.pdf"), key=lambda path: path.stat().st_size
    )
    for path in paths[len(paths) // 3 :]:
        content = path.read_bytes()
        try:
            report = ingest_stream(
                context, [content], filename=path.name, media_type=None, doc_id=None
            )
        except ExtractionError:
            continue
        assert report.extraction_id is not None
        extraction = context.store.documents.load_extraction(report.extraction_id)
        words = next((w for w in extraction.text.text.split("\n") if len(w.split()) > 8), None)
        if words is None:
            continue
        start = extraction.text.text.index(words)
        span = {"text": words, "char_start": start, "char_end": start + len(words)}
        answer = {
            "answer": f"{words} [1].",
            "citations": [{"anchor": 1, "doc_hash": str(report.doc_hash), "span": span}],
        }
        verification_id = verify_payload(context, json.dumps(answer).encode()).verification_id
        break
    else:
        pytest.fail("Expected a PDF with a line of words in the test data, got none.")
    pack = tmp_path / "pack"
    done = export_pack(context, [verification_id], pack)
    assert (done.missing, done.problems) == ((), ())
    assert list((pack / "crops" / verification_id).iterdir())
    assert check_place(str(pack), load_trust(context)).outcome.value == "OK"
    (item,) = json.loads((pack / "annotations.jsonld").read_bytes())["items"]
    text = (pack / item["target"][0]["source"]["id"]).read_bytes().decode("utf-8")
    assert find_selected(item, text) == words
