"""Statements of events are read as they were written, and nothing else is read or written."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core import canonical_json
from spanproof.core.errors import InputError, MalformedReceiptError
from spanproof.core.log.checkpoint import LoggedLeaf
from spanproof.receipt.statement.event_statement import (
    make_predicate_type,
    parse_event,
    write_event,
)
from spanproof.receipt.statement.events import (
    Change,
    ConfigChange,
    EpochClosed,
    EpochOpened,
    Event,
    Intake,
    IntakeError,
    KeyEvent,
    Shard,
    Tombstone,
)
from spanproof.receipt.statement.predicate import Actor
from tests.receipt.event_samples import DIGEST, EVENTS, HEAD, OTHER, VERIFICATION
from tests.receipt.statements import make_result


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_read_as_it_was_written(name: str) -> None:
    event = EVENTS[name]
    payload = write_event(event)
    assert parse_event(payload) == event
    value = json.loads(payload)
    assert payload == canonical_json.dumps(value)
    assert value["_type"] == "https://in-toto.io/Statement/v1"
    assert value["predicateType"] == f"urn:spanproof:attestation:{event.KIND}:v1"
    assert value["predicateType"] == make_predicate_type(event.KIND)
    assert [(s["name"], s["digest"]["sha256"]) for s in value["subject"]] == [
        (name, digest.hex) for name, digest in event.subjects
    ]


def test_a_change_by_a_key_names_it_and_one_by_nobody_has_no_such_field() -> None:
    changes = (Change("citations.chunk@production", None, DIGEST),)
    by_key = ConfigChange(**HEAD, changes=changes, actor=Actor(key_id="k1"))
    written = write_event(by_key)
    assert parse_event(written) == by_key
    value = json.loads(written)
    assert value["predicate"]["actor"] == {"key_id": "k1", "oidc_sub_hash": None}
    by_nobody = json.loads(write_event(ConfigChange(**HEAD, changes=changes)))
    assert "actor" not in by_nobody["predicate"]
    nobody = {"key_id": None, "oidc_sub_hash": None}
    others: list[Any] = [None, {}, [], "k1", nobody, {"key_id": "k1"}]
    for actor in others:
        value["predicate"]["actor"] = actor
        with pytest.raises(MalformedReceiptError):
            parse_event(canonical_json.dumps(value))


@pytest.mark.parametrize(
    ("doc_hash", "verification_id"), [(str(DIGEST), VERIFICATION), (None, None)]
)
def test_an_erasure_is_of_one_thing(doc_hash: str | None, verification_id: str | None) -> None:
    value = json.loads(write_event(EVENTS["erasure"]))
    value["predicate"] |= {"doc_hash": doc_hash, "verification_id": verification_id}
    if doc_hash is None:
        value["subject"] = value["subject"][1:]
    with pytest.raises(MalformedReceiptError, match="got both or neither"):
        parse_event(canonical_json.dumps(value))


def test_an_event_written_out() -> None:
    value = json.loads(write_event(EVENTS["key-event of a loss"]))
    assert value["predicate"] == {
        "schema_version": 1,
        "event_id": HEAD["event_id"],
        "nonce": bytes(range(16)).hex(),
        "time": "2026-11-20T14:00:00.123Z",
        "origin": "log.example.com",
        "action": "revoked",
        "purpose": "log",
        "key_sha256": str(DIGEST),
        "replaces_sha256": None,
        "from_index": 12,
        "reason": "The laptop was stolen.",
    }


@pytest.mark.parametrize("action", ["added", "rotated", "revoked"])
@pytest.mark.parametrize("purpose", ["receipts", "log"])
def test_every_action_on_a_key_of_every_purpose_is_written(action: Any, purpose: Any) -> None:
    event = KeyEvent(**HEAD, action=action, purpose=purpose, key_sha256=DIGEST)
    assert parse_event(write_event(event)) == event


@pytest.mark.parametrize("reason", ["failed", "interrupted"])
def test_every_reason_of_an_error_is_written(reason: Any) -> None:
    error = EVENTS["error"]
    assert isinstance(error, IntakeError)
    event = replace(error, reason=reason, code="A" + "Z" * 63)
    assert parse_event(write_event(event)) == event
    with pytest.raises(InputError):
        write_event(replace(error, code="A" + "Z" * 64))


def test_a_changes_name_is_as_long_as_it_may_be_and_no_longer() -> None:
    event = ConfigChange(**HEAD, changes=(Change("a" * 256, None, DIGEST),))
    assert parse_event(write_event(event)) == event
    with pytest.raises(InputError):
        write_event(ConfigChange(**HEAD, changes=(Change("a" * 257, None, DIGEST),)))


@pytest.mark.parametrize("name", EVENTS)
def test_no_field_of_an_event_can_change_its_shape(name: str) -> None:
    value = json.loads(write_event(EVENTS[name]))
    predicate = value["predicate"]
    changes: list[dict[str, Any]] = [predicate | {"more": None}]
    for field in predicate:
        changes.append({key: item for key, item in predicate.items() if key != field})
        others: list[Any] = [[], {"a": 1}, -1, "\n"]
        changes += [predicate | {field: other} for other in others]
    for changed in changes:
        with pytest.raises(MalformedReceiptError):
            parse_event(canonical_json.dumps(value | {"predicate": changed}))


@pytest.mark.parametrize("name", EVENTS)
def test_an_events_subjects_are_its_own(name: str) -> None:
    value = json.loads(write_event(EVENTS[name]))
    others: list[Any] = [
        [],
        [{"name": "x", "digest": {"sha256": DIGEST.hex}}],
        value["subject"] * 2,
    ]
    for subject in others:
        with pytest.raises(MalformedReceiptError):
            parse_event(canonical_json.dumps(value | {"subject": subject}))


def test_a_receipt_is_no_event_and_an_unknown_kind_is_none() -> None:
    leaf = LoggedLeaf(origin="log.example.com", index=0, leaf_hash=bytes(32))
    with pytest.raises(MalformedReceiptError, match="not a receipt"):
        parse_event(canonical_json.dumps(make_result(leaf)))
    value = json.loads(write_event(EVENTS["intake"]))
    kind = make_predicate_type("intake-2")
    with pytest.raises(MalformedReceiptError, match="event of ours"):
        parse_event(canonical_json.dumps(value | {"predicateType": kind}))
    # One kind's predicate under the name of another.
    kind = make_predicate_type("error")
    with pytest.raises(MalformedReceiptError):
        parse_event(canonical_json.dumps(value | {"predicateType": kind}))


@pytest.mark.parametrize(
    "event",
    [
        ConfigChange(**HEAD, changes=()),
        ConfigChange(**HEAD, changes=(Change("Weights", None, DIGEST),)),
        KeyEvent(**HEAD, action="lent", purpose="log", key_sha256=DIGEST),  # type: ignore[arg-type]
        Intake(**HEAD, verification_id="7", request_digest=DIGEST, process="0f" * 16),
        Intake(**HEAD, verification_id=VERIFICATION, request_digest=DIGEST, process="x"),
        EpochOpened(**HEAD, epoch="epoch-0", commitment=DIGEST, plan_digest=OTHER),
        EpochClosed(
            **HEAD,
            epoch="epoch-1",
            commitment=DIGEST,
            key=bytes(31),
            answers=1,
            chosen=1,
            rows_digest=OTHER,
        ),
        Shard(**HEAD, old_origin="a path/b", old_size=5, old_root=bytes(32), reason="x"),
        Shard(**HEAD, old_origin="a.example", old_size=5, old_root=bytes(31), reason="x"),
        Shard(**HEAD, old_origin="a.example", old_size=-1, old_root=bytes(32), reason="x"),
        Tombstone(
            **HEAD,
            verification_id=VERIFICATION,
            log_index=1,
            payload_sha256=DIGEST,
            reason="two\nlines",
        ),
    ],
)
def test_what_no_auditor_could_read_is_not_written(event: Event) -> None:
    with pytest.raises(InputError):
        write_event(event)


@settings(max_examples=200)
@given(st.sampled_from(sorted(EVENTS)), st.data())
def test_a_changed_byte_gives_another_event_or_none(name: str, data: st.DataObject) -> None:
    payload = write_event(EVENTS[name])
    index = data.draw(st.integers(0, len(payload) - 1))
    byte = data.draw(st.integers(0, 255))
    changed = payload[:index] + bytes([byte]) + payload[index + 1 :]
    try:
        event = parse_event(changed)
    except MalformedReceiptError:
        return
    assert (event == EVENTS[name]) == (changed == payload)
    assert write_event(event) == changed
