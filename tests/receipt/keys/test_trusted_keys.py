"""Which key is believed: when, in which log, up to which leaf."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from spanproof.core.errors import KeyNotTrustedError
from spanproof.core.log.merkle import MAX_SIZE
from spanproof.receipt.keys.trust_file import TrustFile, parse_trust, write_trust
from tests.receipt.samples import ORIGIN, VALID_FROM, make_entry_key, make_log_key, make_trust
from tests.receipt.statements import MOMENT
from tests.receipt.trusted import DAY, ISSUER, KEY_ID, LOG_ID, TRUST, full, revoke


def test_a_key_is_found_by_its_id() -> None:
    found = TRUST.require_signing_key(KEY_ID, moment=MOMENT, origin=ORIGIN, index=9)
    assert found.public_key == ISSUER.key.public_key
    with pytest.raises(KeyNotTrustedError, match=r"signed by one of .* got 'abc'"):
        TRUST.require_signing_key("abc", moment=MOMENT, origin=ORIGIN, index=9)


@pytest.mark.parametrize(
    ("moment", "is_trusted"),
    [
        (VALID_FROM - timedelta(milliseconds=1), False),
        (VALID_FROM, True),
        (MOMENT, True),
        (MOMENT + timedelta(milliseconds=1), False),
    ],
)
def test_a_key_is_trusted_within_its_window_ends_included(
    moment: datetime, *, is_trusted: bool
) -> None:
    trust = parse_trust(json.dumps(make_trust([ISSUER.key], [ISSUER.log.key], end=MOMENT)).encode())

    def ask() -> None:
        trust.require_signing_key(KEY_ID, moment=moment, origin=ORIGIN, index=0)

    if is_trusted:
        ask()
        return
    with pytest.raises(KeyNotTrustedError, match=r"to be used from 2026-10-21T14:00:00Z to"):
        ask()


def test_a_revoked_key_keeps_what_a_witness_saw() -> None:
    trust = revoke(KEY_ID, 7)
    trust.require_signing_key(KEY_ID, moment=MOMENT, origin=ORIGIN, index=6)
    with pytest.raises(KeyNotTrustedError, match=r"below index 7 of .* got index 7"):
        trust.require_signing_key(KEY_ID, moment=MOMENT, origin=ORIGIN, index=7)


def test_a_revoked_key_counts_for_nothing_in_another_log() -> None:
    trust = revoke(KEY_ID, 7, "other.example.com")
    with pytest.raises(KeyNotTrustedError, match="below index 0"):
        trust.require_signing_key(KEY_ID, moment=MOMENT, origin=ORIGIN, index=0)


def test_the_strictest_of_several_revocations_holds() -> None:
    twice = revoke(KEY_ID, 7).revocations + revoke(KEY_ID, 3).revocations
    trust = replace(TRUST, revocations=twice)
    with pytest.raises(KeyNotTrustedError):
        trust.require_signing_key(KEY_ID, moment=MOMENT, origin=ORIGIN, index=3)


def limit_of(trust: TrustFile, origin: str = ORIGIN) -> int:
    """Below which index of a log the sample's key still speaks."""
    for index in (6, 7, 9, 10):
        try:
            trust.require_signing_key(KEY_ID, moment=MOMENT, origin=origin, index=index)
        except KeyNotTrustedError:
            return index
    return MAX_SIZE


def test_a_check_of_a_log_believes_what_stood_there_before_the_revocation() -> None:
    (seen,) = revoke(KEY_ID, 7).revocations
    for logged, limit in ((None, 7), (3, 7), (9, 9)):
        trust = replace(TRUST, revocations=(replace(seen, revocation_index=logged),))
        assert limit_of(trust.as_logged(ORIGIN)) == limit
        assert limit_of(trust) == 7


def test_a_log_that_was_closed_before_the_revocation_keeps_its_leaves() -> None:
    (seen,) = revoke(KEY_ID, 7, "next.example.com").revocations
    trust = replace(TRUST, revocations=(seen,))
    at = seen.revoked_at
    for closed_at, limit in (
        (None, 6),
        (at - timedelta(seconds=1), MAX_SIZE),
        (at, MAX_SIZE),
        (at + timedelta(seconds=1), 6),
    ):
        assert limit_of(trust.as_logged(ORIGIN, closed_at=closed_at)) == limit
    # In the log that was revoked for, its own limit stays.
    assert limit_of(trust.as_logged("next.example.com", closed_at=at), "next.example.com") == 7


def test_a_revocation_with_its_place_in_the_log_is_read_as_it_was_written() -> None:
    (seen,) = revoke(KEY_ID, 7).revocations
    placed = replace(seen, revocation_index=9)
    found = parse_trust(write_trust(replace(TRUST, revocations=(placed,))))
    assert found.revocations == (placed,)


def test_log_keys_are_found_by_origin_and_time() -> None:
    keys = (make_log_key().verifier,)
    assert TRUST.require_log_keys(ORIGIN, size=1) == keys
    assert TRUST.require_log_keys(ORIGIN, size=1, moment=MOMENT) == keys
    with pytest.raises(KeyNotTrustedError, match=r"a log of log\.example\.com, got 'other'"):
        TRUST.require_log_keys("other", size=1)
    with pytest.raises(KeyNotTrustedError, match="for 1 leaves at 2026-10-20"):
        TRUST.require_log_keys(ORIGIN, size=1, moment=VALID_FROM - DAY)


def test_two_keys_of_a_log_are_both_found() -> None:
    logs = [make_log_key(1), make_log_key(2), make_log_key(3, "old.example.com")]
    trust = parse_trust(json.dumps(make_trust([ISSUER.key], logs)).encode())
    assert trust.require_log_keys(ORIGIN, size=1) == (logs[0].verifier, logs[1].verifier)
    assert trust.require_log_keys("old.example.com", size=1) == (logs[2].verifier,)
    with pytest.raises(KeyNotTrustedError, match=r"a log of log\.example\.com, old\.example\.com,"):
        trust.require_log_keys("other", size=1)


def test_the_keys_that_are_known_are_named() -> None:
    keys = [make_entry_key(number) for number in (1, 2)]
    trust = parse_trust(json.dumps(make_trust(keys, [make_log_key()])).encode())
    with pytest.raises(KeyNotTrustedError) as caught:
        trust.require_signing_key("other", moment=MOMENT, origin=ORIGIN, index=0)
    assert f"one of {keys[0].key_id}, {keys[1].key_id}, got 'other'" in caught.value.message


def test_a_revoked_log_key_signs_no_larger_head() -> None:
    trust = revoke(LOG_ID, 7)
    assert trust.require_log_keys(ORIGIN, size=7)
    with pytest.raises(KeyNotTrustedError, match="for 8 leaves, got no valid key"):
        trust.require_log_keys(ORIGIN, size=8)


def test_a_file_expires_after_its_moment() -> None:
    assert not TRUST.is_expired(datetime(9999, 1, 1, tzinfo=UTC))
    trust = full()
    assert not trust.is_expired(MOMENT + DAY)
    assert trust.is_expired(MOMENT + DAY + timedelta(seconds=1))


def test_another_key_id_is_no_prefix_of_one() -> None:
    key = make_entry_key(2)
    for asked in (KEY_ID[:-1], KEY_ID.lower(), key.key_id, ""):
        with pytest.raises(KeyNotTrustedError):
            TRUST.require_signing_key(asked, moment=MOMENT, origin=ORIGIN, index=0)
