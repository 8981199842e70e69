# ruff: noqa: S608 - the tables' names are our own
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from spanproof.core.digest import Digest
from spanproof.core.errors import (
    ConflictError,
    DocumentErasedError,
    InputError,
    NotFoundError,
    VerificationErasedError,
)
from spanproof.store.erasing.refusal import ErasureRecord
from tests.store.examples import (
    NOON,
    add,
    add_plain,
    make_block,
    make_laid_out,
    make_payload,
    make_plain,
    make_verdict,
)
from tests.store.log.samples import make_leaf, open_log
from tests.store.samples import examples as sampled
from tests.store.samples.examples import make_new, make_outcome, submit

if TYPE_CHECKING:
    from spanproof.store import Store

SECRET = b"The first xylograph sentence.\n"


def verify(store: Store, verification_id: str, source: bytes = SECRET) -> None:
    verdict = make_verdict(
        doc_hash=Digest.of(source), extraction_id=make_plain(source).extraction_id
    )
    store.answers.add(
        make_payload(answer="A xylograph answer [1]."),
        make_block(verdict),
        verification_id=verification_id,
        answer_id="a",
        verified_at=NOON,
    )


def record(store: Store, kind: str, subject: str) -> None:
    store.erasures.record(
        ErasureRecord(
            kind=kind,  # type: ignore[arg-type] # as the row has it
            subject=subject,
            origin="log.example.com",
            index=0,
            reason="asked for",
            erased_at=NOON,
        )
    )


def test_what_is_erased_is_gone_and_refused_by_name(store: Store) -> None:
    add_plain(store, SECRET, doc_id="secret")
    add_plain(store, b"Another document.\n", doc_id="other")
    verify(store, "v1")
    verify(store, "v2")
    open_log(store).include_all([make_leaf(1)])
    doc_hash = Digest.of(SECRET)
    extraction = make_plain(SECRET).extraction_id
    assert store.erasures.resolve("secret") == ("document", str(doc_hash))
    assert store.erasures.resolve("v1") == ("verification", "v1")
    for ref, wrong in (("nothing", NotFoundError), (str(extraction), InputError)):
        with pytest.raises(wrong):
            store.erasures.resolve(ref)
    for kind, subject in store.erasures.resolve("secret"), store.erasures.resolve("v1"):
        # Nothing goes before its tombstone is recorded.
        with pytest.raises(NotFoundError, match="recorded"):
            store.erasures.remove(kind, subject)
    assert store.documents.read_source(doc_hash) == SECRET

    record(store, "document", str(doc_hash))
    # From here on nothing is told, though it is still there.
    left = store.erasures.list_remaining(store.erasures.list()[0])
    assert set(left) == set(store.erasures.list_content("document", str(doc_hash)).digests)
    for refused in (
        lambda: store.documents.find("secret"),
        lambda: store.documents.find(str(extraction)),
        lambda: store.documents.read_source(doc_hash),
        lambda: store.documents.load_extraction(extraction),
        lambda: add_plain(store, SECRET),
    ):
        with pytest.raises(DocumentErasedError, match=r"asked for") as caught:
            refused()
        assert "leaf 0 of log.example.com" in caught.value.hint
    assert store.erasures.remove("document", str(doc_hash)) == len(left) >= 2
    assert store.erasures.remove("document", str(doc_hash)) == 0
    assert not any(map(store.blobs.has, left))
    assert [row.doc_ids[0] for row in store.documents.list().items] == ["other"]
    assert store.documents.load_library([doc_hash], ["secret"]).sources == ()

    assert store.erasures.list_quoting(doc_hash) == ("v1", "v2")
    record(store, "verification", "v1")
    assert store.erasures.remove("verification", "v1") == 2
    assert store.erasures.remove("verification", "v1") == 0
    assert store.erasures.list_quoting(doc_hash) == ("v2",)
    with pytest.raises(VerificationErasedError):
        store.answers.load("v1")
    assert store.answers.load("v2").raw == make_payload(answer="A xylograph answer [1].")
    # The figures stay in the list, the words do not.
    excerpts = {item.verification_id: item.excerpt for item in store.answers.list().items}
    assert excerpts == {"v1": "", "v2": "A xylograph answer [1]."}
    assert all(store.erasures.list_remaining(each) == () for each in store.erasures.list())


def submit_sampled(store: Store, verification_id: str) -> str:
    """An answer of production whose verification this is; its id."""
    raw = make_payload(answer="A xylograph answer [1].")
    new = make_new(f"of-{verification_id}", raw=raw, payload_digest=Digest.of(raw))
    (answer,) = submit(store, sampled.open_epoch(store), new)
    outcome = make_outcome(answer, verification_id=verification_id, problem_code=None)
    assert store.samples.outcomes.add(outcome, (), None)
    return answer.answer_id


