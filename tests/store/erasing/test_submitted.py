"""Words of submitted answers: their row opens for their own erasure, and no other words come."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError, InputError, NotFoundError, VerificationErasedError
from spanproof.store.erasing.refusal import ANSWER, DOCUMENT, VERIFICATION, lock_answer
from tests.store.erasing.test_erasures import SECRET, record, verify
from tests.store.examples import NOON, add_plain, make_block, make_payload
from tests.store.log.samples import make_leaf, open_log
from tests.store.samples.examples import make_new, make_outcome, open_epoch, submit

if TYPE_CHECKING:
    from spanproof.store import Store
    from spanproof.store.answers.answer_rows import AnswerRows
    from spanproof.store.samples.records import SubmittedAnswer

#: What ``verify`` keeps under the answer's id 'a'.
WORDS = make_payload(answer="A xylograph answer [1].")


def submit_words(store: Store, answer_id: str = "a") -> SubmittedAnswer:
    new = make_new(answer_id, raw=WORDS, payload_digest=Digest.of(WORDS))
    return submit(store, open_epoch(store), new)[0]


def make_rows(store: Store, verification_id: str) -> AnswerRows:
    return store.answers.make_rows(
        WORDS,
        make_block(),
        verification_id=verification_id,
        answer_id="a",
        verified_at=NOON,
        submitted="a",
    )


def test_the_row_of_an_answer_opens_for_its_own_erasure_alone(store: Store) -> None:
    open_log(store).include_all([make_leaf(1)])
    answer = submit_words(store)
    empty = "''::bytea" if store.database.is_postgresql else "x''"

    def change(values: str) -> None:
        with store.database.connection() as connection:
            connection.execute(text(f"UPDATE submitted_payload SET {values}"))  # noqa: S608

    for kind, subject in ((ANSWER, "b"), (VERIFICATION, "a"), (DOCUMENT, "a")):
        record(store, kind, subject)
        with pytest.raises(ConflictError):
            change(f"raw = {empty}")
    record(store, ANSWER, "a")
    for other in (f"raw = {empty}, answer_id = 'b'", "raw = raw"):
        with pytest.raises(ConflictError):
            change(other)
    mine = store.erasures.find(ANSWER, "a")
    assert mine is not None
    assert store.erasures.list_remaining(mine) == (answer.payload_digest,)
    assert [store.erasures.remove(ANSWER, "a") for _ in range(2)] == [1, 0]
    assert store.erasures.list_remaining(mine) == ()
    assert store.samples.answers.load("a").raw is None


def test_what_has_the_words_of_an_answer_is_found(store: Store) -> None:
    verify(store, "v1")
    verify(store, "v2")
    open_log(store).include_all([make_leaf(1)])
    answer = submit_words(store)
    other = make_new("b", raw=WORDS, payload_digest=Digest.of(WORDS))
    submit(store, answer.epoch, other)
    assert store.erasures.list_verifications("a") == ("v1", "v2")
    # The same words under another id are another answer.
    assert store.erasures.list_verifications("b") == ()
    assert store.erasures.find_answers("v1") == (("a", True),)
    record(store, VERIFICATION, "v1")
    (erased,) = store.erasures.list()
    # Its bytes as they were submitted are its words too, while nothing has come of the answer.
    assert store.erasures.remove(VERIFICATION, "v1") == 2
    assert store.erasures.list_remaining(erased) == (answer.payload_digest,)
    record(store, ANSWER, "a")
    assert store.erasures.remove(ANSWER, "a") == 1
    assert store.erasures.list_remaining(erased) == ()
    # The other attempt still has them.
    mine = store.erasures.find(ANSWER, "a")
    assert mine is not None
    assert store.erasures.list_remaining(mine) == (answer.payload_digest,)
    record(store, VERIFICATION, "v2")
    assert store.erasures.list_remaining(mine) == ()


def test_what_went_with_its_outcome_needs_no_erasure_of_its_own(store: Store) -> None:
    verify(store, "v1")
    open_log(store).include_all([make_leaf(1)])
    outcome = make_outcome(submit_words(store), verification_id="v1", problem_code=None)
    assert store.samples.outcomes.add(outcome, (), None)
    record(store, VERIFICATION, "v1")
    assert store.erasures.remove(VERIFICATION, "v1") == 3
    assert store.erasures.find_answers("v1") == (("a", False),)


def test_a_name_of_two_things_is_none(store: Store) -> None:
    submit_words(store)
    assert store.erasures.resolve("a") == (ANSWER, "a")
    add_plain(store, SECRET, doc_id="a")
    with pytest.raises(InputError, match="got a document and an answer"):
        store.erasures.resolve("a")
    with pytest.raises(NotFoundError):
        store.erasures.list_content(ANSWER, "never")


def test_no_words_of_an_erased_answer_are_written(store: Store) -> None:
    open_log(store).include_all([make_leaf(1)])
    submit_words(store)
    before, after = make_rows(store, "v1"), make_rows(store, "v2")
    with store.database.connection() as connection:
        before.write(connection)
    record(store, ANSWER, "a")
    with pytest.raises(VerificationErasedError), store.database.connection() as connection:
        after.write(connection)
    assert not store.answers.has("v2")
    assert store.erasures.list_verifications("a") == ("v1",)


_WAITING = """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
AND wait_event_type = 'Lock'"""


@pytest.mark.parametrize("store_place", ["postgresql"], indirect=True)
@pytest.mark.parametrize("first", ["writer", "eraser"])
def test_writer_and_eraser_of_one_answer_wait_for_each_other(store: Store, first: str) -> None:
    open_log(store).include_all([make_leaf(1)])
    submit_words(store)
    rows = make_rows(store, "v1")

    def write() -> None:
        with store.database.connection() as connection:
            rows.write(connection)
            wait_for(second)

    def erase() -> None:
        with store.database.writing() as session:
            # As ``record`` does, with time in between.
            lock_answer(session, "a")
            session.connection().execute(
                text("INSERT INTO erasure VALUES ('answer', 'a', 0, 0, 'asked for', now())")
            )
            wait_for(second)

    def wait_for(other: threading.Event) -> None:
        has_begun.set()
        deadline = time.monotonic() + 60
        while not other.is_set() and not is_waited_for():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def is_waited_for() -> bool:
        with store.database.reading() as session:
            return bool(session.connection().execute(text(_WAITING)).scalar_one())

    has_begun, second = threading.Event(), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(write if first == "writer" else erase)
        assert has_begun.wait(60)
        if first == "writer":
            record(store, ANSWER, "a")
            second.set()
            # Whoever has recorded the erasure sees all that was ever written.
            assert store.erasures.list_verifications("a") == ("v1",)
        else:
            with pytest.raises(VerificationErasedError), store.database.connection() as connection:
                rows.write(connection)
            second.set()
            assert not store.answers.has("v1")
        done.result(60)
