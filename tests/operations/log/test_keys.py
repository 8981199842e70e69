"""Keys are changed while the log goes on: what was signed before and after stays checkable."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import (
    ConflictError,
    EvidenceError,
    KeyNotTrustedError,
    KeyUnavailableError,
)
from spanproof.core.log.merkle import check_inclusion
from spanproof.operations.assembly import open_context
from spanproof.operations.log.key_folder import find_keys, open_keys
from spanproof.operations.log.keys import revoke_key, rotate_log_key, rotate_receipt_key
from spanproof.operations.receipts.issuing import Issuer
from spanproof.operations.receipts.trust import make_trust
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.forms.dsse import Envelope, open_envelope
from spanproof.receipt.forms.signed_note import check_note, parse_note
from spanproof.receipt.keys.key_ring import KeyRing
from spanproof.receipt.keys.signing_keys import EntryKey
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import KeyEvent
from spanproof.store.log import TransparencyLog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.operations.settings import Settings
    from spanproof.receipt.keys.trust_file import TrustFile


@pytest.fixture
def issuer(settings: Settings) -> Iterator[Issuer]:
    """Who signs for a fresh home; nothing is verified here, so no model and no parser."""
    with open_context(settings) as context:
        yield context.issuer


def issue(issuer: Issuer) -> bytes:
    """The bundle of some signed words."""
    signed = issuer.sign(b'{"words": "of no matter"}')
    return issuer.write_bundle(signed, issuer.log.include(signed.entry))


def trust_now(issuer: Issuer) -> TrustFile:
    """The trust file as an auditor gets it now."""
    return make_trust(issuer.keys, issuer.log.origin)


def check(raw: bytes, trust: TrustFile, *, moment: datetime | None = None) -> None:
    """Raise unless the bundle is signed, logged and of keys that the file trusts."""
    receipt = parse_bundle(raw)
    included = receipt.included
    key = trust.require_signing_key(
        receipt.key_id,
        moment=moment or datetime.now(UTC),
        origin=included.leaf.origin,
        index=included.leaf.index,
    )
    open_envelope(receipt.envelope, key)
    logs = trust.require_log_keys(included.leaf.origin, size=included.checkpoint.size)
    check_note(parse_note(included.note), logs)
    if not check_inclusion(included.proof, included.leaf.leaf_hash, included.checkpoint.root):
        msg = "Expected a leaf of the log, got none."
        raise EvidenceError(msg, hint="")


def read_event(issuer: Issuer, index: int) -> tuple[KeyEvent, Envelope]:
    """The key event of a leaf, and its envelope."""
    stored = issuer.log.find_statement(index)
    assert stored is not None
    statement = stored.statement
    envelope = Envelope(
        payload=statement.payload,
        signature=statement.signature,
        payload_type=statement.payload_type,
    )
    event = parse_event(statement.payload)
    assert isinstance(event, KeyEvent)
    return event, envelope


def test_a_rotation_is_signed_by_the_old_key_before_the_new_one_signs(issuer: Issuer) -> None:
    old = EntryKey(issuer.keys.find_entry_key().public_key)
    before = issue(issuer)
    change = rotate_receipt_key(issuer)
    new = EntryKey(issuer.keys.find_entry_key().public_key)
    assert (change.old_key, change.new_key) == (old.key_id, new.key_id)
    event, envelope = read_event(issuer, change.index)
    assert open_envelope(envelope, old)
    assert (event.action, event.purpose) == ("rotated", "receipts")
    assert (event.key_sha256, event.replaces_sha256) == (digest_of(new), digest_of(old))
    after = issue(issuer)
    assert parse_bundle(after).key_id == new.key_id
    for raw in (before, after):
        check(raw, trust_now(issuer))


def digest_of(key: EntryKey) -> Digest:
    return Digest.of(key.public_key)


def test_the_old_trust_file_does_not_know_the_new_key(issuer: Issuer) -> None:
    before = trust_now(issuer)
    rotate_receipt_key(issuer)
    assert trust_now(issuer).version > before.version
    with pytest.raises(KeyNotTrustedError, match="signed by one of"):
        check(issue(issuer), before)


def test_an_interrupted_rotation_goes_on_with_the_key_that_was_made(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(KeyRing, "replace_entry_key", fail)
    with pytest.raises(KeyboardInterrupt):
        rotate_receipt_key(issuer)
    monkeypatch.undo()
    staged = next(each for each in issuer.keys.keys.entry_keys if each.valid_for is None)
    assert issuer.keys.find_entry_key().key_id != staged.key_id
    check(issue(issuer), trust_now(issuer))
    assert rotate_receipt_key(issuer).new_key == staged.key_id
    assert len(issuer.keys.keys.entry_keys) == 2


def test_one_head_has_both_log_keys(issuer: Issuer) -> None:
    (old,) = issuer.keys.find_log_keys(issuer.log.origin)
    before = issue(issuer)
    old_trust = trust_now(issuer)
    change = rotate_log_key(issuer)
    (new,) = issuer.keys.find_log_keys(issuer.log.origin)
    both = issuer.log.note(change.size)
    assert check_note(parse_note(both), [old.verifier, new.verifier]) == (
        old.verifier,
        new.verifier,
    )
    # Whoever has the old file can follow the log up to here.
    assert check_note(parse_note(both), old_trust.require_log_keys(old.origin, size=change.size))
    event, _ = read_event(issuer, change.index)
    assert (event.action, event.purpose) == ("rotated", "log")
    after = issue(issuer)
    assert parse_bundle(after).log_id == new.verifier.log_id
    for raw in (before, after):
        check(raw, trust_now(issuer))
    with pytest.raises(EvidenceError):
        check(after, old_trust)


def test_an_interrupted_change_of_the_log_key_goes_on(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(KeyRing, "retire", fail)
    with pytest.raises(KeyboardInterrupt):
        rotate_log_key(issuer)
    monkeypatch.undo()
    between = issue(issuer)
    assert len(parse_note(parse_bundle(between).included.note).signatures) == 2
    check(between, trust_now(issuer))
    rotate_log_key(issuer)
    assert len(issuer.keys.keys.log_keys(issuer.log.origin)) == 2
    assert len(issuer.keys.find_log_keys(issuer.log.origin)) == 1


def test_a_log_whose_signer_does_not_follow_keeps_its_key(
    settings: Settings, issuer: Issuer
) -> None:
    (old,) = issuer.keys.find_log_keys(issuer.log.origin)
    with open_context(settings) as context:
        fixed = TransparencyLog.open(
            context.store.database, old, settings.home.absolute() / "log" / "mark"
        )
        stuck = Issuer(fixed, issuer.keys)
        with pytest.raises(KeyUnavailableError, match="signed by both keys, got 1"):
            rotate_log_key(stuck)
    assert len(issuer.keys.find_log_keys(issuer.log.origin)) == 2


@pytest.mark.parametrize("is_stolen", [False, True])
def test_a_statement_made_before_a_change_and_signed_after_it_counts(
    issuer: Issuer, *, is_stolen: bool
) -> None:
    old = issuer.keys.find_entry_key().key_id
    made_at = datetime.now(UTC)
    if is_stolen:
        revoke_key(issuer, old, below=0, reason="stolen")
    else:
        rotate_receipt_key(issuer)
    signed = issue(issuer)
    assert parse_bundle(signed).key_id != old
    check(signed, trust_now(issuer), moment=made_at)


def test_a_stolen_key_is_replaced_and_trusted_no_more(issuer: Issuer) -> None:
    stolen = issuer.keys.find_entry_key()
    early, late = issue(issuer), issue(issuer)
    below = parse_bundle(late).included.leaf.index
    change = revoke_key(issuer, stolen.key_id, below=below, reason="stolen")
    assert change.old_key == stolen.key_id
    assert change.new_key == issuer.keys.find_entry_key().key_id != stolen.key_id
    event, envelope = read_event(issuer, change.index)
    assert (event.action, event.from_index, event.reason) == ("revoked", below, "stolen")
    assert open_envelope(envelope, EntryKey(issuer.keys.find_entry_key().public_key))
    trust = trust_now(issuer)
    moment = trust.signing_keys[0].valid_for.start
    check(early, trust, moment=moment)
    with pytest.raises(KeyNotTrustedError, match=f"below index {below}"):
        check(late, trust, moment=moment)
    check(issue(issuer), trust)


def test_a_key_that_was_retired_can_be_revoked(issuer: Issuer) -> None:
    old = issuer.keys.find_entry_key().key_id
    rotate_receipt_key(issuer)
    current = issuer.keys.find_entry_key().key_id
    change = revoke_key(issuer, old, below=0, reason="found in a backup")
    assert change.new_key == current == issuer.keys.find_entry_key().key_id
    assert issuer.keys.keys.is_revoked(old)


def test_a_log_key_is_revoked_for_its_own_log(issuer: Issuer) -> None:
    first = issue(issuer)
    log_id = issuer.keys.keys.log_keys(issuer.log.origin)[0].key_id
    change = revoke_key(issuer, log_id, below=1, reason="stolen")
    assert change.purpose == "log"
    check(first, trust_now(issuer))
    check(issue(issuer), trust_now(issuer))
    trust = trust_now(issuer)
    revoked = [log for log in trust.trusted_root.logs if log.valid_for.end is not None]
    alone = replace(trust, trusted_root=replace(trust.trusted_root, logs=tuple(revoked)))
    assert alone.require_log_keys(issuer.log.origin, size=1)
    with pytest.raises(KeyNotTrustedError, match="for 2 leaves"):
        alone.require_log_keys(issuer.log.origin, size=2)


def test_the_last_key_of_a_closed_log_has_no_follower(issuer: Issuer) -> None:
    issue(issuer)
    issuer.keys.prepare("old.example.com", now=datetime.now(UTC))
    listed = issuer.keys.keys.log_keys("old.example.com")[0]
    issuer.keys.retire(listed.key_id, now=datetime.now(UTC))
    change = revoke_key(issuer, listed.key_id, below=100, reason="lost")
    assert change.new_key is None
    assert issuer.keys.keys.revocations[0].origin == "old.example.com"
    assert change.to_json()["new_key_id"] is None


def test_a_revocation_that_was_cut_off_is_logged_by_the_next_run(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    key_id = issuer.keys.find_entry_key().key_id
    issue(issuer)

    def fail(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Issuer, "log_event", fail)
    with pytest.raises(KeyboardInterrupt):
        revoke_key(issuer, key_id, below=1, reason="stolen")
    monkeypatch.undo()
    assert issuer.keys.keys.is_revoked(key_id)
    change = revoke_key(issuer, key_id, below=0, reason="another reason")
    event, _ = read_event(issuer, change.index)
    assert (event.from_index, event.reason) == (1, "stolen")
    with pytest.raises(ConflictError, match="a key that is not revoked"):
        revoke_key(issuer, key_id, below=1, reason="stolen")


def test_without_a_key_in_use_nothing_follows(issuer: Issuer) -> None:
    key_id = issuer.keys.find_entry_key().key_id
    issuer.keys.retire(key_id, now=datetime.now(UTC))
    with pytest.raises(KeyUnavailableError, match="a key in use, got none"):
        rotate_receipt_key(issuer)


def test_what_cannot_be_revoked_is_told(issuer: Issuer) -> None:
    with pytest.raises(KeyUnavailableError, match="the id of a key"):
        revoke_key(issuer, "other", below=0, reason="")
    key_id = issuer.keys.find_entry_key().key_id
    for below in (-1, 1):
        with pytest.raises(ConflictError, match=f"from 0 to 0, got {below}"):
            revoke_key(issuer, key_id, below=below, reason="")
    assert not issuer.keys.keys.revocations


def test_the_keys_of_a_home_are_found_without_opening_it(
    settings: Settings, issuer: Issuer
) -> None:
    origin = issuer.log.origin
    found = find_keys(settings)
    assert found is not None
    assert found[1] == origin
    assert found[0].keys == issuer.keys.keys
    named = settings.model_copy(update={"log_origin": origin})
    assert find_keys(named) is not None
    assert open_keys(settings).folder == settings.home.absolute() / "keys"


def test_a_fresh_home_has_no_keys_to_find(settings: Settings) -> None:
    named = settings.model_copy(update={"log_origin": "log.example.com"})
    assert find_keys(named) is None
    assert not open_keys(settings).keys.entry_keys
