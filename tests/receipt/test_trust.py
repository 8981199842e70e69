from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import KeyNotTrustedError, MalformedTrustError
from core.merkle import MAX_SIZE
from receipt.base64_text import encode_base64
from receipt.trust import Revocation, TrustFile, parse_trust, trust_to_json, write_trust
from receipt.trusted_root import TimestampAuthority, ValidFor, is_origin
from tests.receipt.samples import (
    ORIGIN,
    VALID_FROM,
    Issuer,
    make_entry_key,
    make_log_key,
    make_trust,
    to_trust_bytes,
)
from tests.receipt.statements import MOMENT
from tests.strategies import unhurried

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ISSUER = Issuer()
RAW = to_trust_bytes(ISSUER)
TRUST = parse_trust(RAW)
KEY_ID = ISSUER.key.key_id
LOG_ID = encode_base64(make_log_key().verifier.log_id)
DAY = timedelta(days=1)


def revoke(key_id: str, log_size: int, origin: str = ORIGIN) -> TrustFile:
    """The trust file with one key revoked."""
    revocation = Revocation(
        key_id=key_id, origin=origin, log_size=log_size, revoked_at=MOMENT, reason="stolen"
    )
    return replace(TRUST, revocations=(revocation,))


def full() -> TrustFile:
    """One with everything that can stand in it."""
    authority = TimestampAuthority(
        uri="https://tsa.example.com",
        organization="Example",
        common_name="",
        certificates=(b"leaf", b"root"),
        valid_for=ValidFor(start=VALID_FROM, end=MOMENT),
    )
    return replace(
        revoke(KEY_ID, 7),
        trusted_root=replace(TRUST.trusted_root, timestamp_authorities=(authority,)),
        version=3,
        issued_at=MOMENT,
        expires_at=MOMENT + DAY,
        witness_policy="log log.example.com+00000000+AQ==\n",
    )


def test_the_contracts_shape_is_read() -> None:
    assert TRUST.origin == ORIGIN
    assert [each.key.key_id for each in TRUST.signing_keys] == [KEY_ID]
    assert [log.key for log in TRUST.trusted_root.logs] == [make_log_key().verifier]
    assert TRUST.version == 1
    assert not TRUST.revocations


def test_the_digest_is_that_of_the_file() -> None:
    assert TRUST.digest.hex == hashlib.sha256(RAW).hexdigest()
    assert replace(TRUST, raw=b"").digest.hex == hashlib.sha256(write_trust(TRUST)).hexdigest()


@pytest.mark.parametrize("trust", [TRUST, full()], ids=["plain", "full"])
def test_a_trust_file_that_was_written_is_read(trust: TrustFile) -> None:
    raw = write_trust(trust)
    assert parse_trust(raw) == trust
    assert json.loads(raw) == trust_to_json(trust)
    assert write_trust(parse_trust(raw)) == raw


def log_of(value: Any) -> Any:
    """The first log."""
    return value["trusted_root"]["tlogs"][0]


def add_key_again(value: Any) -> None:
    """The same key twice, under other windows."""
    again = json.loads(json.dumps(value["signing_keys"][0]))
    again["valid_for"] = {"start": "2020-01-01T00:00:00Z"}
    value["signing_keys"].append(again)


