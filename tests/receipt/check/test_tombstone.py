"""A tombstone excuses what is gone: it is believed as a receipt is, and nothing less."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import EvidenceError, KeyNotTrustedError, MalformedReceiptError
from spanproof.receipt.check.receipt import check_tombstone
from spanproof.receipt.forms.dsse import Envelope
from spanproof.receipt.keys.trust_file import parse_trust
from spanproof.receipt.statement.event_statement import write_event
from spanproof.receipt.statement.events import Erasure, FsckResult
from tests.receipt.samples import (
    VALID_FROM,
    Issuer,
    make_entry_key,
    make_trust,
    to_bytes,
    to_trust_bytes,
)
from tests.receipt.statements import MOMENT, SOURCE, to_text

ISSUER = Issuer()
ISSUER.issue()
TRUST = parse_trust(to_trust_bytes(ISSUER))
EVENT_ID = "01935a6e-8a00-7000-8000-000000000002"
ERASURE = Erasure(
    event_id=EVENT_ID,
    nonce=bytes(16),
    origin=ISSUER.log.origin,
    time=MOMENT,
    doc_hash=Digest.of(SOURCE),
    contents=(Digest.of(SOURCE),),
    reason="The author asked for it.",
)
HOUR = timedelta(hours=1)
TOMBSTONE = ISSUER.include(ISSUER.sign(write_event(ERASURE)))


def test_it_tells_what_was_erased_and_where_that_is_logged() -> None:
    found = check_tombstone(to_bytes(TOMBSTONE), TRUST, now=MOMENT)
    assert found.event == ERASURE
    assert found.index == 2


def test_a_statement_of_another_kind_excuses_nothing() -> None:
    other = FsckResult(
        event_id=EVENT_ID,
        nonce=bytes(16),
        origin=ISSUER.log.origin,
        time=MOMENT,
        size=1,
        root=bytes(32),
        is_sound=True,
        findings=0,
        checked_leaves=1,
    )
    made = ISSUER.include(ISSUER.sign(write_event(other)))
    with pytest.raises(MalformedReceiptError) as caught:
        check_tombstone(to_bytes(made), TRUST, now=MOMENT)
    assert caught.value.message == (
        "Expected the statement of an erasure, got one of kind 'fsck-result'."
    )
    assert caught.value.hint == "Give what 'spanproof erase --tombstone' wrote."


def test_one_of_another_log_excuses_nothing_here() -> None:
    made = ISSUER.include(ISSUER.sign(write_event(replace(ERASURE, origin="log.example.org"))))
    with pytest.raises(EvidenceError) as caught:
        check_tombstone(to_bytes(made), TRUST, now=MOMENT)
    assert caught.value.message == (
        "Expected a tombstone of the log 'log.example.com', got one of 'log.example.org'."
    )
    assert caught.value.hint == "Give the tombstone as it was issued."


def test_words_that_nobody_signed_are_refused() -> None:
    forged = write_event(replace(ERASURE, reason="Nobody asked for it."))
    envelope = Envelope(payload=forged, signature=TOMBSTONE.envelope.signature)
    with pytest.raises(EvidenceError, match="signature"):
        check_tombstone(to_bytes(replace(TOMBSTONE, envelope=envelope)), TRUST, now=MOMENT)


def test_one_that_was_signed_and_never_logged_is_refused() -> None:
    elsewhere = replace(TOMBSTONE, included=ISSUER.log.prove(0))
    with pytest.raises(EvidenceError, match="leaf"):
        check_tombstone(to_bytes(elsewhere), TRUST, now=MOMENT)


def test_a_key_that_the_trust_file_does_not_name_is_refused() -> None:
    stranger = Issuer(key=make_entry_key(2), log=ISSUER.log)
    made = stranger.include(stranger.sign(write_event(ERASURE)))
    with pytest.raises(EvidenceError, match="a key of the trust file"):
        check_tombstone(to_bytes(made), TRUST, now=MOMENT)


def test_a_trust_file_that_expired_shows_nothing() -> None:
    trust = parse_trust(to_trust_bytes(ISSUER, expires_at=to_text(MOMENT - HOUR)))
    with pytest.raises(EvidenceError, match="a trust file in use"):
        check_tombstone(to_bytes(TOMBSTONE), trust, now=MOMENT)


def test_a_key_speaks_for_its_own_time() -> None:
    trust = parse_trust(json.dumps(make_trust([ISSUER.key], [ISSUER.log.key])).encode())
    early = replace(ERASURE, time=VALID_FROM - HOUR)
    made = ISSUER.include(ISSUER.sign(write_event(early)))
    with pytest.raises(KeyNotTrustedError, match="to be used from"):
        check_tombstone(to_bytes(made), trust, now=MOMENT)


def test_a_head_key_that_had_ended_before_it_shows_nothing() -> None:
    value = make_trust([ISSUER.key], [ISSUER.log.key])
    ended = {"start": to_text(VALID_FROM), "end": to_text(MOMENT - HOUR)}
    value["trusted_root"]["tlogs"][0]["publicKey"]["validFor"] = ended
    with pytest.raises(KeyNotTrustedError, match="a head signed by a key in use"):
        check_tombstone(to_bytes(TOMBSTONE), parse_trust(json.dumps(value).encode()), now=MOMENT)


@pytest.mark.parametrize(("log_size", "is_believed"), [(2, False), (3, True)])
def test_a_revoked_key_speaks_below_the_last_witnessed_head(
    log_size: int, *, is_believed: bool
) -> None:
    revocation = {
        "key_id": ISSUER.key.key_id,
        "origin": ISSUER.log.origin,
        "log_size": log_size,
        "revoked_at": to_text(MOMENT - HOUR),
        "reason": "lost",
    }
    trust = parse_trust(to_trust_bytes(ISSUER, revocations=[revocation]))
    if is_believed:
        assert check_tombstone(to_bytes(TOMBSTONE), trust, now=MOMENT).index == 2
        return
    with pytest.raises(KeyNotTrustedError, match="below index 2"):
        check_tombstone(to_bytes(TOMBSTONE), trust, now=MOMENT)
