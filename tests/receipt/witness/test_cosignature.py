"""Cosignatures: the message of the specification, the time within it, and no other bytes."""

from __future__ import annotations

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import NoteSignatureError
from spanproof.receipt.forms.signed_note import Signature, parse_note, write_note
from spanproof.receipt.witness.cosignature import (
    MAX_TIMESTAMP,
    Cosignature,
    CosignerKey,
    LocalCosigner,
    find_cosignatures,
    read_timestamp,
)

TEXT = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
KEY = LocalCosigner(Ed25519PrivateKey.from_private_bytes(bytes(range(32))), "witness.example/w1")


def test_what_is_signed_is_what_the_specification_says() -> None:
    line = KEY.cosign(TEXT, 1679315147)
    assert line.content[:8] == (1679315147).to_bytes(8, "big")
    assert read_timestamp(line.content) == 1679315147
    # The example of tlog-cosignature, word for word.
    message = (
        b"cosignature/v1\n"
        b"time 1679315147\n"
        b"example.com/behind-the-sofa\n"
        b"20852163\n"
        b"CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    )
    KEY.private.public_key().verify(line.content[8:], message)


def test_the_line_of_the_specification_holds_its_time() -> None:
    content = base64.b64decode(
        "jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJs"
        "X3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA=="
    )
    assert len(content) == 4 + 8 + 64
    assert read_timestamp(content[4:]) == 1679315147


@given(timestamp=st.integers(1, MAX_TIMESTAMP))
def test_a_cosignature_verifies_with_its_own_key_and_text_alone(timestamp: int) -> None:
    line = KEY.cosign(TEXT, timestamp)
    assert KEY.verifier.verify(TEXT, line.content)
    assert KEY.cosign(TEXT, timestamp) == line
    assert not KEY.verifier.verify(TEXT.replace("2", "3", 1), line.content)
    assert not LocalCosigner.generate(KEY.name).verifier.verify(TEXT, line.content)
    for change in (-1, 1):
        moved = (timestamp + change).to_bytes(8, "big") + line.content[8:]
        assert not KEY.verifier.verify(TEXT, moved)


@given(bit=st.integers(0, 72 * 8 - 1))
def test_a_flipped_bit_refuses(bit: int) -> None:
    content = bytearray(KEY.cosign(TEXT, 1679315147).content)
    content[bit // 8] ^= 1 << bit % 8
    assert not KEY.verifier.verify(TEXT, bytes(content))


@pytest.mark.parametrize("timestamp", [1, (1 << 63) - 1])
def test_the_first_and_the_last_time_may_be_said(timestamp: int) -> None:
    assert KEY.verifier.verify(TEXT, KEY.cosign(TEXT, timestamp).content)


@pytest.mark.parametrize("timestamp", [0, 1 << 63, (1 << 64) - 1])
def test_a_time_that_none_may_say_refuses_though_it_is_signed(timestamp: int) -> None:
    message = f"cosignature/v1\ntime {timestamp}\n{TEXT}".encode()
    content = timestamp.to_bytes(8, "big") + KEY.private.sign(message)
    assert not KEY.verifier.verify(TEXT, content)
    with pytest.raises(ValueError, match="Expected a time in"):
        KEY.cosign(TEXT, timestamp)


@pytest.mark.parametrize("content", [b"", bytes(8), bytes(64), bytes(71), bytes(73)])
def test_another_length_refuses(content: bytes) -> None:
    assert not KEY.verifier.verify(TEXT, content)


def test_a_plain_signature_is_no_cosignature() -> None:
    plain = KEY.private.sign(TEXT.encode())
    assert not KEY.verifier.verify(TEXT, plain)
    assert not KEY.verifier.verify(TEXT, (1).to_bytes(8, "big") + plain)


def test_the_number_hangs_on_the_type() -> None:
    public = KEY.verifier.public_key
    assert CosignerKey(public, "a").key_id != CosignerKey(public, "b").key_id
    wanted = hashlib.sha256(b"witness.example/w1\n\x04" + public).digest()[:4]
    assert KEY.verifier.key_id == wanted


def test_all_cosignatures_of_known_witnesses_are_found() -> None:
    other, stranger = LocalCosigner.generate("w2"), LocalCosigner.generate("w3")
    lines = [KEY.cosign(TEXT, 10), stranger.cosign(TEXT, 11), other.cosign(TEXT, 12)]
    note = parse_note(write_note(TEXT, [*lines, KEY.cosign(TEXT, 13)]))
    assert find_cosignatures(note, [KEY.verifier, other.verifier]) == (
        Cosignature(key=KEY.verifier, timestamp=10),
        Cosignature(key=other.verifier, timestamp=12),
        Cosignature(key=KEY.verifier, timestamp=13),
    )
    assert find_cosignatures(note, []) == ()


def test_a_false_line_of_a_known_witness_refuses_the_note() -> None:
    false = Signature(name=KEY.name, key_id=KEY.verifier.key_id, content=bytes(72))
    note = parse_note(write_note(TEXT, [KEY.cosign(TEXT, 10), false]))
    with pytest.raises(NoteSignatureError, match="Expected a signature of"):
        find_cosignatures(note, [KEY.verifier])
