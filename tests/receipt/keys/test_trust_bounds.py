"""How large a trust file and its parts may be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import MalformedTrustError
from spanproof.core.json_reader.base64_text import encode_base64
from spanproof.receipt.keys.trust_file import parse_trust, trust_to_json
from tests.receipt.samples import ORIGIN
from tests.receipt.trusted import KEY_ID, RAW, log_of

if TYPE_CHECKING:
    from collections.abc import Callable


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
        (b" " * 4_194_304, "not JSON"),
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
