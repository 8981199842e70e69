"""The own store read whole: what somebody changed behind it is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import NotFoundError
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.operations.fsck.report import FsckOptions
from spanproof.operations.fsck.store import check_store
from spanproof.operations.log.opening import to_log_mark
from spanproof.operations.log.source import read_note
from spanproof.receipt.check.log import SavedNote
from spanproof.receipt.keys.trust_file import parse_trust
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import FsckResult
from spanproof.store.log.mark import HighWaterMark
from tests.operations.audited import (
    codes,
    execute,
    fill,
    load_trust,
    statuses,
    take_document,
    verify_answer,
)
from tests.receipt.samples import Issuer, MemoryLog, make_log_key, to_trust_bytes
from tests.spread import thin_out_rows

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context


def test_a_store_in_order_is_ok_and_its_check_is_a_leaf(context: Context) -> None:
    fill(context)
    size = context.log.latest()[0].size
    report = check_store(context, None, FsckOptions(with_signatures=True))
    assert codes(report) == []
    assert set(statuses(report).values()) == {"OK"}
    assert report.outcome.value == "OK"
    assert context.log.latest()[0].size == size + 1
    stored = context.log.find_statement(size)
    assert stored is not None
    event = parse_event(stored.statement.payload)
    assert isinstance(event, FsckResult)
    assert (event.is_sound, event.findings, event.checked_leaves) == (True, 0, size)
    assert event.root == context.log.read_root(size)
    # The next check reads that leaf too.
    assert codes(check_store(context, load_trust(context), with_log=False)) == []


def test_a_store_without_a_log_has_nothing_to_check(context: Context) -> None:
    with pytest.raises(NotFoundError):
        check_store(context, None)


def test_another_trust_file_fails_the_head(context: Context) -> None:
    fill(context, 1)
    other = parse_trust(to_trust_bytes(Issuer()))
    report = check_store(context, other, with_log=False)
    assert statuses(report)["CHECKPOINT"] == "FAILED"
    assert report.outcome.value == "FAILED"


@pytest.mark.parametrize(
    ("statement", "question", "code"),
    thin_out_rows(
        [
            ("UPDATE log_leaf SET entry = x'00' WHERE idx = 2", "TREE", "LEAF_MISMATCH"),
            ("UPDATE log_leaf SET leaf_hash = zeroblob(32) WHERE idx = 2", "TREE", "LEAF_MISMATCH"),
            ("UPDATE log_tree SET root = zeroblob(32) WHERE size = 3", "TREE", "ROOT_MISMATCH"),
            (
                "UPDATE log_checkpoint SET note = 'x' WHERE size = 3",
                "HISTORY",
                "CHECKPOINT_SIGNATURE",
            ),
            (
                "UPDATE log_statement SET payload = x'7b7d' WHERE idx = 2",
                "STATEMENTS",
                "STATEMENT_MISMATCH",
            ),
            ("DELETE FROM log_statement WHERE idx = 2", "STATEMENTS", "STATEMENT_MISSING"),
            ("DELETE FROM receipt WHERE idx = 2", "RECEIPTS", "RECEIPT_MISMATCH"),
            ("DELETE FROM log_leaf WHERE idx = 2", "TREE", "LEAF_MISMATCH"),
            ("DELETE FROM log_leaf WHERE idx = 4", "TREE", "LEAF_MISMATCH"),
            ("DELETE FROM log_checkpoint WHERE size = 3", "RECEIPTS", "RECEIPT_MISMATCH"),
            ("DELETE FROM log_checkpoint WHERE size = 5", "RECEIPTS", "RECEIPT_MISMATCH"),
            ("DELETE FROM verification", "RECEIPTS", "RECEIPT_MISMATCH"),
            ("UPDATE receipt SET bundle = x'7b7d'", "RECEIPTS", "RECEIPT_MISMATCH"),
            ("UPDATE verification_payload SET raw = x'7b7d'", "STORE", "BLOB_DIGEST_MISMATCH"),
            ("UPDATE verification_payload SET block = x'7b7d'", "STORE", "BLOB_DIGEST_MISMATCH"),
            ("UPDATE document SET byte_length = 7", "STORE", "ROW_MISMATCH"),
        ],
        every=4,
    ),
)
def test_what_somebody_changed_in_the_database_is_named(
    context: Context, statement: str, question: str, code: str
) -> None:
    fill(context, 2)
    trust = load_trust(context)
    execute(context, statement)
    report = check_store(context, trust, with_log=False)
    assert statuses(report)[question] == "FAILED", report.lines
    assert code in codes(report)
    assert report.outcome.value == "FAILED"


def test_a_payload_swapped_with_its_digest_is_not_what_the_receipt_signs(
    context: Context,
) -> None:
    (verification_id,) = fill(context, 1)
    raw = context.store.answers.load(verification_id).raw.replace(b"four", b"nine")
    execute(
        context,
        "UPDATE verification_payload SET raw = :raw, raw_sha256 = :digest",
        raw=raw,
        digest=str(Digest.of(raw)),
    )
    report = check_store(context, None, with_log=False)
    assert codes(report) == ["RECEIPT_MISMATCH"]
    assert statuses(report)["STORE"] == "FAILED"


def test_a_blob_that_went_bad_is_named(context: Context) -> None:
    fill(context, 1)
    doc_hash = context.store.documents.list().items[0].document.doc_hash
    path = context.settings.home / "blobs" / doc_hash.hex[:2] / doc_hash.hex
    path.chmod(0o600)
    path.write_bytes(path.read_bytes() + b" ")
    report = check_store(context, None, with_log=False)
    assert codes(report) == ["BLOB_DIGEST_MISMATCH"]


def test_a_result_that_was_left_out_is_named_by_its_intake(context: Context) -> None:
    doc_hash = take_document(context)
    first = verify_answer(context, doc_hash)
    intake = context.log.find_statements(first)[0]
    assert intake.statement.kind == "intake"
    verify_answer(context, doc_hash)
    execute(context, "DELETE FROM log_statement WHERE intake_idx = :index", index=intake.index)
    report = check_store(context, None, with_log=False)
    # Named at once, though the intake is young: what answered it has a leaf and no statement.
    assert codes(report)[0] == "STATEMENT_MISSING"


def test_an_older_head_is_compared(context: Context, tmp_path: Path) -> None:
    fill(context, 1)
    _, note = context.log.latest()
    saved = tmp_path / "old"
    saved.write_text(note, encoding="utf-8")
    fork = MemoryLog(key=make_log_key(1, context.log.origin), entries=[b"x"])
    older = [read_note(saved), SavedNote(name="fork", text=fork.note())]
    verify_answer(context, context.store.documents.list().items[0].document.doc_hash)
    report = check_store(context, None, FsckOptions(older=older), with_log=False)
    assert [(found.code, found.place) for found in report.findings] == [
        ("CHECKPOINT_SIGNATURE", "fork")
    ]
    assert statuses(report)["HISTORY"] == "FAILED"


def test_a_store_that_was_set_back_is_named_by_the_older_head(context: Context) -> None:
    fill(context, 2)
    trust = load_trust(context)
    _, note = context.log.latest()
    size = context.log.latest()[0].size
    execute(
        context,
        "DELETE FROM receipt WHERE idx >= :size",
        "DELETE FROM log_statement WHERE idx >= :size",
        "DELETE FROM log_checkpoint WHERE size > :size",
        "DELETE FROM log_tree WHERE size > :size",
        "DELETE FROM log_leaf WHERE idx >= :size",
        size=size - 2,
    )
    older = [SavedNote(name="saved", text=note)]
    report = check_store(context, trust, FsckOptions(older=older), with_log=False)
    assert ("LOG_SHRUNK", "saved") in [(found.code, found.place) for found in report.findings]


def test_a_store_that_was_set_back_is_named_by_the_mark(context: Context) -> None:
    fill(context, 2)
    trust = load_trust(context)
    execute(
        context,
        "DELETE FROM receipt WHERE idx >= 3",
        "DELETE FROM log_statement WHERE idx >= 3",
        "DELETE FROM log_checkpoint WHERE size > 3",
        "DELETE FROM log_tree WHERE size > 3",
        "DELETE FROM log_leaf WHERE idx >= 3",
    )
    report = check_store(context, trust, with_log=False)
    assert [(found.code, found.place) for found in report.findings] == [
        ("LOG_SHRUNK", "high-water mark")
    ]


@pytest.mark.parametrize(
    ("size", "origin", "code"), [(3, None, "LOG_FORKED"), (3, "gone.example.com", "LOG_SHRUNK")]
)
def test_a_mark_of_what_this_store_does_not_hold_is_named(
    context: Context, size: int, origin: str | None, code: str
) -> None:
    fill(context, 1)
    path = to_log_mark(context.settings)
    path.unlink()
    head = Checkpoint(origin=origin or context.log.origin, size=size, root=bytes(32))
    HighWaterMark(path).create(head)
    report = check_store(context, None, with_log=False)
    assert [(found.code, found.place) for found in report.findings] == [(code, "high-water mark")]
    path.unlink()
    assert codes(check_store(context, None, with_log=False)) == []


@pytest.mark.parametrize("part", ["hashes", "sig"])
def test_a_receipt_changed_with_its_digest_is_named(context: Context, part: str) -> None:
    (verification_id,) = fill(context, 1)
    found = context.store.receipts.find(verification_id)
    assert found is not None
    bundle = json.loads(found.bundle)
    (logged,) = bundle["verificationMaterial"]["tlogEntries"]
    if part == "hashes":
        logged["inclusionProof"]["hashes"] = []
    else:
        bundle["dsseEnvelope"]["signatures"][0]["sig"] = "AAAA"
    raw = json.dumps(bundle).encode()
    execute(
        context,
        "UPDATE receipt SET bundle = :raw, bundle_sha256 = :digest",
        raw=raw,
        digest=str(Digest.of(raw)),
    )
    report = check_store(context, None, with_log=False)
    assert codes(report) == ["RECEIPT_MISMATCH"]
    assert statuses(report)["RECEIPTS"] == "FAILED"


def test_a_log_that_nothing_has_signed_is_named(context: Context) -> None:
    fill(context, 1)
    execute(context, "DELETE FROM receipt", "DELETE FROM log_checkpoint")
    report = check_store(context, load_trust(context))
    assert ("CHECKPOINT_MISSING", context.log.origin) in [
        (found.code, found.place) for found in report.findings
    ]
    # Nothing is added to a log whose head cannot be believed.
    assert statuses(report)["LOGGED"] == "NOT CHECKED"
    assert report.outcome.value == "FAILED"


def test_older_heads_that_are_none_or_forked_are_named(context: Context) -> None:
    fill(context, 1)
    ring = context.issuer.keys.log_signer(context.log.origin)
    fork = ring.sign(Checkpoint(origin=context.log.origin, size=2, root=bytes(32)))
    older = [SavedNote(name="words", text="words"), SavedNote(name="fork", text=fork)]
    report = check_store(context, None, FsckOptions(older=older), with_log=False)
    assert [(found.code, found.place) for found in report.findings] == [
        ("CHECKPOINT_MALFORMED", "words"),
        ("LOG_FORKED", "fork"),
    ]


def test_a_note_under_another_head_is_named(context: Context) -> None:
    fill(context, 2)
    execute(
        context,
        "UPDATE log_checkpoint SET note = (SELECT note FROM log_checkpoint WHERE size = 3)",
    )
    report = check_store(context, None, with_log=False)
    assert statuses(report)["HISTORY"] == "FAILED"
    assert statuses(report)["CHECKPOINT"] == "FAILED"


def test_a_receipt_of_another_verification_or_leaf_is_named(context: Context) -> None:
    first, second = fill(context, 2)
    execute(
        context,
        "UPDATE receipt SET verification_id = 'x' WHERE verification_id = :first",
        first=first,
    )
    assert "RECEIPT_MISMATCH" in codes(check_store(context, None, with_log=False))
    execute(
        context,
        "UPDATE receipt SET bundle = (SELECT bundle FROM receipt WHERE verification_id = :second),"
        " bundle_sha256 = (SELECT bundle_sha256 FROM receipt WHERE verification_id = :second)",
        second=second,
    )
    assert "RECEIPT_MISMATCH" in codes(check_store(context, None, with_log=False))