def test_what_was_submitted_goes_with_its_verification(store: Store) -> None:
    verify(store, "v1")
    verify(store, "v2")
    open_log(store).include_all([make_leaf(1)])
    answer_id = submit_sampled(store, "v1")
    empty = "''::bytea" if store.database.is_postgresql else "x''"
    change = text(f"UPDATE submitted_payload SET raw = {empty}")
    record(store, "verification", "v2")
    # Another's erasure does not open this row.
    with pytest.raises(ConflictError), store.database.connection() as connection:
        connection.execute(change)
    record(store, "verification", "v1")
    (erased,) = [each for each in store.erasures.list() if each.subject == "v1"]
    assert len(store.erasures.list_remaining(erased)) == 2
    assert store.erasures.remove("verification", "v1") == 3
    assert store.erasures.remove("verification", "v1") == 0
    assert store.erasures.list_remaining(erased) == ()
    assert store.samples.answers.load(answer_id).raw is None
    with pytest.raises(ConflictError), store.database.connection() as connection:
        connection.execute(text(f"UPDATE submitted_payload SET raw = {empty}, answer_id = 'b'"))


def test_what_was_submitted_is_left_where_it_stands_alone(store: Store) -> None:
    verify(store, "v1")
    open_log(store).include_all([make_leaf(1)])
    record(store, "verification", "v1")
    store.erasures.remove("verification", "v1")
    # The outcome came after the erasure: a job was at work meanwhile.
    submit_sampled(store, "v1")
    (erased,) = store.erasures.list()
    assert store.erasures.list_remaining(erased) == (
        Digest.of(make_payload(answer="A xylograph answer [1].")),
    )
    assert store.erasures.remove("verification", "v1") == 1
    assert store.erasures.list_remaining(erased) == ()


@pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)
def test_no_erased_word_stays_in_the_files_of_the_home(store: Store) -> None:
    add_plain(store, SECRET)
    verify(store, "v1")
    submit_sampled(store, "v1")
    open_log(store).include_all([make_leaf(1)])
    for kind, subject in (("document", str(Digest.of(SECRET))), ("verification", "v1")):
        record(store, kind, subject)
        store.erasures.remove(kind, subject)  # type: ignore[arg-type] # as above
    files = [path for path in store.home.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if b"xylograph" in path.read_bytes()] == []


def test_a_blob_that_another_document_has_too_stays(store: Store) -> None:
    laid_out = make_laid_out()
    add(store, laid_out, b"%PDF-1.7 not really", doc_id="one")
    words = laid_out.text.text.encode()
    add_plain(store, words, doc_id="plain")
    open_log(store).include_all([make_leaf(1)])
    record(store, "document", str(Digest.of(words)))
    content = store.erasures.list_content("document", str(Digest.of(words)))
    # Its bytes are the other's canonical text.
    assert Digest.of(words) in content.shared
    store.erasures.remove("document", str(Digest.of(words)))
    assert store.documents.load_extraction(laid_out.extraction_id).text == laid_out.text
    with pytest.raises(DocumentErasedError):
        store.documents.read_source(Digest.of(words))


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("verification_payload", "raw = block, block = raw"),
        ("verification_payload", "raw = {0}"),
        ("verification_payload", "raw = {0}, block = {0}, raw_sha256 = ''"),
        ("verification", "excerpt = 'other words'"),
        ("verification", "excerpt = '', result = 'other'"),
        ("verification", "excerpt = '', answer_id = 'b'"),
    ],
)
def test_rows_of_an_erased_answer_take_no_other_change(
    store: Store, table: str, change: str
) -> None:
    verify(store, "v1")
    verify(store, "v2")
    open_log(store).include_all([make_leaf(1)])
    record(store, "verification", "v1")
    empty = "''::bytea" if store.database.is_postgresql else "x''"
    for where in ("verification_id = 'v1'", "verification_id = 'v2'"):
        with pytest.raises(ConflictError), store.database.connection() as connection:
            connection.execute(text(f"UPDATE {table} SET {change.format(empty)} WHERE {where}"))
    both = f"raw = {empty}, block = {empty}"
    with pytest.raises(ConflictError), store.database.connection() as connection:
        connection.execute(text(f"UPDATE verification_payload SET {both}"))
    for verb in ("DELETE FROM verification_payload", "DELETE FROM erasure"):
        with pytest.raises(ConflictError), store.database.connection() as connection:
            connection.execute(text(verb))
    assert store.answers.load("v2").raw


def test_an_erasure_needs_a_leaf_that_is_logged(store: Store) -> None:
    open_log(store)
    with pytest.raises(ConflictError):
        record(store, "verification", "v1")
    assert store.erasures.list() == ()


@pytest.mark.parametrize("store_place", ["postgresql"], indirect=True)
def test_a_temporary_table_of_that_name_opens_no_row(store: Store) -> None:
    verify(store, "v1")

    def bring_an_erasure() -> None:
        with store.database.connection() as connection:
            for statement in (
                "CREATE TEMPORARY TABLE erasure (kind text, subject text)",
                "INSERT INTO pg_temp.erasure VALUES ('verification', 'v1')",
                "UPDATE verification SET excerpt = '' WHERE verification_id = 'v1'",
            ):
                connection.execute(text(statement))

    with pytest.raises(ConflictError):
        bring_an_erasure()
