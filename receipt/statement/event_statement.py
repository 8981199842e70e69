"""The statement of an event: how each of its fields is written, and read under the same rules."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

from spanproof.core.documents.source_state import SourceState
from spanproof.core.errors import MalformedReceiptError
from spanproof.core.json_reader import schema
from spanproof.core.moment import write_signed_moment
from spanproof.receipt.statement import receipt_id as identity
from spanproof.receipt.statement.access_events import AccessDigest, AccessErasure
from spanproof.receipt.statement.decision_events import Acknowledgement, Decision
from spanproof.receipt.statement.events import (
    AnswersSubmitted,
    Change,
    ConfigChange,
    EpochClosed,
    EpochOpened,
    Erasure,
    Event,
    FsckResult,
    Intake,
    IntakeError,
    KeyEvent,
    LegalHold,
    ResultSuperseded,
    Shard,
    SourceChange,
    Subjects,
    Tombstone,
)
from spanproof.receipt.statement.issuance import actor_to_json
from spanproof.receipt.statement.predicate import (
    ACTOR,
    NOBODY,
    ORIGIN,
    RECEIPT_ID,
    REQUEST_FORM,
    VERIFICATION_ID,
    read_signed,
)
from spanproof.receipt.statement.statement import (
    get_predicate_type,
    make_statement_json,
    read_statement_json,
    statement_schema,
    write_statement_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA_VERSION = 1
_FOREIGN_HINT = "The signer of this did not use this verifier."


class _Field(NamedTuple):
    """How a field is read from JSON and written to it."""

    read: schema.Read[Any]
    write: Callable[[Any], Any]


def _same(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    return value


def _nullable(field: _Field) -> _Field:
    return _Field(
        schema.nullable(field.read), lambda value: None if value is None else field.write(value)
    )


def _word(*words: str) -> _Field:
    return _Field(schema.one_of(words), _same)


_TEXT = _Field(schema.text, _same)
_MOMENT = _Field(schema.moment, write_signed_moment)
_COUNT = _Field(schema.count, _same)
_DIGEST = _Field(schema.digest, str)
_HASH = _Field(schema.hexadecimal(32), bytes.hex)
_ORIGIN = _Field(ORIGIN, _same)
_ACTOR = _Field(ACTOR, actor_to_json)
_VERIFICATION = _Field(VERIFICATION_ID, _same)
_DAY = _Field(schema.matching(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "a day"), _same)
_EPOCH = _Field(schema.matching(r"epoch-[1-9][0-9]{0,11}", "the name of an epoch"), _same)
_READ_CHANGES = schema.array(
    schema.record(
        Change,
        name=schema.matching(r"[a-z][A-Za-z0-9_.:@+/-]{0,255}", "a name"),
        old=schema.nullable(schema.digest),
        new=schema.nullable(schema.digest),
    )
)
_CHANGES = _Field(
    _READ_CHANGES,
    lambda changes: [
        {"name": c.name, "old": c.old and str(c.old), "new": c.new and str(c.new)} for c in changes
    ],
)
_NULL_MOMENT, _NULL_TEXT = _nullable(_MOMENT), _nullable(_TEXT)
_STATE_FIELDS = {
    "withdrawn_from": _NULL_MOMENT,
    "amended_from": _NULL_MOMENT,
    "amended_by": _nullable(_DIGEST),
    "valid_from": _NULL_MOMENT,
    "valid_until": _NULL_MOMENT,
    "licence": _NULL_TEXT,
    "confidentiality": _NULL_TEXT,
}
_STATE = _Field(
    schema.record(SourceState, **{name: field.read for name, field in _STATE_FIELDS.items()}),
    lambda state: {name: f.write(getattr(state, name)) for name, f in _STATE_FIELDS.items()},
)
_COMMON = {
    "event_id": _Field(RECEIPT_ID, _same),
    "nonce": _Field(schema.hexadecimal(identity.NONCE_BYTES), bytes.hex),
    "time": _MOMENT,
    "origin": _ORIGIN,
}
_OWN: dict[type[Event], dict[str, _Field]] = {
    Intake: {
        "verification_id": _VERIFICATION,
        "request_digest": _DIGEST,
        "process": _Field(schema.matching(r"[0-9a-f]{32}", "32 hexadecimal digits"), _same),
        "actor": _ACTOR,
    },
    IntakeError: {
        "verification_id": _VERIFICATION,
        "intake_index": _COUNT,
        "intake_leaf_hash": _HASH,
        "reason": _word("failed", "interrupted"),
        "code": _Field(schema.matching(r"[A-Z][A-Z0-9_]{0,63}", "a code"), _same),
    },
    ResultSuperseded: {
        "verification_id": _VERIFICATION,
        "log_index": _COUNT,
        "leaf_hash": _HASH,
        "by_index": _COUNT,
    },
    ConfigChange: {"changes": _CHANGES, "actor": _ACTOR},
    KeyEvent: {
        "action": _word("added", "rotated", "revoked"),
        "purpose": _word("receipts", "log"),
        "key_sha256": _DIGEST,
        "replaces_sha256": _nullable(_DIGEST),
        "from_index": _nullable(_COUNT),
        "reason": _nullable(_TEXT),
    },
    Tombstone: {
        "verification_id": _VERIFICATION,
        "log_index": _COUNT,
        "payload_sha256": _DIGEST,
        "reason": _TEXT,
        "actor": _ACTOR,
    },
    Erasure: {
        "doc_hash": _nullable(_DIGEST),
        "verification_id": _nullable(_VERIFICATION),
        "contents": _Field(
            schema.array(schema.digest), lambda contents: [str(digest) for digest in contents]
        ),
        "reason": _TEXT,
        "actor": _ACTOR,
    },
    SourceChange: {
        "doc_hash": _DIGEST,
        "action": _word("withdraw", "reinstate", "amend", "set"),
        "reason": _TEXT,
        "state": _STATE,
        "actor": _ACTOR,
    },
    LegalHold: {
        "hold_id": _VERIFICATION,
        "action": _word("placed", "released"),
        "held": _word("answer", "document", "label"),
        "subject": _TEXT,
        "reason": _TEXT,
        "actor": _ACTOR,
    },
    Decision: {
        "verification_id": _VERIFICATION,
        "citation": _COUNT,
        "action": _word("accept", "reject", "waive", "confirm", "withdraw"),
        "about": _nullable(_Field(RECEIPT_ID, _same)),
        "expires": _NULL_MOMENT,
        "reason": _TEXT,
        "verdicts_digest": _DIGEST,
        "actor": _ACTOR,
    },
    Acknowledgement: {
        "raised": _word("alarm", "incident"),
        "raised_digest": _DIGEST,
        "reason": _TEXT,
        "actor": _ACTOR,
    },
    AccessDigest: {"day": _DAY, "accesses": _COUNT, "rows_digest": _DIGEST},
    AccessErasure: {
        "day": _DAY,
        "accesses": _COUNT,
        "rows_digest": _DIGEST,
        "reason": _TEXT,
        "actor": _ACTOR,
    },
    FsckResult: {
        "size": _COUNT,
        "root": _HASH,
        "is_sound": _Field(schema.flag, _same),
        "findings": _COUNT,
        "checked_leaves": _COUNT,
    },
    EpochOpened: {"epoch": _EPOCH, "commitment": _DIGEST, "plan_digest": _DIGEST},
    AnswersSubmitted: {
        "epoch": _EPOCH,
        "first": _COUNT,
        "answers": _COUNT,
        "rows_digest": _DIGEST,
    },
    EpochClosed: {
        "epoch": _EPOCH,
        "commitment": _DIGEST,
        "key": _HASH,
        "answers": _COUNT,
        "chosen": _COUNT,
        "rows_digest": _DIGEST,
    },
    Shard: {
        "old_origin": _ORIGIN,
        "old_size": _COUNT,
        "old_root": _HASH,
        "reason": _TEXT,
    },
}


def make_predicate_type(kind: str) -> str:
    """The predicate type of a kind of event."""
    return f"urn:spanproof:attestation:{kind}:v{SCHEMA_VERSION}"


def write_event(event: Event) -> bytes:
    """The JCS bytes of the event's statement; raise MalformedReceiptError for a malformed one.

    The reader's own rules check the written bytes: we sign nothing that an auditor could not
    read.
    """
    written = _COMMON | _OWN[type(event)]
    predicate: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    predicate |= {name: field.write(getattr(event, name)) for name, field in written.items()}
    if type(event) is Intake:
        predicate["request_form"] = REQUEST_FORM
    if isinstance(event, ConfigChange) and event.actor == NOBODY:
        del predicate["actor"]
    value = make_statement_json(predicate, event.subjects, make_predicate_type(event.KIND))
    payload = write_statement_json(value)
    # Every verification has an intake, and its few short fields have one spelling: there the value
    # that was written is held against the rules, not the bytes that are the same again.
    _read_event(value if type(event) is Intake else read_statement_json(payload), payload)
    return payload


def parse_event(payload: bytes) -> Event:
    """Read the statement of an event; raise MalformedReceiptError for anything else."""
    return _read_event(read_statement_json(payload), payload)


def _read_event(value: Any, payload: bytes) -> Event:  # noqa: ANN401 - any JSON value
    """The event that a statement's JSON value is; ``payload`` are its bytes."""
    kind = get_predicate_type(value)
    known = _READERS.get(kind)
    if known is None:
        msg = f"Expected the statement of an event of ours, got one of type {ascii(kind)[:80]}."
        raise MalformedReceiptError(msg, hint="Give an event of a log, not a receipt.")
    subjects, event = read_signed(known, value, what="the event")
    if subjects != event.subjects or not subjects:
        msg = "Expected the event's own subjects, got others."
        raise MalformedReceiptError(msg, hint=_FOREIGN_HINT)
    if isinstance(event, ConfigChange) and event.actor == NOBODY and b'"actor"' in payload:
        # One statement has one form: an empty actor is left out.
        msg = "Expected a change without 'actor' unless somebody is named, got an empty one."
        raise MalformedReceiptError(msg, hint=_FOREIGN_HINT)
    if isinstance(event, Erasure) and (event.doc_hash is None) == (event.verification_id is None):
        msg = "Expected the erasure of one document or of one verification, got both or neither."
        raise MalformedReceiptError(msg, hint=_FOREIGN_HINT)
    return event


