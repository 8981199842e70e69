"""Encrypted documents: bytes, text and layout have a key each; erasing destroys the keys first."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from spanproof.core.digest import Digest
from spanproof.core.errors import (
    BlobDigestMismatchError,
    ContentKeyMissingError,
    DocumentErasedError,
    KeyUnavailableError,
)
from spanproof.operations.assembly import open_context
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.erasing import erase
from spanproof.operations.fsck.report import FsckOptions
from spanproof.operations.fsck.store import check_store
from spanproof.operations.keeping.words import set_words
from spanproof.store.blobs.staging import to_blob_path
from spanproof.store.sealing.document_blobs import SealedBlobRow
from tests.operations.audited import codes, take_document, verify_answer
from tests.sources import make_pdf

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.store.home import Store

NOW = datetime.now(UTC)
SENTENCE = "The xylophone of the buyer is repaired within four business days of its arrival."
PAGE = f"<html><body><p>{SENTENCE}</p></body></html>".encode()


def take(context: Context, content: bytes = PAGE) -> Digest:
    report = ingest_stream(
        context, [content], media_type="text/html", filename="a.html", doc_id=None
    )
    assert report.doc_hash is not None
    return report.doc_hash


def list_blobs(context: Context) -> dict[str, bytes]:
    folder = context.settings.home / "blobs"
    return {path.name: path.read_bytes() for path in folder.glob("??/*")}


def find_names(context: Context) -> list[str]:
    return [each.subject for each in context.store.content_keys.list_all()]


def read_text(store: Store, doc_hash: Digest) -> str:
    (extraction_id,) = store.documents.extractions_of(doc_hash)
    return store.documents.load_extraction(extraction_id).text.text


def test_a_document_is_read_with_its_keys_and_never_again_without(kept_context: Context) -> None:
    context, store = kept_context, kept_context.store
    plain = take_document(context)
    set_words(context, "encrypted", now=NOW)
    before = list_blobs(context)
    doc_hash = take(context)
    added = {name: each for name, each in list_blobs(context).items() if name not in before}
    # Source, text, layout and record, each with a key of its own, under names that tell nothing.
    assert len(added) == len(find_names(context)) == 4
    assert doc_hash.hex not in added
    for content in added.values():
        assert b"xylophone" not in content
        assert b"business days" not in content
    assert any(b"business days" in each for each in before.values())
    assert store.documents.read_source(doc_hash) == PAGE
    assert SENTENCE in read_text(store, doc_hash)
    assert store.texts.find_holder(SENTENCE) is None
    # The same document again keeps nothing, and neither does one that is there readable.
    take(context)
    take_document(context)
    assert len(list_blobs(context)) == len(before) + 4
    assert store.documents.read_source(plain) == make_pdf()
    cited = verify_answer(context, doc_hash)
    assert codes(check_store(context, None, FsckOptions(with_signatures=True))) == []
    # Turned off, it stays encrypted: a readable copy would outlive the key.
    set_words(context, "kept", now=NOW)
    take(context)
    assert len(list_blobs(context)) == len(before) + 4

    keys = store.content_keys.list_all()
    erase(context, str(doc_hash), reason="asked for")
    assert {each.kind for each in store.content_keys.list_all()} == {"verification"}
    assert set(list_blobs(context)) == set(before)
    with pytest.raises(DocumentErasedError):
        store.documents.read_source(doc_hash)
    # What an old copy of the folder has, in the hands of who has today's database and key.
    for content in added.values():
        store.blobs.put(content)
    for name in (each.subject for each in keys if each.kind == "blob"):
        assert not store.content_keys.has("blob", name)
    assert codes(check_store(context, None, with_log=False)) == ["ERASURE_UNDONE"]
    assert cited in store.answers.list_ids()


def test_a_lost_key_an_altered_blob_and_a_shared_text(context: Context) -> None:
    store = context.store
    set_words(context, "encrypted", now=NOW)
    doc_hash = take(context)
    keys = store.content_keys.list_all()
    store.content_keys.destroy("blob", find_names(context))
    with pytest.raises(ContentKeyMissingError):
        store.documents.read_source(doc_hash)
    assert "CONTENT_KEY_MISSING" in codes(check_store(context, None, with_log=False))
    # Its bytes at hand make it whole again, under new keys; the old ones open nothing that counts.
    take(context)
    assert store.documents.read_source(doc_hash) == PAGE
    assert not {each.subject for each in keys} & set(find_names(context))
    assert codes(check_store(context, None, with_log=False)) == []

    # Another page of the same text shares its blob: it stays, with its key.
    other = take(context, PAGE.replace(b"<body>", b"<body><!-- a copy -->"))
    erase(context, str(doc_hash), reason="asked for")
    assert SENTENCE in read_text(store, other)
    assert codes(check_store(context, None, with_log=False)) == []
    erase(context, str(other), reason="asked for")
    assert find_names(context) == []

    left = take(context, b"<html><body><p>Another one.</p></body></html>")
    with store.database.reading() as session:
        row = session.exec(select(SealedBlobRow).where(SealedBlobRow.digest == str(left))).one()
    path = to_blob_path(context.settings.home / "blobs", Digest.parse(row.sealed_digest))
    content = path.read_bytes()
    path.chmod(0o600)
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(BlobDigestMismatchError):
        store.documents.read_source(left)


def test_without_the_key_that_wraps_nothing_is_kept(context: Context) -> None:
    set_words(context, "encrypted", now=NOW)
    (context.settings.home / "keys" / "content.pem").unlink()
    with open_context(context.settings) as other:
        before = list_blobs(other)
        with pytest.raises(KeyUnavailableError):
            take(other)
        assert list_blobs(other) == before
