from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import (
    ConflictError,
    InputError,
    KeyUnavailableError,
    LogDamagedError,
    LogStoppedError,
    NotFoundError,
    SettingsError,
)
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import EMPTY_ROOT, hash_leaf
from spanproof.core.log.tiles import MAX_ENTRY_BYTES
from spanproof.store.log import TransparencyLog
from spanproof.store.log.commit_queue import MAX_BATCH, Submission
from spanproof.store.log.reading import find_current_origin, list_logs
from spanproof.store.log.records import NewLeaf, NewReceipt
from tests.receipt.samples import make_log_key
from tests.store.examples import NOON
from tests.store.log.samples import (
    ORIGIN,
    WatchedKey,
    check_included,
    check_signed,
    check_whole,
    find_mark,
    make_leaf,
    make_receipt,
    make_statement,
    open_log,
)

if TYPE_CHECKING:
    from spanproof.core.log.checkpoint import IncludedLeaf
    from spanproof.store import Store


def test_a_new_log_has_a_signed_head_of_no_leaves(store: Store) -> None:
    assert find_current_origin(store.database) is None
    log = open_log(store)
    checkpoint, note = log.latest()
    assert checkpoint == Checkpoint(origin=ORIGIN, size=0, root=EMPTY_ROOT) == log.head()
    check_signed(checkpoint, note)
    (state,) = list_logs(store.database)
    assert (state.origin, state.size, state.opened_at, state.freeze) == (ORIGIN, 0, NOON, None)
    assert find_current_origin(store.database) == ORIGIN
    assert log.find_freeze() is None


def test_an_appended_leaf_is_there_and_unsigned(log: TransparencyLog) -> None:
    leaf = log.append(b"first")
    assert (leaf.origin, leaf.index, leaf.leaf_hash) == (ORIGIN, 0, hash_leaf(b"first"))
    assert log.append(b"first").index == 1
    assert log.head().size == 2
    assert log.latest()[0].size == 0
    assert log.read_entry(0) == b"first"


def test_an_included_leaf_can_be_checked_by_a_stranger(log: TransparencyLog) -> None:
    log.append(b"intake")
    found = log.include(b"result")
    assert found.leaf.index == 1
    assert found.checkpoint == log.latest()[0] == log.head()
    assert log.note(2) == found.note
    check_included(found, b"result")


def test_batches_keep_their_order_and_may_be_longer_than_a_transaction(
    log: TransparencyLog,
) -> None:
    entries = [b"%d" % number for number in range(2 * MAX_BATCH + 5)]
    appended = log.append_all(entries)
    assert [leaf.index for leaf in appended] == list(range(len(entries)))
    included = log.include_all(entries[:3])
    for leaf, entry in zip(included, entries, strict=False):
        check_included(leaf, entry)
    assert list(log.entries(0, len(entries) + 3)) == entries + entries[:3]
    assert log.append_all([]) == ()
    check_whole(log)


def test_a_head_is_signed_once(store: Store) -> None:
    key = WatchedKey(make_log_key())
    log = TransparencyLog.open(store.database, key, find_mark(store))
    log.append(b"a")
    first = log.publish()
    assert log.publish() == first
    assert [each.size for each in key.signed] == [0, 1]
    assert [checkpoint.size for checkpoint, _ in log.checkpoints()] == [0, 1]
    again = TransparencyLog.open(store.database, key, find_mark(store))
    assert again.latest() == first
    assert len(key.signed) == 2


def test_a_head_that_a_crash_left_unsigned_is_signed_at_the_start(store: Store) -> None:
    open_log(store).append(b"a")
    log = open_log(store)
    assert log.latest()[0].size == 1
    check_whole(log)


@pytest.mark.long
def test_two_openings_of_one_log_follow_each_other(store: Store) -> None:
    one, two = open_log(store), open_log(store)
    for number in range(300):
        entry = b"%d" % number
        if number % 50 == 0:
            check_included((one, two)[number % 3 == 0].include(entry), entry)
        else:
            (one, two)[number % 2].append(entry)
    assert one.include(b"end").leaf.index == 300
    check_whole(two)


