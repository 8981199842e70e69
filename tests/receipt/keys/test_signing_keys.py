from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.log.checkpoint import Checkpoint
from spanproof.receipt.forms.signed_note import check_note, parse_note
from spanproof.receipt.keys.signing_keys import (
    EntryKey,
    LocalEntryKey,
    LocalLogKey,
    LogKey,
    load_p256,
    name_public_key,
    verify_ecdsa,
    verify_ed25519,
)
from tests.receipt.samples import make_entry_key, make_log_key

if TYPE_CHECKING:
    from pathlib import Path

SIGNER = make_entry_key()
KEY = EntryKey(SIGNER.public_key)
#: The order of the curve P-256 (FIPS 186-5).
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def to_spki(public: ec.EllipticCurvePublicKey | rsa.RSAPublicKey | x25519.X25519PublicKey) -> bytes:
    return public.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def write_integer(number: int, *, padding: int = 0) -> bytes:
    """A DER INTEGER; padding makes it BER."""
    content = b"\0" * padding + number.to_bytes(number.bit_length() // 8 + 1, "big")
    return b"\x02" + bytes([len(content)]) + content


def write_signature(r: int, s: int, *, padding: int = 0) -> bytes:
    body = write_integer(r, padding=padding) + write_integer(s)
    return b"\x30" + bytes([len(body)]) + body


def test_the_same_words_give_the_same_signature() -> None:
    assert SIGNER.sign(b"words") == SIGNER.sign(b"words")
    assert KEY.verify(b"words", SIGNER.sign(b"words"))
    assert not KEY.verify(b"word", SIGNER.sign(b"words"))
    assert not EntryKey(make_entry_key(2).public_key).verify(b"words", SIGNER.sign(b"words"))


def test_a_signature_holds_over_the_digest_alone() -> None:
    signature = SIGNER.sign(b"words")
    assert KEY.verify_digest(hashlib.sha256(b"words").digest(), signature)
    assert not KEY.verify_digest(hashlib.sha256(b"word").digest(), signature)
    assert not KEY.verify_digest(b"words", signature)


def test_a_key_is_named_by_the_digest_of_its_spki() -> None:
    expected = base64.b64encode(hashlib.sha256(SIGNER.public_key).digest()).decode()
    assert name_public_key(SIGNER.public_key) == expected
    assert SIGNER.key_id == KEY.key_id == expected


def test_new_keys_differ() -> None:
    assert LocalEntryKey.generate().key_id != LocalEntryKey.generate().key_id
    assert LocalLogKey.generate("a.example").verifier != LocalLogKey.generate("a.example").verifier


def test_a_signature_is_written_in_one_way() -> None:
    signature = SIGNER.sign(b"words")
    r, s = decode_dss_signature(signature)
    assert write_signature(r, s) == signature
    long_form = b"\x30\x81" + signature[1:]
    for other in (
        write_signature(r, s, padding=1),
        signature + b"\0",
        long_form,
        b"\x30\x80" + signature[2:] + b"\0\0",
        r.to_bytes(32, "big") + s.to_bytes(32, "big"),
        b"",
    ):
        assert not KEY.verify(b"words", other)


def test_the_other_s_holds_too_and_is_another_signature() -> None:
    # As the standard has it. A leaf names the signature that was made, so this one has no leaf.
    r, s = decode_dss_signature(SIGNER.sign(b"words"))
    other = write_signature(r, ORDER - s)
    assert other != SIGNER.sign(b"words")
    assert verify_ecdsa(load_p256(SIGNER.public_key), b"words", other)


@given(position=st.integers(0, 71), byte=st.integers(0, 255))
def test_no_byte_of_a_signature_can_be_changed(position: int, byte: int) -> None:
    signature = bytearray(SIGNER.sign(b"words"))
    position %= len(signature)
    is_same = signature[position] == byte
    signature[position] = byte
    assert KEY.verify(b"words", bytes(signature)) == is_same


@pytest.mark.parametrize(
    "spki",
    [
        b"",
        b"key",
        SIGNER.public_key[:-1],
        SIGNER.public_key + b"\0",
        to_spki(ec.generate_private_key(ec.SECP384R1()).public_key()),
        to_spki(ec.generate_private_key(ec.SECP256K1()).public_key()),
        to_spki(rsa.generate_private_key(65537, 2048).public_key()),
        to_spki(x25519.X25519PrivateKey.generate().public_key()),
        make_log_key().verifier.spki,
        SIGNER.private.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint
        ),
        bytes.fromhex("3039301306072a8648ce3d020106082a8648ce3d030107032200")
        + SIGNER.private.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint
        ),
    ],
    ids=[
        "empty",
        "words",
        "cut",
        "longer",
        "p384",
        "secp256k1",
        "rsa",
        "x25519",
        "ed25519",
        "bare_point",
        "compressed_point",
    ],
)
def test_only_p256_keys_in_their_one_form_are_read(spki: bytes) -> None:
    with pytest.raises(ValueError, match=r"^Expected a P-256 key"):
        EntryKey(spki)


