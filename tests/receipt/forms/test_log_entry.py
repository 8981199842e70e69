from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core import canonical_json
from spanproof.core.errors import MalformedReceiptError
from spanproof.core.json_reader.base64_text import encode_base64 as encode
from spanproof.receipt.forms.log_entry import Entry, parse_entry, write_entry
from tests.receipt.samples import Issuer

if TYPE_CHECKING:
    from collections.abc import Callable

ISSUER = Issuer()
ENVELOPE = ISSUER.sign(b"words")
RAW = write_entry(ENVELOPE, ISSUER.key.public_key)


def test_an_entry_that_was_written_is_read() -> None:
    entry = parse_entry(RAW)
    assert entry.public_key == ISSUER.key.public_key
    assert entry.covers(ENVELOPE)
    # As long as Rekor's own: 489 bytes, one or two fewer where a number begins with zeros.
    assert 480 < len(RAW) <= 489


@pytest.mark.parametrize("field", ["payload", "signature", "payload_type"])
def test_an_entry_is_of_exactly_one_envelope(field: str) -> None:
    changed: dict[str, Any] = {field: "text/plain" if field == "payload_type" else b"other"}
    assert not parse_entry(RAW).covers(replace(ENVELOPE, **changed))


@given(
    digest=st.binary(min_size=32, max_size=32),
    signature=st.binary(min_size=1, max_size=256),
    key=st.binary(min_size=1, max_size=200),
)
def test_entries_go_there_and_back(digest: bytes, signature: bytes, key: bytes) -> None:
    value = json.loads(RAW)
    spec = value["spec"]["hashedRekordV002"]
    spec["data"]["digest"] = encode(digest)
    spec["signature"]["content"] = encode(signature)
    spec["signature"]["verifier"]["publicKey"]["rawBytes"] = encode(key)
    entry = parse_entry(canonical_json.dumps(value))
    assert entry == Entry(digest=digest, signature=signature, public_key=key)


def spec_of(value: Any) -> Any:
    """The inner record."""
    return value["spec"]["hashedRekordV002"]


CHANGES: dict[str, Callable[[Any], object]] = {
    "other_version": lambda v: v.update(apiVersion="0.0.1"),
    "other_kind": lambda v: v.update(kind="dsse"),
    "field_too_many": lambda v: v.update(extra=1),
    "field_too_few": lambda v: v.pop("kind"),
    "other_spec": lambda v: v.update(spec={"dsseV002": spec_of(v)}),
    "two_specs": lambda v: v["spec"].update(dsseV002={}),
    "other_hash": lambda v: spec_of(v)["data"].update(algorithm="SHA2_512"),
    "short_digest": lambda v: spec_of(v)["data"].update(digest=encode(b"1" * 31)),
    "lax_digest": lambda v: spec_of(v)["data"].update(digest=spec_of(v)["data"]["digest"] + "\n"),
    "no_signature": lambda v: spec_of(v)["signature"].update(content=""),
    "long_signature": lambda v: spec_of(v)["signature"].update(content=encode(b"1" * 257)),
    "other_algorithm": lambda v: spec_of(v)["signature"]["verifier"].update(
        keyDetails="PKIX_ED25519"
    ),
    "certificate": lambda v: spec_of(v)["signature"]["verifier"].update(
        x509Certificate={"rawBytes": encode(b"1")}
    ),
    "number_for_a_text": lambda v: v.update(kind=1),
}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ("other_version", "/apiVersion"),
        ("other_kind", "/kind"),
        ("other_hash", "/spec/hashedRekordV002/data/algorithm"),
        ("other_algorithm", "/spec/hashedRekordV002/signature/verifier/keyDetails"),
    ],
)
def test_another_word_is_refused_where_it_stands(change: str, place: str) -> None:
    value = json.loads(RAW)
    CHANGES[change](value)
    with pytest.raises(MalformedReceiptError, match=f" at '{place}', got "):
        parse_entry(canonical_json.dumps(value))


@pytest.mark.parametrize("change", CHANGES)
def test_any_other_shape_is_refused(change: str) -> None:
    value = json.loads(RAW)
    CHANGES[change](value)
    with pytest.raises(MalformedReceiptError):
        parse_entry(canonical_json.dumps(value))


@pytest.mark.parametrize(
    "raw",
    [
        RAW + b"\n",
        b" " + RAW,
        RAW.replace(b":", b": ", 1),
        json.dumps(dict(reversed(json.loads(RAW).items())), separators=(",", ":")).encode(),
        RAW.replace(b"hashedrekord", b"\\u0068ashedrekord"),
        RAW.replace(b"/", b"\\/") if b"/" in RAW else b" " + RAW,
    ],
    ids=["newline", "space", "space_within", "other_order", "escape", "escaped_slash"],
)
def test_the_same_words_written_otherwise_are_refused(raw: bytes) -> None:
    assert json.loads(raw) == json.loads(RAW)
    with pytest.raises(MalformedReceiptError, match="as RFC 8785 writes it"):
        parse_entry(raw)


def test_an_entry_longer_than_a_tile_can_hold_is_refused() -> None:
    # As long as it may be, it is read, and is not the one way to write it.
    with pytest.raises(MalformedReceiptError, match="as RFC 8785 writes it"):
        parse_entry(RAW.ljust(65535))
    with pytest.raises(MalformedReceiptError, match="65536 bytes, more than 65535"):
        parse_entry(RAW.ljust(65536))


def with_parts(signature: bytes, key: bytes) -> bytes:
    """The entry with another signature and key."""
    value = json.loads(RAW)
    spec_of(value)["signature"]["content"] = encode(signature)
    spec_of(value)["signature"]["verifier"]["publicKey"]["rawBytes"] = encode(key)
    return canonical_json.dumps(value)


def test_signatures_and_keys_are_as_long_as_they_may_be_and_no_longer() -> None:
    entry = parse_entry(with_parts(b"1" * 256, b"2" * 1024))
    assert (entry.signature, entry.public_key) == (b"1" * 256, b"2" * 1024)
    with pytest.raises(MalformedReceiptError, match=r"1 to 256 bytes at '/spec/.*/content'"):
        parse_entry(with_parts(b"1" * 257, b"2"))
    with pytest.raises(MalformedReceiptError, match=r"at '/spec/.*/rawBytes'"):
        parse_entry(with_parts(b"1", b"2" * 1025))
    with pytest.raises(MalformedReceiptError, match=r"at '/spec/.*/rawBytes'"):
        parse_entry(with_parts(b"1", b""))


def test_nesting_is_bounded_before_anything_is_looked_at() -> None:
    with pytest.raises(MalformedReceiptError, match="Expected an object at '/'"):
        parse_entry(b"[" * 8 + b"0" + b"]" * 8)
    with pytest.raises(MalformedReceiptError, match="more than 8 levels"):
        parse_entry(b"[" * 9 + b"0" + b"]" * 9)


def test_every_refusal_says_what_to_give() -> None:
    for raw in (b"", b"{}", RAW + b" "):
        with pytest.raises(MalformedReceiptError) as caught:
            parse_entry(raw)
        assert caught.value.hint == "Give the leaf as the log holds it, byte for byte."


@given(position=st.integers(0, len(RAW) - 1), byte=st.integers(0, 255))
def test_a_changed_entry_is_refused_or_says_something_else(position: int, byte: int) -> None:
    changed = bytearray(RAW)
    changed[position] = byte
    try:
        entry = parse_entry(bytes(changed))
    except MalformedReceiptError:
        return
    assert (entry == parse_entry(RAW)) == (bytes(changed) == RAW)