def test_an_entry_may_be_as_long_as_its_length_can_say(log: TransparencyLog) -> None:
    entry = b"x" * MAX_ENTRY_BYTES
    assert log.append(entry).index == 0
    assert log.read_entry(0) == entry
    with pytest.raises(InputError, match=f"at most {MAX_ENTRY_BYTES} bytes, got 65536"):
        log.append(entry + b"x")
    assert log.head().size == 1


def test_an_intake_is_answered_once_and_the_other_callers_leaves_are_logged(
    log: TransparencyLog,
) -> None:
    log.append(b"intake", make_statement("intake"))
    log.append(b"result", make_statement("result", intake=0))
    with pytest.raises(ConflictError, match="that nothing has answered, got another"):
        log.append(b"second result", make_statement("error", intake=0))
    with pytest.raises(ConflictError):
        log.append(b"result of nothing", make_statement("result", intake=77))
    assert log.append(b"next").index == 2
    check_whole(log)


@pytest.mark.parametrize("is_included", [False, True])
@pytest.mark.parametrize("count", [2, 3])
def test_of_one_batch_only_the_refused_leaves_no_leaf(
    log: TransparencyLog, count: int, is_included: bool
) -> None:
    log.append(b"intake", make_statement("intake"))
    log.append(b"result", make_statement("result", intake=0))
    batch = tuple(
        Submission(leaves=(NewLeaf(entry=entry, statement=statement),), is_included=is_included)
        for entry, statement in (
            (b"before", make_statement("intake")),
            (b"second result", make_statement("error", intake=0)),
            (b"after", make_statement("intake")),
        )[-count:]
    )
    log._work(batch)
    *before, refused, after = batch
    assert isinstance(refused.error, ConflictError)
    assert refused.logged == ()
    others = [*before, after]
    assert [each.error for each in others] == [None] * len(others)
    indexes = [each.logged[0].index for each in others]
    assert indexes == list(range(2, count + 1))
    assert [log.read_entry(index) for index in indexes] == [b"before", b"after"][-len(others) :]
    assert log.head().size == count + 1
    check_whole(log)


def test_a_receipt_is_kept_with_the_note(store: Store, log: TransparencyLog) -> None:
    log.append(b"intake")
    found = log.include_all([make_leaf(1), make_leaf(2)])
    kept = store.receipts.load("v2")
    assert (kept.origin, kept.index, kept.bundle) == (ORIGIN, 2, b"2 of 3")
    assert found[1].leaf.index == 2


def test_a_receipt_that_is_there_stays_and_the_leaf_is_logged_all_the_same(
    store: Store, log: TransparencyLog
) -> None:
    log.include_all([make_leaf(1)])
    with pytest.raises(ConflictError, match="without a receipt, got 'v1'"):
        log.include(b"again", receipt=make_receipt("v1"))
    assert store.receipts.load("v1").bundle == b"0 of 1"
    # The mark names that head already, so its note is kept too.
    assert log.head().size == log.latest()[0].size == 2
    assert log.include_all([make_leaf(2)])[0].leaf.index == 2
    with pytest.raises(ConflictError, match="got 'v1', 'v2'"):
        log.include_all([make_leaf(1), make_leaf(2)])


def test_a_receipt_that_cannot_be_written_is_its_callers_error_alone(
    store: Store, log: TransparencyLog
) -> None:
    def write(included: IncludedLeaf) -> bytes:
        raise ZeroDivisionError(included.leaf.index)

    receipt = NewReceipt(verification_id="v1", write=write)
    with pytest.raises(ZeroDivisionError):
        log.include(b"a", receipt=receipt)
    # The leaf stands, and can be sealed once the writer is mended.
    found = log.seal(0, make_receipt("v1"))
    check_included(found, b"a")
    assert store.receipts.load("v1").bundle == b"0 of 1"
    with pytest.raises(ConflictError):
        log.seal(0, make_receipt("v1"))
    # Also where both are signed together.
    batch = tuple(
        Submission(leaves=(NewLeaf(entry=b"b", statement=make_statement(), receipt=each),))
        for each in (receipt, make_receipt("v2"))
    )
    log._work(batch)
    assert isinstance(batch[0].error, ZeroDivisionError)
    assert batch[1].error is None
    check_included(batch[1].included[0], b"b")
    assert store.receipts.load("v2").bundle == b"2 of 3"