def test_keys_are_equal_by_their_bytes() -> None:
    assert EntryKey(SIGNER.public_key) == KEY
    assert hash(EntryKey(SIGNER.public_key)) == hash(KEY)
    assert EntryKey(make_entry_key(2).public_key) != KEY


def test_a_key_is_shown_by_its_bytes_and_its_id_alone() -> None:
    assert repr(KEY) == f"EntryKey(public_key={KEY.public_key!r}, key_id={KEY.key_id!r})"


def test_a_log_key_goes_through_its_spki() -> None:
    key = make_log_key().verifier
    assert LogKey.from_spki(key.spki, key.name) == key
    library = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"log key 1").digest())
    assert key.spki == library.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    for other in (b"", key.spki[:-1], key.spki + b"\0", SIGNER.public_key, b"\0" + key.spki[1:]):
        with pytest.raises(ValueError, match="Ed25519"):
            LogKey.from_spki(other, key.name)


def test_the_log_id_begins_with_the_number_in_signature_lines() -> None:
    key = make_log_key().verifier
    assert key.log_id[:4] == key.key_id
    assert key.log_id == hashlib.sha256(b"log.example.com\n\x01" + key.public_key).digest()


def test_a_log_key_signs_the_checkpoints_of_its_own_log() -> None:
    signer = make_log_key()
    head = Checkpoint(origin=signer.origin, size=1, root=b"1" * 32)
    note = parse_note(signer.sign(head))
    assert check_note(note, [signer.verifier]) == (signer.verifier,)
    assert signer.sign(head) == signer.sign(head)
    with pytest.raises(ValueError, match=r"'other\.example\.com'"):
        signer.sign(Checkpoint(origin="other.example.com", size=1, root=b"1" * 32))


def test_bytes_that_are_no_key_verify_nothing() -> None:
    assert not verify_ed25519(b"1" * 31, b"words", b"1" * 64)
    assert not verify_ed25519(make_log_key().verifier.public_key, b"words", b"1" * 64)


def test_published_signatures_of_two_bare_numbers_hold_once_they_are_written_as_der(
    test_data: Path,
) -> None:
    # As they stand all are refused: tests/conformance.
    folder = test_data / "vectors" / "wycheproof" / "testvectors_v1"
    published = json.loads((folder / "ecdsa_secp256r1_sha256_p1363_test.json").read_text())
    found = {"valid": 0, "invalid": 0}
    for group in published["testGroups"]:
        key = EntryKey(bytes.fromhex(group["publicKeyDer"]))
        for case in group["tests"]:
            raw = bytes.fromhex(case["sig"])
            r, s = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
            # The form has 64 bytes, whatever numbers another length would give.
            written = encode_dss_signature(r, s)
            holds = len(raw) == 64 and key.verify(bytes.fromhex(case["msg"]), written)
            assert holds == (case["result"] == "valid"), case["tcId"]
            found[case["result"]] += 1
    assert found == {"valid": 173, "invalid": 89}


def test_a_curve_that_nobody_knows_is_no_key_of_ours() -> None:
    # The last number of secp256r1, 1.2.840.10045.3.1.7, is another.
    secp256r1 = bytes.fromhex("2a8648ce3d030107")
    assert secp256r1 in KEY.public_key
    with pytest.raises(ValueError, match="P-256"):
        load_p256(KEY.public_key.replace(secp256r1, secp256r1[:-1] + b"\x7e"))
