"""A trust file is read and written in one shape; any other is refused and named."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedTrustError
from spanproof.core.json_reader.base64_text import encode_base64
from spanproof.receipt.keys.trust_file import TrustFile, parse_trust, trust_to_json, write_trust
from tests.receipt.samples import ORIGIN, make_log_key
from tests.receipt.trusted import ISSUER, KEY_ID, LOG_ID, RAW, TRUST, full, log_of
from tests.strategies import unhurried

if TYPE_CHECKING:
    from collections.abc import Callable


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
