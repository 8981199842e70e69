"""kill -9 at every step of an add, and several writers at once: whole or not at all."""

from __future__ import annotations

import fcntl
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.engine import Engine

from spanproof.core.digest import Digest
from spanproof.core.documents.extraction_record import to_record
from spanproof.core.errors import ConflictError
from spanproof.store.tables import Row
from tests.store.documents.names import history_of
from tests.store.examples import (
    HOUR,
    NOON,
    add,
    add_plain,
    make_block,
    make_laid_out,
    make_payload,
    make_verdict,
    run_in_child,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.synchronize import Barrier

    from spanproof.core.documents.document import Extraction
    from spanproof.store import Store
    from tests.conftest import StorePlace

PDF = b"%PDF-1.7 not really"


class Executioner:
    """Kills this process just before its n-th call that changes a disk or a database."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def count(self, *_: object, **__: object) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def before(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            self.count()
            return real(*given, **named)

        return call

    def watch(self, *, disk: bool = True) -> None:
        """Stand before every step; only ever in a process that is to die."""
        event.listen(Engine, "before_cursor_execute", self.count)
        event.listen(Engine, "commit", self.count)
        if not disk:
            return
        for name in ("open", "write", "fsync", "fchmod"):
            setattr(os, name, self.before(getattr(os, name)))
        for name in ("replace", "mkdir", "unlink"):
            setattr(Path, name, self.before(getattr(Path, name)))
        fcntl.flock = self.before(fcntl.flock)


def count_rows(store: Store) -> dict[str, int]:
    tables = Row.metadata.tables
    counts = [f"(SELECT count(*) FROM {table}) AS {table}" for table in tables]  # noqa: S608 - ours
    with store.database.reading() as session:
        row = session.connection().execute(text(f"SELECT {', '.join(counts)}")).mappings().one()
        return {table: int(row[table]) for table in tables}


def check_whole_or_absent(store: Store, extraction: Extraction) -> bool:
    """Whether the document is there; everything that is there must be whole."""
    record = store.documents.find(str(extraction.document.doc_hash))
    rows = count_rows(store)
    if record is None:
        assert not any(rows.values()), rows
        assert store.documents.find("handbook") is None
        return False
    assert store.documents.read_source(record.document.doc_hash) == PDF
    loaded = store.documents.load_extraction(extraction.extraction_id)
    assert to_record(loaded) == to_record(extraction)
    assert store.documents.find("handbook") == record
    assert (rows["document"], rows["extraction"], rows["document_name"]) == (1, 1, 1)
    return True


def kill_at_every_step(place: StorePlace, *, disk: bool) -> int:
    """Add a document, killed one step later each time; how often it was killed."""
    extraction = make_laid_out(PDF)
    present = False
    killed = 0
    for step in range(1, 200):

        def work(step: int = step) -> None:
            with place.open() as store:
                Executioner(step).watch(disk=disk)
                add(store, extraction, PDF, doc_id="handbook")

        status = run_in_child(work)
        # Open nowhere while a child is forked: SQLite's locks do not outlive a fork.
        with place.open() as store:
            present = check_whole_or_absent(store, extraction)
            assert list((store.home / "blobs" / "staging").iterdir()) == []
        if present:
            break
        assert status == -signal.SIGKILL
        killed += 1
    assert present, "the add must get through once nothing kills it"
    with place.open() as store:
        add(store, extraction, PDF, doc_id="handbook")
        assert check_whole_or_absent(store, extraction)
    return killed


@pytest.mark.long
@pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)
def test_an_add_that_is_killed_at_any_step_is_whole_or_absent_and_the_next_one_works(
    store_place: StorePlace,
) -> None:
    # Four blobs of some nine steps each, then the rows.
    assert kill_at_every_step(store_place, disk=True) >= 40


@pytest.mark.long
@pytest.mark.parametrize("store_place", ["postgresql"], indirect=True)
def test_an_add_that_is_killed_at_any_statement_is_whole_or_absent_and_the_next_one_works(
    store_place: StorePlace,
) -> None:
    # Blobs are written by the same steps as above.
    assert kill_at_every_step(store_place, disk=False) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("store_place", ["postgresql"], indirect=True)
def test_an_add_that_is_killed_at_any_step_is_whole_or_absent_on_postgresql_too(
    store_place: StorePlace,
) -> None:
    assert kill_at_every_step(store_place, disk=True) >= 40


@pytest.mark.long
def test_a_verification_that_is_killed_at_any_step_is_whole_or_absent(
    store_place: StorePlace,
) -> None:
    block = make_block(make_verdict(doc_hash=Digest.of(b"x"), codes=("MOVED",)))

    def keep(store: Store) -> None:
        store.answers.add(
            make_payload(), block, verification_id="v1", answer_id="a1", verified_at=NOON
        )

    killed = 0
    for step in range(1, 50):

        def work(step: int = step) -> None:
            with store_place.open() as store:
                Executioner(step).watch()
                keep(store)

        status = run_in_child(work)
        with store_place.open() as store:
            rows = count_rows(store)
            if rows["verification"]:
                assert store.answers.load("v1").block == block
                assert rows["verdict"] == rows["verdict_code"] == rows["verdict_page"] == 1
                break
            assert not any(rows.values()), rows
        assert status == -signal.SIGKILL
        killed += 1
    assert killed >= 6


def test_a_kill_while_staging_leaves_nothing_after_the_next_opening(
    store_place: StorePlace,
) -> None:
    def work() -> None:
        with store_place.open() as store, store.blobs.stage() as staged:
            staged.write(b"half of a document")
            os.kill(os.getpid(), signal.SIGKILL)

    assert run_in_child(work) == -signal.SIGKILL
    blobs = store_place.home / "blobs"
    assert len(list((blobs / "staging").iterdir())) == 1
    with store_place.open() as store:
        assert [path for path in blobs.rglob("*") if path.is_file()] == []
        assert store.documents.list().items == ()
        add_plain(store, b"half of a document and the other half")


def add_together(place: StorePlace, barrier: Barrier) -> None:
    with place.open() as store:
        barrier.wait()
        for number in range(5):
            add(store, make_laid_out(PDF), PDF, doc_id="handbook", title="Handbook")
            add_plain(store, b"another", doc_id=f"alias {number}")


@pytest.mark.long
def test_processes_that_add_the_same_document_at_once_store_it_once(
    store_place: StorePlace,
) -> None:
    context = get_context("fork")
    barrier = context.Barrier(3)
    writers = [context.Process(target=add_together, args=(store_place, barrier)) for _ in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    with store_place.open() as store:
        rows = count_rows(store)
        assert (rows["document"], rows["extraction"], rows["pipeline"]) == (2, 2, 2)
        assert (rows["document_name"], rows["document_title"]) == (6, 1)
        blobs = [path for path in (store.home / "blobs").rglob("*") if path.is_file()]
        # Source, meta, text and layout of one; source (which is its text) and meta of the other.
        assert len(blobs) == 6
        assert store.documents.read_source(Digest.of(PDF)) == PDF


def test_threads_that_give_one_name_to_many_documents_make_one_history(store: Store) -> None:
    def work(number: int) -> None:
        add_plain(store, str(number).encode(), doc_id="handbook", added_at=NOON + number * HOUR)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(18)))
    history = history_of(store, "handbook")
    assert {name.doc_hash for name in history} == {
        Digest.of(str(number).encode()) for number in range(18)
    }
    moments = [name.since for name in history]
    assert moments == sorted(set(moments), reverse=True)
    newest = store.documents.find("handbook")
    assert newest is not None
    assert newest.document.doc_hash == history[0].doc_hash


def test_threads_that_keep_the_same_verification_keep_it_once(store: Store) -> None:
    def work(number: int) -> bool:
        try:
            store.answers.add(
                make_payload(),
                make_block(make_verdict()),
                verification_id=f"v{number % 4}",
                answer_id="a",
                verified_at=NOON,
            )
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        kept = list(pool.map(work, range(24)))
    assert kept.count(True) == 4
    assert len(store.answers.list().items) == 4


def test_readers_are_not_held_up_by_a_writer(store: Store) -> None:
    add_plain(store, b"there before", doc_id="handbook")
    with store.database.writing("document"):
        assert store.documents.find("handbook") is not None


@pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)
def test_sqlite_is_in_order_after_a_kill(store_place: StorePlace) -> None:
    def work() -> None:
        with store_place.open() as store:
            add_plain(store, b"acknowledged")
            with store.database.writing() as session:
                session.connection().execute(
                    text("INSERT INTO pipeline (pipeline_digest, config_json) VALUES ('half', '')")
                )
                os.kill(os.getpid(), signal.SIGKILL)

    assert run_in_child(work) == -signal.SIGKILL
    with store_place.open() as store:
        assert store.documents.find(str(Digest.of(b"acknowledged"))) is not None
        assert count_rows(store)["pipeline"] == 1
        with store.database.reading() as session:
            assert session.connection().exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