MALFORMED: dict[str, Callable[[Any], object]] = {
    "unknown_field": lambda v: v.update(extra=1),
    "no_origin": lambda v: v.pop("origin"),
    "origin_of_another_log": lambda v: v.update(origin="other.example.com"),
    "origin_in_capitals": lambda v: v.update(origin="LOG.example.com"),
    "no_signing_keys": lambda v: v.update(signing_keys=[]),
    "key_twice": add_key_again,
    "key_under_another_id": lambda v: v["signing_keys"][0].update(key_id=LOG_ID),
    "log_key_as_signing_key": lambda v: v["signing_keys"][0].update(
        spki_b64=encode_base64(make_log_key().verifier.spki)
    ),
    "key_without_window": lambda v: v["signing_keys"][0].pop("valid_for"),
    "window_without_start": lambda v: v["signing_keys"][0].update(valid_for={}),
    "window_that_ends_before_it_starts": lambda v: v["signing_keys"][0].update(
        valid_for={"start": "2026-01-02T00:00:00Z", "end": "2026-01-01T00:00:00Z"}
    ),
    "other_media_type": lambda v: v["trusted_root"].update(mediaType="application/json"),
    "no_logs": lambda v: v["trusted_root"].update(tlogs=[]),
    "log_twice": lambda v: v["trusted_root"]["tlogs"].append(log_of(v)),
    "log_without_https": lambda v: log_of(v).update(baseUrl="http://log.example.com"),
    "log_with_a_path": lambda v: log_of(v).update(baseUrl="https://log.example.com/"),
    "log_with_a_port": lambda v: log_of(v).update(baseUrl="https://log.example.com:443"),
    "log_of_another_hash": lambda v: log_of(v).update(hashAlgorithm="SHA2_512"),
    "log_key_of_another_kind": lambda v: log_of(v)["publicKey"].update(
        keyDetails="PKIX_ECDSA_P256_SHA_256"
    ),
    "signing_key_as_log_key": lambda v: log_of(v)["publicKey"].update(
        rawBytes=encode_base64(ISSUER.key.public_key)
    ),
    "log_under_another_id": lambda v: log_of(v)["logId"].update(keyId=KEY_ID),
    "certificate_authorities": lambda v: v["trusted_root"].update(certificateAuthorities=[{}]),
    "certificate_logs": lambda v: v["trusted_root"].update(ctlogs=[{}]),
    "timestamp_authority_without_certificates": lambda v: v["trusted_root"].update(
        timestampAuthorities=[
            {
                "subject": {"organization": "", "commonName": ""},
                "uri": "https://tsa.example.com",
                "certChain": {"certificates": []},
                "validFor": {"start": "2026-01-01T00:00:00Z"},
            }
        ]
    ),
    "version_zero": lambda v: v.update(version=0),
    "version_as_a_text": lambda v: v.update(version="1"),
    "expiry_without_zone": lambda v: v.update(expires_at="2026-01-01T00:00:00"),
    "revocation_without_size": lambda v: v.update(revocations=[{"key_id": KEY_ID}]),
    "witness_policy_as_an_object": lambda v: v.update(witness_policy={}),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_any_other_shape_is_refused(case: str) -> None:
    value = json.loads(RAW)
    MALFORMED[case](value)
    with pytest.raises(MalformedTrustError) as caught:
        parse_trust(json.dumps(value).encode())
    assert caught.value.message.startswith("Expected ")


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", RAW[:-1], b'{"origin": 1, "origin": 1}'])
def test_what_is_no_trust_file_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedTrustError):
        parse_trust(raw)


def make_revocation(key_id: str = KEY_ID, **fields: Any) -> dict[str, Any]:
    """A revocation as it stands in the file."""
    plain = {"origin": ORIGIN, "log_size": 0, "revoked_at": "2026-11-20T14:00:00Z", "reason": ""}
    return {"key_id": key_id} | plain | fields


def make_authority(certificates: list[bytes]) -> dict[str, Any]:
    """A time-stamping authority as it stands in the file."""
    return {
        "subject": {"organization": "", "commonName": ""},
        "uri": "https://tsa.example.com",
        "certChain": {"certificates": [{"rawBytes": encode_base64(c)} for c in certificates]},
        "validFor": {"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T00:00:00Z"},
    }


def set_authorities(value: Any, authorities: list[Any]) -> None:
    """Put these in."""
    value["trusted_root"]["timestampAuthorities"] = authorities


