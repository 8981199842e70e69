"""The strict reader of our statement: what it takes, and every way in which it refuses."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.errors import LimitExceededError, MalformedReceiptError
from spanproof.core.json_reader.strict_json import count_values
from spanproof.core.log.checkpoint import LoggedLeaf
from spanproof.core.verdicts.status import ExistenceStatus, Outcome
from spanproof.receipt.statement import statement as module
from spanproof.receipt.statement.predicate import PREDICATE_TYPE
from spanproof.receipt.statement.statement import (
    get_predicate_type,
    make_statement,
    parse_statement,
)
from tests.receipt.statements import ANSWER, SENTENCE, SPAN, make_predicate, make_result

if TYPE_CHECKING:
    from collections.abc import Iterator

INTAKE = LoggedLeaf(origin="log.example.com", index=4, leaf_hash=bytes(range(32)))


def to_payload(statement: Any) -> bytes:
    """The JCS bytes."""
    return canonical_json.dumps(statement)


PAYLOAD = to_payload(make_result(INTAKE))


def walk(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place of a JSON value, leaves and containers."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from walk(item, (*path, name))


def put(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    """A copy with another value at one place."""
    changed = copy.deepcopy(value)
    target = changed
    for part in path[:-1]:
        target = target[part]
    target[path[-1]] = new
    return changed


def test_a_statement_is_read_typed_and_keeps_its_bytes() -> None:
    statement = parse_statement(PAYLOAD)
    predicate = statement.predicate
    assert statement.payload == PAYLOAD
    assert statement.subjects[0] == ("answer", Digest.of(ANSWER.encode()))
    assert [name for name, _ in statement.subjects] == [
        "answer",
        "document-0",
        "canonical-text-0-0",
    ]
    (verdict,) = predicate.verdicts
    assert verdict.existence.status is ExistenceStatus.EXACT
    assert verdict.existence.offsets == SPAN
    assert verdict.existence.span_sha256 == Digest.of(SENTENCE.encode())
    assert verdict.outcome is Outcome.PASS
    assert predicate.log.intake_leaf_hash == INTAKE.leaf_hash


def test_what_is_made_is_what_is_read() -> None:
    predicate = make_predicate(INTAKE)
    assert make_statement(predicate) == PAYLOAD


def test_other_forms_of_the_same_json_are_refused() -> None:
    value = json.loads(PAYLOAD)
    forms = {
        "indented": json.dumps(value, indent=1).encode(),
        "another order": json.dumps(dict(reversed(value.items())), separators=(",", ":")).encode(),
        "an escape": PAYLOAD.replace(b"native", rb"\u006eative", 1),
        "a newline behind": PAYLOAD + b"\n",
        "a mark before": b"\xef\xbb\xbf" + PAYLOAD,
    }
    for name, form in forms.items():
        with pytest.raises(MalformedReceiptError):
            parse_statement(form)
        assert form != PAYLOAD, name


def test_names_beyond_ascii_are_in_canonical_form_too() -> None:
    predicate = make_predicate(INTAKE)
    predicate["documents"][0]["doc_ids"] = ["Größe 😀"]
    payload = make_statement(predicate)
    assert parse_statement(payload).predicate.documents[0].doc_ids == ("Größe 😀",)
    escaped = payload.replace("ö".encode(), rb"\u00f6")
    with pytest.raises(MalformedReceiptError, match="canonical JSON"):
        parse_statement(escaped)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xff",
        b'{"a":1,"a":1}',
        b"[" * 100 + b"]" * 100,
        PAYLOAD[:-1],
        PAYLOAD.replace(b'"windows":1', b'"windows":1.0'),
        PAYLOAD.replace(b'"windows":1', b'"windows":1,"windows":1'),
        PAYLOAD.replace(b'"windows":1', b'"windows":9007199254740992'),
        PAYLOAD.replace(b'"windows":1', b'"windows":NaN'),
        PAYLOAD.replace(b'"windows":1', b'"windows":-1'),
        PAYLOAD.replace(b'"windows":1', b'"windows":true'),
        PAYLOAD.replace(b'"schema_version":1', b'"schema_version":2'),
        PAYLOAD.replace(b"span-verification:v1", b"span-verification:v2"),
        PAYLOAD.replace(b"in-toto.io/Statement/v1", b"in-toto.io/Statement/v0.1"),
        PAYLOAD.replace(b"raw_bytes", b"jcs"),
        PAYLOAD.replace(b"unicode_code_point", b"utf8"),
        PAYLOAD.replace(b'"0.970000"', b"0.97"),
        PAYLOAD.replace(b'"0.970000"', b'"0.97"'),
    ],
)
def test_what_is_no_statement_of_ours_is_malformed(raw: bytes) -> None:
    assert raw != PAYLOAD
    with pytest.raises(MalformedReceiptError):
        parse_statement(raw)


PLACES = list(walk(json.loads(PAYLOAD)))


@pytest.mark.parametrize("path", PLACES, ids=lambda path: "/".join(map(str, path)))
def test_no_field_can_be_left_out_or_get_a_sibling(path: tuple[str | int, ...]) -> None:
    value = json.loads(PAYLOAD)
    target = value
    for part in path[:-1]:
        target = target[part]
    if isinstance(target, list):
        return
    rest = {name: item for name, item in target.items() if name != path[-1]}
    for changed in (rest, target | {"zz_unknown": None}):
        whole = put(value, path[:-1], changed) if path[:-1] else changed
        with pytest.raises(MalformedReceiptError):
            parse_statement(to_payload(whole))


@pytest.mark.parametrize("path", PLACES, ids=lambda path: "/".join(map(str, path)))
def test_no_field_takes_a_value_of_another_kind(path: tuple[str | int, ...]) -> None:
    value = json.loads(PAYLOAD)
    found = value
    for part in path:
        found = found[part]
    values: list[Any] = [{}, [], True, -1, "\n"]
    others = [other for other in values if type(other) is not type(found)]
    for other in others:
        with pytest.raises(MalformedReceiptError):
            parse_statement(to_payload(put(value, path, other)))


@settings(max_examples=300)
@given(st.data())
def test_a_changed_byte_gives_another_statement_or_none(data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(PAYLOAD) - 1))
    byte = data.draw(st.integers(0, 255))
    changed = PAYLOAD[:index] + bytes([byte]) + PAYLOAD[index + 1 :]
    try:
        statement = parse_statement(changed)
    except MalformedReceiptError:
        return
    # What is still a statement says so: every byte of it is a part of what was read.
    assert statement.payload == changed
    assert (statement.predicate == parse_statement(PAYLOAD).predicate) == (changed == PAYLOAD)


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_no_bytes_make_the_reader_fail_otherwise(raw: bytes) -> None:
    with pytest.raises(MalformedReceiptError):
        parse_statement(raw)


def test_a_receipt_that_nothing_could_hold_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PAYLOAD_BYTES", len(PAYLOAD) - 1)
    with pytest.raises(LimitExceededError, match="in parts"):
        make_statement(make_predicate(INTAKE))
    with pytest.raises(MalformedReceiptError, match="more than"):
        parse_statement(PAYLOAD)


def test_a_receipt_with_more_values_than_any_reader_takes_is_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_VALUES", count_values(PAYLOAD) - 1)
    with pytest.raises(LimitExceededError, match="in parts"):
        make_statement(make_predicate(INTAKE))
    with pytest.raises(MalformedReceiptError, match="more than"):
        parse_statement(PAYLOAD)
    monkeypatch.setattr(module, "MAX_VALUES", count_values(PAYLOAD))
    assert parse_statement(make_statement(make_predicate(INTAKE))).payload


def test_a_receipt_as_long_as_it_may_be_is_made_and_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (module.MAX_PAYLOAD_BYTES, module.MAX_VALUES) == (16_777_216, 1_000_000)
    monkeypatch.setattr(module, "MAX_PAYLOAD_BYTES", len(PAYLOAD))
    assert make_statement(make_predicate(INTAKE)) == PAYLOAD
    assert parse_statement(PAYLOAD).payload == PAYLOAD


def test_a_predicate_that_contradicts_itself_is_not_signed() -> None:
    predicate = make_predicate(INTAKE)
    predicate["verdicts"] = []
    with pytest.raises(MalformedReceiptError):
        make_statement(predicate)
    value = json.loads(PAYLOAD)
    value["subject"] = value["subject"][:-1]
    with pytest.raises(MalformedReceiptError):
        parse_statement(to_payload(value))


def test_a_predicate_that_is_none_is_not_signed() -> None:
    predicate = make_predicate(INTAKE) | {"nonce": "00"}
    with pytest.raises(MalformedReceiptError, match="/nonce"):
        make_statement(predicate)


def test_the_predicate_type_is_read_before_the_rest() -> None:
    assert get_predicate_type(json.loads(PAYLOAD)) == PREDICATE_TYPE
    values: list[Any] = [{}, [], {"predicateType": 1}, None]
    for value in values:
        with pytest.raises(MalformedReceiptError, match="predicateType"):
            get_predicate_type(value)
