"""Words of a verification that are written while it is erased go with it."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from spanproof.core.digest import Digest
from spanproof.core.errors import DocumentErasedError
from spanproof.store.indexes import indexes
from tests.store.erasing.test_erasures import SECRET, record, verify
from tests.store.examples import NOON, add, add_plain, add_reanchored, make_laid_out, make_plain
from tests.store.log.samples import make_leaf, open_log

if TYPE_CHECKING:
    from spanproof.store import Store

_WAITING = """SELECT count(*) FROM pg_locks JOIN pg_database ON oid = database
WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()"""


@pytest.mark.parametrize("store_place", ["postgresql"], indirect=True)
def test_a_reanchoring_that_began_before_an_erasure_leaves_no_words(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_plain(store, SECRET, doc_id="secret")
    laid_out = make_laid_out()
    add(store, laid_out, b"%PDF-1.7 not really")
    verify(store, "v1")
    open_log(store).include_all([make_leaf(1)])
    has_looked, erased = threading.Event(), threading.Event()
    find_erased = indexes._find_erased

    def look_and_wait(*given: Any) -> frozenset[str]:
        found = find_erased(*given)
        has_looked.set()
        deadline = time.monotonic() + 60
        # Until the eraser waits for us; if nothing holds it back, until it has erased.
        while not erased.is_set() and not is_waited_for(store):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return found

    def erase() -> int:
        assert has_looked.wait(60)
        record(store, "verification", "v1")
        try:
            return store.erasures.remove("verification", "v1")
        finally:
            erased.set()

    monkeypatch.setattr(indexes, "_find_erased", look_and_wait)
    with ThreadPoolExecutor(1) as pool:
        eraser = pool.submit(erase)
        source = make_plain(SECRET).extraction_id
        assert add_reanchored(store, source, laid_out.extraction_id) == 1
        assert eraser.result(60) == 2
    with store.database.reading() as session:
        (row,) = session.connection().execute(text("SELECT detail_json FROM reanchor")).all()
    assert row.detail_json == "{}"
    assert store.erasures.list_remaining(store.erasures.list()[0]) == ()


@pytest.mark.parametrize(("words", "is_shared"), [("Read anew.", False), ("Of both.", True)])
def test_bytes_that_are_put_while_their_document_is_erased_go_too(
    store: Store, monkeypatch: pytest.MonkeyPatch, words: str, *, is_shared: bool
) -> None:
    secret = str(add_plain(store, SECRET, doc_id="secret").document.doc_hash)
    other = b"Other bytes of the same text.\n"
    add(store, make_plain(other, text="Of both."), other)
    open_log(store).include_all([make_leaf(1)])
    again = make_plain(SECRET, text=words, pipeline="plain@2+canon-1")
    with store.blobs.stage() as staged:
        staged.write(SECRET)
        commit = staged.commit

        def erase_and_commit() -> Digest:
            record(store, "document", secret)
            store.erasures.remove("document", secret)
            return commit()

        monkeypatch.setattr(staged, "commit", erase_and_commit)
        with pytest.raises(DocumentErasedError):
            store.documents.add(again, staged, doc_id=None, title=None, added_at=NOON)
    assert not store.blobs.has(Digest.of(SECRET))
    assert store.blobs.has(again.text.digest) is is_shared
    assert store.erasures.list_remaining(store.erasures.list()[0]) == ()


def is_waited_for(store: Store) -> bool:
    with store.database.reading() as session:
        return bool(session.connection().execute(text(_WAITING)).scalar_one())
