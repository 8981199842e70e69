"""The use case behind ``ingest`` and ``PUT /v1/documents``, on real files and the real parser."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import EncryptedDocumentError, UnsupportedMediaTypeError
from spanproof.operations.assembly import open_context
from spanproof.operations.documents.ingest import ingest_file, ingest_stream, walk_paths
from spanproof.operations.documents.stored import list_documents, show_document
from spanproof.operations.errors import DigestMismatchError, DocumentTooLargeError
from spanproof.operations.settings import Settings
from tests import sources

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.operations.context import Context

FIELDS = {
    "path",
    "doc_id",
    "doc_hash",
    "media_type",
    "bytes",
    "extraction_id",
    "extraction_pipeline",
    "text_sha256",
    "characters",
    "pages",
    "text_source",
    "flags",
    "status",
    "problem",
}


def _list_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_pdf_is_kept_with_its_identity(context: Context, tmp_path: Path) -> None:
    content = sources.make_pdf("First page.", "Second page.")
    path = tmp_path / "two.pdf"
    path.write_bytes(content)
    row = ingest_file(context, path).to_json()
    assert set(row) >= FIELDS
    assert row["path"] == str(path)
    assert row["doc_hash"] == row["doc_id"] == str(Digest.of(content))
    assert row["media_type"] == "application/pdf"
    assert row["bytes"] == len(content)
    assert row["pages"] == 2
    assert row["status"] == "ok"
    assert row["problem"] is None
    text = context.store.documents.load_extraction(Digest.parse(row["extraction_id"])).text
    assert row["characters"] == len(text)
    assert row["text_sha256"] == str(text.digest)
    assert context.store.documents.read_source(Digest.of(content)) == content


def test_the_same_bytes_twice_give_the_same_ids_and_store_nothing_twice(
    context: Context, tmp_path: Path
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(sources.make_pdf())
    first = ingest_file(context, path)
    blobs = sorted(_list_files(context.settings.home / "blobs"))
    second = ingest_file(context, path)
    assert first.to_json() == second.to_json()
    assert first.is_new
    assert not second.is_new
    assert sorted(_list_files(context.settings.home / "blobs")) == blobs
    assert len(list_documents(context).documents) == 1


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("locked.pdf", sources.make_encrypted_pdf(), "DOCUMENT_ENCRYPTED"),
        ("empty.pdf", b"", "DOCUMENT_EMPTY"),
        ("pageless.pdf", sources.make_pageless_pdf(), "DOCUMENT_EMPTY"),
        ("broken.pdf", sources.make_broken_pdf(), "DOCUMENT_BROKEN"),
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(64), "UNSUPPORTED_MEDIA_TYPE"),
        ("archive.docx", b"PK\x03\x04" + bytes(64), "UNSUPPORTED_MEDIA_TYPE"),
    ],
)
def test_a_refused_file_leaves_nothing_and_the_next_is_taken(
    context: Context, tmp_path: Path, name: str, content: bytes, code: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    before = sorted(_list_files(context.settings.home / "blobs"))
    row = ingest_file(context, path).to_json()
    assert row["status"] == "refused"
    assert row["problem"]["code"] == code
    assert row["problem"]["hint"]
    assert row["doc_hash"] == str(Digest.of(content))
    assert row["extraction_id"] is None
    assert sorted(_list_files(context.settings.home / "blobs")) == before
    assert list_documents(context).documents == ()
    path.write_bytes(sources.make_pdf())
    assert ingest_file(context, path).status == "ok"


def test_a_scan_is_kept_as_degraded(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(sources.make_scanned_pdf())
    row = ingest_file(context, path).to_json()
    assert row["status"] == "degraded"
    assert row["problem"]["code"] == "NO_TEXT_LAYER"
    assert row["text_source"] == "none"
    assert show_document(context, row["doc_hash"]).to_json()["status"] == "degraded"


def test_a_missing_file_is_a_refusal_not_an_end(context: Context, tmp_path: Path) -> None:
    row = ingest_file(context, tmp_path / "nowhere.pdf").to_json()
    assert row["status"] == "refused"
    assert row["problem"]["code"] == "FILE_UNREADABLE"
    assert row["doc_hash"] is None


def test_a_file_over_the_cap_is_refused(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", max_document_bytes=1000)
    path = tmp_path / "long.txt"
    path.write_bytes(b"x" * 1001)
    with open_context(settings) as context:
        assert ingest_file(context, path).to_json()["problem"]["code"] == "LIMIT_EXCEEDED"
        path.write_bytes(b"x" * 1000)
        assert ingest_file(context, path).status == "ok"


def test_more_pages_than_the_limit_are_refused(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", max_pages=2)
    path = tmp_path / "three.pdf"
    path.write_bytes(sources.make_pdf("a", "b", "c"))
    with open_context(settings) as context:
        assert ingest_file(context, path).to_json()["problem"]["code"] == "LIMIT_EXCEEDED"
        assert list_documents(context).documents == ()


def test_a_stream_raises_what_a_file_reports(context: Context) -> None:
    chunks = [sources.make_encrypted_pdf()]
    with pytest.raises(EncryptedDocumentError):
        ingest_stream(context, chunks, media_type=None, filename=None, doc_id=None)
    assert list_documents(context).documents == ()


def test_a_stream_stops_at_the_cap_before_it_is_whole(tmp_path: Path) -> None:
    given = []

    def chunks() -> Iterator[bytes]:
        for _ in range(1000):
            given.append(1)
            yield b"x" * 400

    with open_context(Settings(home=tmp_path / "home", max_document_bytes=1000)) as context:
        with pytest.raises(DocumentTooLargeError):
            ingest_stream(context, chunks(), media_type=None, filename=None, doc_id=None)
        assert len(given) == 3
        assert _list_files(context.settings.home / "blobs") == []


def test_other_bytes_than_announced_are_refused(context: Context) -> None:
    with pytest.raises(DigestMismatchError):
        ingest_stream(
            context,
            [b"Some words."],
            media_type="text/plain",
            filename=None,
            doc_id=None,
            expected=Digest.of(b"Other words."),
        )
    assert list_documents(context).documents == ()


def test_a_name_and_a_title_are_kept(context: Context) -> None:
    report = ingest_stream(
        context,
        [b"Some ", b"words."],
        media_type="text/plain",
        filename="a.txt",
        doc_id="terms/2026",
        title="Terms",
    )
    assert report.to_json()["doc_id"] == "terms/2026"
    shown = show_document(context, "terms/2026").to_json()
    assert shown["title"] == "Terms"
    assert shown["doc_id"] == "terms/2026"
    assert shown["doc_ids"] == ["terms/2026", shown["doc_hash"]]


@pytest.mark.parametrize(
    ("declared", "kept"),
    [
        ("text/markdown; charset=utf-8", "text/markdown"),
        ("application/x-www-form-urlencoded", "text/plain"),
        (None, "text/plain"),
    ],
)
def test_the_declared_type_chooses_only_among_texts(
    context: Context, declared: str | None, kept: str
) -> None:
    report = ingest_stream(
        context, [b"Some words."], media_type=declared, filename=None, doc_id=None
    )
    assert report.media_type == kept


def test_a_pdf_stays_one_whatever_is_declared(context: Context) -> None:
    report = ingest_stream(
        context, [sources.make_pdf()], media_type="text/plain", filename="a.txt", doc_id=None
    )
    assert report.media_type == "application/pdf"


def test_folders_are_walked_in_order_without_hidden_entries(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/.hidden", ".git/config", "c/d/e.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "away.txt").symlink_to(tmp_path / "b.txt")
    os.mkfifo(tmp_path / "pipe")
    found = [str(path.relative_to(tmp_path)) for path in walk_paths([tmp_path])]
    assert found == ["a/z.txt", "b.txt", "c/d/e.txt"]


def test_a_named_path_is_taken_as_it_is(tmp_path: Path) -> None:
    hidden = tmp_path / ".hidden.txt"
    hidden.write_text("x", encoding="utf-8")
    missing = tmp_path / "missing"
    assert list(walk_paths([hidden, missing])) == [hidden, missing]


def test_an_error_page_sent_as_a_document_is_refused_and_not_kept(context: Context) -> None:
    page = b"<html><title>503</title></html>"
    for declared in ("application/pdf", "image/png", "application/zip"):
        with pytest.raises(UnsupportedMediaTypeError):
            ingest_stream(context, [page], media_type=declared, filename=None, doc_id="contract")
    assert context.store.documents.find("contract") is None
    for said_nothing in (None, "application/octet-stream", "application/x-www-form-urlencoded"):
        kept = ingest_stream(context, [page], media_type=said_nothing, filename=None, doc_id=None)
        assert kept.to_json()["media_type"] == "text/html"
