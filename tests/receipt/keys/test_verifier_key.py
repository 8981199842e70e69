"""Verifier keys: one spelling, and the number that the key itself comes to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedTrustError
from spanproof.receipt.forms.signed_note import check_note, is_key_name, parse_note
from spanproof.receipt.keys.signing_keys import LocalLogKey
from spanproof.receipt.keys.verifier_key import (
    MAX_VKEY_CHARACTERS,
    VerifierKey,
    format_log_key,
    parse_log_key,
    parse_verifier_key,
)
from spanproof.receipt.witness.cosignature import (
    LocalCosigner,
    format_cosigner_key,
    parse_cosigner_key,
)

#: The example of C2SP signed-note.
VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
NOTE = (
    "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONnc"
    "AlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)


def test_the_example_of_the_specification_verifies() -> None:
    key = parse_log_key(VKEY)
    assert format_log_key(key) == VKEY
    assert check_note(parse_note(NOTE), [key]) == (key,)


def test_a_key_is_as_long_as_it_may_be_and_no_longer() -> None:
    short = VerifierKey(name="a", kind=1, public_key=bytes(32))
    room = MAX_VKEY_CHARACTERS - len(str(short))
    whole = VerifierKey(name="a" * (room + 1), kind=1, public_key=bytes(32))
    assert len(str(whole)) == MAX_VKEY_CHARACTERS
    assert parse_verifier_key(str(whole)) == whole
    longer = VerifierKey(name="a" * (room + 2), kind=1, public_key=bytes(32))
    with pytest.raises(MalformedTrustError):
        parse_verifier_key(str(longer))


def test_a_type_alone_is_no_key() -> None:
    with pytest.raises(MalformedTrustError, match="a verifier key NAME"):
        parse_verifier_key(str(VerifierKey(name="a", kind=1, public_key=b"")))


@given(
    name=st.text(min_size=1, max_size=20).filter(is_key_name),
    kind=st.integers(0, 255),
    public_key=st.binary(min_size=1, max_size=200),
)
def test_keys_go_there_and_back(name: str, kind: int, public_key: bytes) -> None:
    key = VerifierKey(name=name, kind=kind, public_key=public_key)
    assert parse_verifier_key(str(key)) == key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+",
        "a+b",
        VKEY + "\n",
        " " + VKEY,
        VKEY.replace("530d903a", "530D903A"),
        VKEY.replace("530d903a", "530d903"),
        VKEY.replace("530d903a", "530d903b"),
        VKEY.replace("example.com/foo", "example.com/bar"),
        VKEY.replace("example.com/foo", ""),
        VKEY.replace("example.com/foo", "a b"),
        VKEY.replace("example.com/foo", "a+b"),
        VKEY.replace("example.com/foo", "a\u2009b"),
        VKEY.replace("example.com/foo", "a\x00b"),
        VKEY.replace("example.com/foo", "\udc80"),
        VKEY[:-1],
        VKEY[:-1] + "l",
        VKEY + "=",
        VKEY.replace("+AekyeRrm", "-AekyeRrm"),
        "a+00000000+AA==",
        "a+00000000+",
        "a" * MAX_VKEY_CHARACTERS + VKEY,
    ],
)
def test_nothing_else_is_a_key(text: str) -> None:
    with pytest.raises(MalformedTrustError, match="Expected"):
        parse_verifier_key(text)


def test_a_key_is_of_the_type_that_its_role_needs() -> None:
    log, witness = LocalLogKey.generate("a").verifier, LocalCosigner.generate("a").verifier
    assert parse_log_key(format_log_key(log)) == log
    assert parse_cosigner_key(format_cosigner_key(witness)) == witness
    with pytest.raises(MalformedTrustError, match="type 0x01 for a log, got 32 bytes of type 0x04"):
        parse_log_key(format_cosigner_key(witness))
    with pytest.raises(MalformedTrustError, match="type 0x04 for a witness"):
        parse_cosigner_key(format_log_key(log))
    short = VerifierKey(name="a", kind=1, public_key=bytes(31))
    with pytest.raises(MalformedTrustError, match="got 31 bytes"):
        parse_log_key(str(short))


@given(text=st.one_of(st.text(), st.text("example.com/foo+530d903aAekyeRrm=", max_size=60)))
def test_whatever_is_given_is_malformed(text: str) -> None:
    with pytest.raises(MalformedTrustError):
        parse_verifier_key(text)