def _reader(kind: type[Event]) -> schema.Read[tuple[Subjects, Event]]:
    extra: dict[str, schema.Read[Any]] = {"schema_version": schema.constant(SCHEMA_VERSION)}
    if kind is Intake:
        extra["request_form"] = schema.constant(REQUEST_FORM)

    def make(**found: Any) -> Event:  # noqa: ANN401 - as the fields are
        return kind(**{name: value for name, value in found.items() if name not in extra})

    own = {name: field.read for name, field in (_COMMON | _OWN[kind]).items()}
    whole = schema.record(make, **extra, **own)
    if kind is ConfigChange:
        del own["actor"]
        whole = _with_or_without("actor", whole, schema.record(make, **extra, **own))
    return statement_schema(whole, make_predicate_type(kind.KIND))


def _with_or_without(
    name: str, present: schema.Read[Event], absent: schema.Read[Event]
) -> schema.Read[Event]:
    def read_either(value: Any) -> Event:  # noqa: ANN401 - any JSON value
        return (present if isinstance(value, dict) and name in value else absent)(value)

    return read_either


_READERS = {make_predicate_type(kind.KIND): _reader(kind) for kind in _OWN}
# A field without a way to write it would be signed away in silence.
assert all(  # noqa: S101 - a fault of this file, found when it is imported
    {field.name for field in fields(kind)} == (_COMMON | own).keys() for kind, own in _OWN.items()
)
