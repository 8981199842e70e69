"""Signature vectors of others through our own verifiers: DSSE, Wycheproof, and JCS below them."""

from __future__ import annotations

import base64
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

from core import canonical_json
from receipt.dsse import encode
from receipt.keys import EntryKey, LocalEntryKey, LogKey

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def read_cases(test_data: Path, name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each case of a file of Wycheproof, with its group."""
    path = test_data / "vectors" / "wycheproof" / "testvectors_v1" / name
    for group in json.loads(path.read_text(encoding="utf-8"))["testGroups"]:
        for case in group["tests"]:
            yield group, case


def test_the_dsse_example_is_encoded_verified_and_signed_again(test_data: Path) -> None:
    vector = json.loads((test_data / "vectors" / "dsse" / "vector.json").read_text())
    envelope = vector["envelope"]
    message = encode(envelope["payloadType"], base64.b64decode(envelope["payload"]))
    assert message == vector["pae"].encode()
    signer = LocalEntryKey(ec.derive_private_key(int(vector["d"]), ec.SECP256R1()))
    numbers = signer.private.public_key().public_numbers()
    assert (numbers.x, numbers.y) == (int(vector["x"]), int(vector["y"]))
    raw = base64.b64decode(envelope["signatures"][0]["sig"])
    r, s = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
    assert EntryKey(signer.public_key).verify(message, encode_dss_signature(r, s))
    # The example was made with RFC 6979, as ours are.
    assert decode_dss_signature(signer.sign(message)) == (r, s)


def test_wycheproof_p256_in_der(test_data: Path) -> None:
    found: Counter[tuple[str, bool]] = Counter()
    for group, case in read_cases(test_data, "ecdsa_secp256r1_sha256_test.json"):
        key = EntryKey(bytes.fromhex(group["publicKeyDer"]))
        verified = key.verify(bytes.fromhex(case["msg"]), bytes.fromhex(case["sig"]))
        assert verified == (case["result"] == "valid"), case["tcId"]
        found[case["result"], verified] += 1
    assert found == {("valid", True): 174, ("invalid", False): 310}


def test_wycheproof_p256_as_two_bare_numbers_is_refused_and_right_once_written_as_der(
    test_data: Path,
) -> None:
    found: Counter[tuple[str, bool]] = Counter()
    for group, case in read_cases(test_data, "ecdsa_secp256r1_sha256_p1363_test.json"):
        key = EntryKey(bytes.fromhex(group["publicKeyDer"]))
        message, raw = bytes.fromhex(case["msg"]), bytes.fromhex(case["sig"])
        assert not key.verify(message, raw), case["tcId"]
        # The form has 64 bytes, whatever numbers another length would give.
        r, s = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
        verified = len(raw) == 64 and key.verify(message, encode_dss_signature(r, s))
        assert verified == (case["result"] == "valid"), case["tcId"]
        found[case["result"], verified] += 1
    assert found == {("valid", True): 173, ("invalid", False): 89}


def test_wycheproof_ed25519(test_data: Path) -> None:
    found: Counter[tuple[str, bool]] = Counter()
    for group, case in read_cases(test_data, "ed25519_test.json"):
        key = LogKey.from_spki(bytes.fromhex(group["publicKeyDer"]), "log.example.com")
        # A note's text is UTF-8, a case's message is any bytes: the same library call below both.
        message = bytes.fromhex(case["msg"])
        verified = verify(key, message, bytes.fromhex(case["sig"]))
        assert verified == (case["result"] == "valid"), case["tcId"]
        found[case["result"], verified] += 1
    assert found == {("valid", True): 88, ("invalid", False): 63}


def verify(key: LogKey, message: bytes, signature: bytes) -> bool:
    """A log key over any bytes."""
    from receipt.keys import verify_ed25519

    return verify_ed25519(key.public_key, message, signature)


def test_the_six_examples_of_jcs(test_data: Path) -> None:
    inputs = sorted((test_data / "vectors" / "jcs-rfc8785").rglob("input/*.json"))
    assert len(inputs) == 6
    for path in inputs:
        expected = (path.parent.parent / "output" / path.name).read_bytes().rstrip(b"\n")
        assert canonical_json.dumps(json.loads(path.read_text(encoding="utf-8"))) == expected
