# ruff: noqa: S608 - the tables' names are our own
"""A revoked key takes the worth from receipts, and leaves no log damaged for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import ConflictError, KeyNotTrustedError
from spanproof.operations.fsck.report import FsckOptions
from spanproof.operations.fsck.store import check_store
from spanproof.operations.log.keys import revoke_key
from spanproof.operations.log.recover import recover
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.forms.dsse import PAYLOAD_TYPE, Envelope, encode
from spanproof.receipt.forms.log_entry import write_entry
from spanproof.receipt.keys.trust_file import parse_trust, write_trust
from tests.operations.audited import codes, execute, fill, load_trust

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.operations.fsck.report import FsckReport

#: The tables of a log.
LOG_TABLES = (
    "log_leaf",
    "log_tile",
    "log_tree",
    "log_checkpoint",
    "log_statement",
    "log_freeze",
    "receipt",
    "log",
)


def say(report: FsckReport, question: str) -> str:
    return next(line.words for line in report.lines if line.question == question)


def move_on(context: Context) -> None:
    """Close the log, and go on in another."""
    context.parts.intakes.close()
    recover(context.settings, context.store, origin=None, reason="moved")


@pytest.mark.parametrize("purpose", ["receipts", "log"])
def test_what_stood_in_the_log_at_its_revocation_is_no_damage(
    context: Context, purpose: str
) -> None:
    fill(context, 2)
    issuer = context.issuer
    stolen = issuer.keys.find_entry_key()
    listed = issuer.keys.keys.log_keys(issuer.log.origin)[0]
    key_id = stolen.key_id if purpose == "receipts" else listed.key_id
    size = issuer.log.head().size
    change = revoke_key(issuer, key_id, below=1, reason="stolen")
    assert issuer.keys.keys.revocations[0].revocation_index == change.index == size
    trust = load_trust(context)
    assert parse_trust(write_trust(trust)) == trust
    report = check_store(context, trust, FsckOptions(with_signatures=True), with_log=False)
    assert codes(report) == []
    if purpose == "log":
        return
    assert f"{size - 1} are by a key that was revoked later" in say(report, "KEYS")
    # Receipts of those leaves count no more, and a leaf behind the revocation is a thief's.
    with pytest.raises(KeyNotTrustedError):
        trust.require_signing_key(
            key_id,
            moment=trust.signing_keys[0].valid_for.start,
            origin=trust.origin,
            index=size - 1,
        )
    envelope = Envelope(payload=b"{}", signature=stolen.sign(encode(PAYLOAD_TYPE, b"{}")))
    context.log.append(write_entry(envelope, stolen.public_key))
    context.log.publish()
    assert "ENTRY_KEY_REVOKED" in codes(check_store(context, trust, with_log=False))


def test_a_revocation_that_was_cut_off_is_finished(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(context, 1)
    issuer = context.issuer
    key_id = issuer.keys.find_entry_key().key_id
    with monkeypatch.context() as patched:
        patched.setattr("spanproof.operations.log.keys._note_index", lambda *_: False)
        revoke_key(issuer, key_id, below=1, reason="stolen")
    assert set(codes(check_store(context, None, with_log=False))) == {"ENTRY_KEY_REVOKED"}
    size = issuer.log.head().size
    change = revoke_key(issuer, key_id, below=1, reason="stolen")
    assert (change.index, issuer.log.head().size) == (size - 1, size)
    assert codes(check_store(context, None, with_log=False)) == []
    with pytest.raises(ConflictError):
        revoke_key(issuer, key_id, below=1, reason="stolen")


def test_a_log_that_was_closed_before_is_whole_too(context: Context) -> None:
    fill(context, 1)
    old, key_id = context.log.origin, context.issuer.keys.find_entry_key().key_id
    move_on(context)
    revoke_key(context.issuer, key_id, below=0, reason="stolen")
    assert context.log.origin != old
    trust = load_trust(context)
    report = check_store(context, trust, FsckOptions(origin=old), with_log=False)
    assert codes(report) == []
    assert "revoked later" in say(report, "KEYS")
    assert codes(check_store(context, trust, with_log=False)) == []


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("renumber", "LOG_MISSING"),
        ("UPDATE log_freeze SET successor = 'other.example.com'", "LOG_MISSING"),
        ("DELETE FROM log_freeze", "LOG_MISSING"),
        ("UPDATE log_freeze SET size = size - 1", "LOG_SHRUNK"),
        ("DELETE FROM log_statement WHERE log_id = 1 AND idx = 0", "LOG_FORKED"),
    ],
)
def test_a_row_of_logs_with_a_gap_is_named(context: Context, statement: str, code: str) -> None:
    fill(context, 1)
    origin = context.log.origin
    move_on(context)
    assert codes(check_store(context, None, FsckOptions(origin=origin), with_log=False)) == []
    trust = load_trust(context)
    renumbered = [f"UPDATE {table} SET log_id = log_id + 7" for table in LOG_TABLES]
    execute(context, *(renumbered if statement == "renumber" else [statement]))
    assert code in codes(check_store(context, trust, FsckOptions(origin=origin), with_log=False))


def test_a_head_under_which_a_receipt_exists_cannot_be_missing(context: Context) -> None:
    fill(context, 1)
    (receipt,) = context.store.receipts.list()
    size = parse_bundle(receipt.bundle).included.checkpoint.size
    execute(context, f"DELETE FROM log_checkpoint WHERE size = {size}")
    report = check_store(context, None, with_log=False)
    receipts = [each for each in report.findings if each.code == "RECEIPT_MISMATCH"]
    assert len(receipts) == 1, codes(report)
