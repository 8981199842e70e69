"""The list of keys: what each of its fields may be, and that only what was named is changed."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import KeyUnavailableError
from spanproof.receipt.keys.key_list import (
    MAX_KEYS,
    MAX_LIST_BYTES,
    KeyList,
    ListedEntryKey,
    ListedLogKey,
    parse_key_list,
    write_key_list,
)
from spanproof.receipt.keys.signing_keys import EntryKey
from spanproof.receipt.keys.trust_file import Revocation
from spanproof.receipt.keys.trusted_root import ValidFor
from tests.receipt.samples import ORIGIN, make_entry_key, make_log_key
from tests.receipt.statements import MOMENT

if TYPE_CHECKING:
    from collections.abc import Callable

ENTRY = ListedEntryKey(
    key=EntryKey(make_entry_key().public_key),
    file="entry-1.pem",
    valid_for=ValidFor(start=MOMENT),
)
LOG = ListedLogKey(key=make_log_key().verifier, file="log-1.pem", valid_for=None)
KEYS = KeyList(keys=(ENTRY, LOG), version=3)


def make_revocation(key_id: str, origin: str) -> Revocation:
    return Revocation(key_id=key_id, origin=origin, log_size=7, revoked_at=MOMENT, reason="lost")


def alter(change: Callable[[Any], object]) -> bytes:
    """The list with something else in it."""
    value = json.loads(write_key_list(KEYS))
    change(value)
    return json.dumps(value).encode()


def test_a_list_is_written_for_people_and_read_again() -> None:
    raw = write_key_list(KEYS)
    assert raw.startswith(b'{\n  "version": 3,\n  "keys": [\n    {\n      "kind": "entry",\n')
    assert parse_key_list(raw) == KEYS


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v["keys"][0].update(file="a" * 65 + ".pem"), "the name of a PEM file"),
        (lambda v: v["keys"][0].update(file="a" * 125 + ".pem"), "1 to 128 characters"),
        (lambda v: v["keys"][0].update(file="a" * 124 + ".pem"), "the name of a PEM file"),
        (
            lambda v: v["keys"][0].update(spki_b64=base64.b64encode(bytes(1025)).decode()),
            "1024 bytes",
        ),
        (
            lambda v: v["keys"][0].update(spki_b64=base64.b64encode(bytes(1024)).decode()),
            "a public key",
        ),
        (lambda v: v.update(version=2**31 + 1), "2147483648"),
        (lambda v: v.update(keys=[{}] * 1001), "1000"),
        (lambda v: v.update(revocations=[{}] * 1001), "1000"),
    ],
)
def test_a_field_beyond_its_bounds_is_refused(
    change: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(KeyUnavailableError, match=message):
        parse_key_list(alter(change))


def test_fields_at_their_bounds_are_read() -> None:
    longest = alter(lambda v: v["keys"][0].update(file="a" * 64 + ".pem"))
    read = parse_key_list(longest.replace(b'"version": 3', b'"version": 2147483648'))
    assert (read.keys[0].file, read.version) == ("a" * 64 + ".pem", 2**31)


def test_a_list_has_at_most_four_mebibytes() -> None:
    assert (MAX_LIST_BYTES, MAX_KEYS) == (4_194_304, 1000)
    raw = write_key_list(KEYS)
    assert parse_key_list(raw.ljust(MAX_LIST_BYTES)) == KEYS
    with pytest.raises(KeyUnavailableError, match="more than 4194304"):
        parse_key_list(raw.ljust(MAX_LIST_BYTES + 1))


def test_a_key_takes_its_own_place_or_the_last() -> None:
    other = replace(ENTRY, key=EntryKey(make_entry_key(2).public_key))
    assert KEYS.with_key(other).keys == (ENTRY, LOG, other)
    closed = replace(ENTRY, valid_for=ValidFor(start=MOMENT, end=MOMENT + timedelta(days=1)))
    assert KEYS.with_key(closed).keys == (closed, LOG)
    assert (ENTRY.is_open, LOG.is_open, closed.is_open) == (True, False, False)


def test_only_the_revocation_of_this_key_in_this_log_gets_its_leaf() -> None:
    first, second, third = (
        make_revocation("a", ORIGIN),
        make_revocation("a", "other.example.com"),
        make_revocation("b", ORIGIN),
    )
    listed = KeyList(keys=KEYS.keys, version=3)
    for each in (first, second, third):
        listed = listed.with_revocation(each)
    assert listed.is_revoked("a")
    assert not listed.is_revoked("c")
    told = listed.with_revocation_index("a", ORIGIN, 9)
    assert told.revocations == (replace(first, revocation_index=9), second, third)
    assert (told.keys, told.version) == (KEYS.keys, 3)