def test_of_two_receipts_of_one_caller_both_are_kept_or_none(
    store: Store, log: TransparencyLog
) -> None:
    def write(included: IncludedLeaf) -> bytes:
        raise ZeroDivisionError(included.leaf.index)

    broken = NewLeaf(
        entry=b"b",
        statement=make_statement(),
        receipt=NewReceipt(verification_id="v2", write=write),
    )
    with pytest.raises(ZeroDivisionError):
        log.include_all([make_leaf(1), broken])
    with pytest.raises(NotFoundError):
        store.receipts.load("v1")
    assert log.latest()[0].size == 2


def test_a_receipt_needs_a_signature(log: TransparencyLog) -> None:
    with pytest.raises(InputError, match="Use include"):
        log.append_all([NewLeaf(entry=b"a", receipt=make_receipt())])


def test_an_older_leaf_is_sealed_under_the_newest_head(log: TransparencyLog) -> None:
    log.append_all([b"%d" % number for number in range(300)])
    found = log.seal(7)
    assert found.checkpoint.size == 300
    check_included(found, b"7")
    with pytest.raises(NotFoundError):
        log.seal(300)


def test_a_key_that_fails_stops_nothing_and_the_leaf_can_be_sealed(store: Store) -> None:
    key = WatchedKey(make_log_key())
    log = TransparencyLog.open(store.database, key, find_mark(store))
    key.failure = KeyUnavailableError("no answer", hint="Wait.")
    with pytest.raises(KeyUnavailableError, match="no answer Wait"):
        log.include(b"a")
    key.failure = ValueError("a library's own")
    with pytest.raises(LogStoppedError, match="got ValueError"):
        log.include(b"b")
    key.failure = None
    check_included(log.seal(0), b"a")
    check_included(log.include(b"c"), b"c")
    check_whole(log)


@pytest.mark.parametrize("origin", ["", "a b", "a+b", "a\nb", "ä.example.com", "a" * 254])
def test_an_origin_that_no_note_can_carry_is_refused(store: Store, origin: str) -> None:
    with pytest.raises(SettingsError, match="Expected an origin"):
        TransparencyLog.open(store.database, make_log_key(1, origin), find_mark(store))
    assert list_logs(store.database) == ()


def test_logs_of_one_database_do_not_mix(store: Store) -> None:
    one = open_log(store)
    mark = store.home / "another-mark"
    two = TransparencyLog.open(store.database, make_log_key(1, "b.example.com"), mark)
    for number in range(5):
        one.include(b"one %d" % number)
        two.append(b"two %d" % number)
    assert list(two.entries(0, 5)) == [b"two %d" % number for number in range(5)]
    check_whole(one)
    check_whole(two)
    assert find_current_origin(store.database) == "b.example.com"


@pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)
def test_a_log_whose_tiles_do_not_come_to_its_head_is_not_opened(store: Store) -> None:
    open_log(store).append_all([b"%d" % number for number in range(3)])
    with store.database.connection() as connection:
        connection.exec_driver_sql("DROP TRIGGER log_leaf_refuses_update")
        connection.exec_driver_sql("UPDATE log_leaf SET leaf_hash = zeroblob(32) WHERE idx = 1")
    with pytest.raises(LogDamagedError, match="above their tiles, got another"):
        open_log(store)


def test_a_head_that_was_signed_with_another_root_is_told(store: Store) -> None:
    log = open_log(store)
    log.append(b"a")
    with store.database.connection() as connection:
        connection.exec_driver_sql(
            "INSERT INTO log_checkpoint SELECT log_id, 1, root, note FROM log_checkpoint"
        )
    with pytest.raises(LogDamagedError, match="one root at size 1, got two"):
        log.seal(0)
    with pytest.raises(LogStoppedError):
        log.append(b"b")


@pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)
def test_no_proof_goes_out_that_does_not_hold(store: Store) -> None:
    log = open_log(store)
    log.append_all([b"%d" % number for number in range(256)])
    with store.database.connection() as connection:
        connection.exec_driver_sql("DROP TRIGGER log_leaf_refuses_update")
        connection.exec_driver_sql("UPDATE log_leaf SET leaf_hash = zeroblob(32) WHERE idx = 7")
    with pytest.raises(LogDamagedError, match="Expected leaf 7 under the root of 256"):
        log.seal(7)