#: Each part as large as it may be, and one larger.
BOUNDS: dict[str, tuple[int, Callable[[Any, int], object]]] = {
    "version": (2**31, lambda v, n: v.update(version=n)),
    "witness_policy": (65_536, lambda v, n: v.update(witness_policy="#" * n)),
    "revocations": (1000, lambda v, n: v.update(revocations=[make_revocation()] * n)),
    "revoked_size": (2**53 - 1, lambda v, n: v.update(revocations=[make_revocation(log_size=n)])),
    "reason": (1024, lambda v, n: v.update(revocations=[make_revocation(reason="r" * n)])),
    "revoked_key": (
        32,
        lambda v, n: v.update(revocations=[make_revocation(encode_base64(bytes(n)))]),
    ),
    "authorities": (100, lambda v, n: set_authorities(v, [make_authority([b"c"])] * n)),
    "certificates": (16, lambda v, n: set_authorities(v, [make_authority([b"c"] * n)])),
    "certificate": (65_536, lambda v, n: set_authorities(v, [make_authority([bytes(n)])])),
}


@pytest.mark.parametrize("part", BOUNDS)
def test_each_part_is_as_large_as_it_may_be_and_no_larger(part: str) -> None:
    most, change = BOUNDS[part]
    value = json.loads(RAW)
    change(value, most)
    read = trust_to_json(parse_trust(json.dumps(value).encode()))
    assert {name: read[name] for name in value if name != "trusted_root"} == {
        name: value[name] for name in value if name != "trusted_root"
    }
    assert read["trusted_root"] == read["trusted_root"] | value["trusted_root"]
    change(value, most + 1)
    with pytest.raises(MalformedTrustError):
        parse_trust(json.dumps(value).encode())


#: What is refused for another reason while there are no more than may be.
COUNTED: dict[str, tuple[Callable[[Any, int], object], int, str, str]] = {
    "signing_keys": (
        lambda v, n: v.update(signing_keys=v["signing_keys"][:1] * n),
        1000,
        "each key once at '/signing_keys'",
        "an array of 1 to 1000 at '/signing_keys'",
    ),
    "logs": (
        lambda v, n: v["trusted_root"].update(tlogs=[log_of(v)] * n),
        1000,
        "each key of a log once at '/trusted_root/tlogs'",
        "an array of 1 to 1000 at '/trusted_root/tlogs'",
    ),
    "signing_key": (
        lambda v, n: v["signing_keys"][0].update(spki_b64=encode_base64(bytes(n))),
        1024,
        "a P-256 key (SubjectPublicKeyInfo) at '/signing_keys/0/spki_b64'",
        "1 to 1024 bytes at '/signing_keys/0/spki_b64'",
    ),
    "log_key": (
        lambda v, n: log_of(v)["publicKey"].update(rawBytes=encode_base64(bytes(n))),
        1024,
        "an Ed25519 key (SubjectPublicKeyInfo) at '/trusted_root/tlogs/0/publicKey/rawBytes'",
        "1 to 1024 bytes at '/trusted_root/tlogs/0/publicKey/rawBytes'",
    ),
}


@pytest.mark.parametrize("part", COUNTED)
def test_keys_are_counted_before_they_are_looked_at(part: str) -> None:
    change, most, looked_at, counted = COUNTED[part]
    for size, words in ((most, looked_at), (most + 1, counted)):
        value = json.loads(RAW)
        change(value, size)
        with pytest.raises(MalformedTrustError) as caught:
            parse_trust(json.dumps(value).encode())
        assert caught.value.message.startswith(f"Expected {words}, got ")


