from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import EvidenceError
from spanproof.receipt.forms.dsse import PAYLOAD_TYPE, Envelope, encode, open_envelope
from spanproof.receipt.keys.signing_keys import EntryKey
from tests.receipt.samples import make_entry_key

SIGNER = make_entry_key()
KEY = EntryKey(SIGNER.public_key)


def sign(payload: bytes, payload_type: str = PAYLOAD_TYPE) -> Envelope:
    """An envelope that the key signed."""
    signature = SIGNER.sign(encode(payload_type, payload))
    return Envelope(payload=payload, signature=signature, payload_type=payload_type)


def test_lengths_count_bytes_and_nothing_ends_a_field() -> None:
    assert encode("é", b"a b") == b"DSSEv1 2 \xc3\xa9 3 a b"
    assert encode("", b"") == b"DSSEv1 0  0 "
    assert encode("a", b"1 b") != encode("a 1", b"b")


def test_what_the_key_signed_is_opened() -> None:
    assert open_envelope(sign(b"words"), KEY) == b"words"


def test_another_type_is_never_opened_though_it_was_signed() -> None:
    with pytest.raises(EvidenceError, match=r"application/vnd\.in-toto\+json.*text/plain"):
        open_envelope(sign(b"words", "text/plain"), KEY)


@pytest.mark.parametrize(
    "changed",
    [
        Envelope(payload=b"word", signature=sign(b"words").signature),
        Envelope(payload=b"words", signature=sign(b"word").signature),
        Envelope(payload=b"words", signature=b""),
        Envelope(payload=b"words", signature=sign(b"words", "text/plain").signature),
        Envelope(payload=b"words", signature=SIGNER.sign(b"words")),
    ],
    ids=["other_payload", "other_signature", "no_signature", "other_type", "without_encoding"],
)
def test_nothing_is_opened_that_the_key_did_not_sign(changed: Envelope) -> None:
    with pytest.raises(EvidenceError, match="does not verify"):
        open_envelope(changed, KEY)


def test_the_signature_of_another_key_does_not_open() -> None:
    with pytest.raises(EvidenceError):
        open_envelope(sign(b"words"), EntryKey(make_entry_key(2).public_key))


@given(position=st.integers(0, 71), bit=st.integers(0, 7))
def test_no_bit_of_a_signature_can_be_changed(position: int, bit: int) -> None:
    envelope = sign(b"words")
    signature = bytearray(envelope.signature)
    signature[position % len(signature)] ^= 1 << bit
    with pytest.raises(EvidenceError):
        open_envelope(Envelope(payload=b"words", signature=bytes(signature)), KEY)


def test_the_type_of_our_payloads_stays_as_it_is() -> None:
    assert PAYLOAD_TYPE == "application/vnd.in-toto+json"