@pytest.mark.parametrize(
    ("raw", "got"),
    [
        (b" " * 4_194_304, "no JSON"),
        (b" " * 4_194_305, "4194305 bytes, more than 4194304"),
        (b"[" * 10 + b"0" + b"]" * 10, "an object at '/'"),
        (b"[" * 11 + b"0" + b"]" * 11, "more than 10 levels"),
    ],
    ids=["bytes", "bytes_too_many", "levels", "levels_too_many"],
)
def test_a_file_is_bounded_before_anything_is_looked_at(raw: bytes, got: str) -> None:
    with pytest.raises(MalformedTrustError, match=got) as caught:
        parse_trust(raw)
    assert caught.value.hint is not None
    assert "audit trust" in caught.value.hint


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("origin_of_another_log", "a log of the trusted root at '/origin'"),
        ("origin_in_capitals", "a host name in lower case at '/origin'"),
        ("key_under_another_id", "'"),
        ("log_with_a_path", "https:// and a host name in lower case at '/trusted_root/tlogs/0/"),
        ("window_that_ends_before_it_starts", "an end that is not before the start at '/signing"),
        ("certificate_logs", "an array of 0 at '/trusted_root/ctlogs'"),
        ("certificate_authorities", "an array of 0 at '/trusted_root/certificateAuthorities'"),
        ("version_zero", "an integer from 1 to 2147483648 at '/version'"),
    ],
)
def test_what_is_refused_is_named(case: str, words: str) -> None:
    value = json.loads(RAW)
    MALFORMED[case](value)
    with pytest.raises(MalformedTrustError) as caught:
        parse_trust(json.dumps(value).encode())
    assert caught.value.message.startswith(f"Expected {words}")


def test_empty_lists_of_what_is_never_asked_are_read_and_written() -> None:
    value = json.loads(RAW)
    empty: dict[str, list[Any]] = {
        "certificateAuthorities": [],
        "ctlogs": [],
        "timestampAuthorities": [],
    }
    value["trusted_root"] |= empty
    trust = parse_trust(json.dumps(value).encode())
    assert trust == TRUST
    assert trust_to_json(trust) == value | {"version": 1, "revocations": []}


@unhurried
@given(data=st.data())
def test_a_changed_trust_file_is_refused_or_says_something_else(data: st.DataObject) -> None:
    raw = write_trust(full())
    changed = bytearray(raw)
    at = data.draw(st.integers(0, len(raw) - 1))
    changed[at] = data.draw(st.integers(0, 255))
    try:
        trust = parse_trust(bytes(changed))
    except MalformedTrustError:
        return
    assert trust_to_json(trust) == json.loads(bytes(changed))


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
    with pytest.raises(KeyNotTrustedError, match="for 8 leaves, got none that may sign"):
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


def test_windows_are_written_for_people() -> None:
    assert str(ValidFor(start=VALID_FROM)) == "2026-10-21T14:00:00Z to now"
    with pytest.raises(ValueError, match="after"):
        ValidFor(start=MOMENT, end=VALID_FROM)


@pytest.mark.parametrize(
    "name",
    [
        *("a", "log.example.com", "t-7f3c.log.example.com", "1.2", "a" * 63),
        ".".join([*["a" * 63] * 3, "a" * 61]),
    ],
)
def test_a_host_name_is_an_origin(name: str) -> None:
    assert is_origin(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "A",
            "a.",
            ".a",
            "a..b",
            "-a",
            "a-",
            "a_b",
            "a/b",
            "a:1",
            "a b",
            "a\n",
            "é",
            "a" * 64,
        ),
        ".".join(["a" * 63] * 4),
        ".".join([*["a" * 63] * 3, "a" * 62]),
    ],
)
def test_nothing_else_is_an_origin(name: str) -> None:
    assert not is_origin(name)


def test_published_roots_are_refused_whole(test_data: Path) -> None:
    # They trust authorities of certificates and logs of other kinds, which we would never ask.
    folder = test_data / "vectors" / "sigstore-rekor2" / "test" / "assets" / "bundle-verify"
    paths = sorted(folder.glob("*/trusted_root.json"))
    assert len(paths) == 28
    for path in paths:
        value = json.loads(RAW) | {"trusted_root": json.loads(path.read_bytes())}
        with pytest.raises(MalformedTrustError):
            parse_trust(json.dumps(value).encode())
