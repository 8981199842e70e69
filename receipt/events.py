"""What a log records beside results: small statements, each with a predicate type of its own.

The log holds only a hash of each; the statement itself is kept in the store and shown to an
auditor. Each names the log that it is in, and a nonce hides what its leaf is of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from core.digest import Digest
from core.errors import MalformedReceiptError
from receipt import identity, schema
from receipt.issue import actor_to_json
from receipt.predicate import ACTOR, NOBODY, ORIGIN, RECEIPT_ID, REQUEST_FORM, VERIFICATION_ID
from receipt.statement import (
    get_predicate_type,
    make_statement_json,
    read_statement_json,
    statement_schema,
    write_statement_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from core.checkpoint import LoggedLeaf
    from receipt.predicate import Actor

SCHEMA_VERSION = 1
_NOT_OURS = "Whoever signed this did not use this verifier."
Subjects = tuple[tuple[str, Digest], ...]
#: Why an intake has no result: an exception, or the process was gone.
ErrorReason = Literal["failed", "interrupted"]
KeyAction = Literal["added", "rotated", "revoked"]
KeyPurpose = Literal["receipts", "log"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(ABC):
    """What every statement of a log has: its id (UUID version 7), nonce, moment and log."""

    KIND: ClassVar[str] = ""
    event_id: str
    nonce: bytes
    time: datetime
    origin: str

    @property
    @abstractmethod
    def subjects(self) -> Subjects:
        """What the statement is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake(Event):
    """An answer came in and is about to be verified: nothing that came can be left out later.

    ``process`` is a random name of the process that took it in, 32 hexadecimal digits.
    """

    KIND: ClassVar[str] = "intake"
    verification_id: str
    request_digest: Digest
    process: str
    actor: Actor = NOBODY

    @property
    def subjects(self) -> Subjects:
        """The request."""
        return (("request", self.request_digest),)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeError(Event):
    """An intake that came to no result, and why; ``code`` is the error's stable one."""

    KIND: ClassVar[str] = "error"
    verification_id: str
    intake_index: int
    intake_leaf_hash: bytes
    reason: ErrorReason
    code: str

    @property
    def subjects(self) -> Subjects:
        """The intake's leaf."""
        return (("intake-leaf", Digest(self.intake_leaf_hash.hex())),)


class Change(NamedTuple):
    """One thing that verdicts hang on: its digest before (None: the first) and from now on."""

    name: str
    old: Digest | None
    new: Digest | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigChange(Event):
    """Policy, thresholds, model, pipeline or verifier are others than those last recorded.

    ``actor`` is whoever changed a setting while the service ran; what a verification finds changed
    names nobody, and then the statement has no such field.
    """

    KIND: ClassVar[str] = "config-change"
    changes: tuple[Change, ...]
    actor: Actor = NOBODY

    @property
    def subjects(self) -> Subjects:
        """What holds from now on; what is gone, where nothing took its place."""
        return tuple(
            (change.name, digest)
            for change in self.changes
            if (digest := change.new or change.old) is not None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyEvent(Event):
    """A key begins, follows another, or is revoked. Ids are ``receipt.keys.name_public_key``'s.

    ``key_sha256`` is of the key's SubjectPublicKeyInfo. ``from_index``: leaves at or behind it no
    longer count for a revoked key.
    """

    KIND: ClassVar[str] = "key-event"
    action: KeyAction
    purpose: KeyPurpose
    key_sha256: Digest
    replaces_sha256: Digest | None = None
    from_index: int | None = None
    reason: str | None = None

    @property
    def subjects(self) -> Subjects:
        """The key."""
        return (("key", self.key_sha256),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone(Event):
    """A receipt's body that was erased; its leaf stays, so the tree does.

    ``payload_sha256`` is of the statement that was erased.
    """

    KIND: ClassVar[str] = "tombstone"
    verification_id: str
    log_index: int
    payload_sha256: Digest
    reason: str
    actor: Actor = NOBODY

    @property
    def subjects(self) -> Subjects:
        """The statement that was erased."""
        return (("statement", self.payload_sha256),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure(Event):
    """Content that was taken away on request: a document, or the words of an answer.

    Either ``doc_hash`` or ``verification_id`` says of what; ``contents`` are the digests of what
    went. Receipts hold no words and stay, so they can still be checked, and this says why their
    document cannot be shown any more.
    """

    KIND: ClassVar[str] = "erasure"
    doc_hash: Digest | None = None
    verification_id: str | None = None
    contents: tuple[Digest, ...]
    reason: str
    actor: Actor = NOBODY

    @property
    def subjects(self) -> Subjects:
        """The document, where it is one, and what went with it."""
        document = () if self.doc_hash is None else (("document", self.doc_hash),)
        named = ((f"content-{at}", digest) for at, digest in enumerate(self.contents))
        return (*document, *named)


@dataclass(frozen=True, slots=True, kw_only=True)
class FsckResult(Event):
    """The whole log was recomputed: up to which head, and how many things were found wrong."""

    KIND: ClassVar[str] = "fsck-result"
    size: int
    root: bytes
    is_sound: bool
    findings: int
    checked_leaves: int

    @property
    def subjects(self) -> Subjects:
        """The root that was recomputed."""
        return (("root", Digest(self.root.hex())),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard(Event):
    """Leaf 0 of a log that goes on where another was closed: how that stood, and why."""

    KIND: ClassVar[str] = "shard"
    old_origin: str
    old_size: int
    old_root: bytes
    reason: str

    @property
    def subjects(self) -> Subjects:
        """The old log's last root."""
        return (("old-root", Digest(self.old_root.hex())),)


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochOpened(Event):
    """An epoch of sampling begins: the commitment to its key, and the plan that holds in it."""

    KIND: ClassVar[str] = "sampling-epoch-opened"
    epoch: str
    commitment: Digest
    plan_digest: Digest

    @property
    def subjects(self) -> Subjects:
        """The commitment and the plan."""
        return (("commitment", self.commitment), ("plan", self.plan_digest))


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochClosed(Event):
    """An epoch of sampling is over: its key, and what came in while it lasted.

    ``rows_digest`` is over a line for each answer, in the order in which they came
    (docs/monitoring.md).
    """

    KIND: ClassVar[str] = "sampling-epoch-closed"
    epoch: str
    commitment: Digest
    key: bytes
    answers: int
    chosen: int
    rows_digest: Digest

    @property
    def subjects(self) -> Subjects:
        """The commitment that the key opens, and the answers."""
        return (("commitment", self.commitment), ("answers", self.rows_digest))


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
_COUNT = _Field(schema.count, _same)
_DIGEST = _Field(schema.digest, str)
_HASH = _Field(schema.hexadecimal(32), bytes.hex)
_ORIGIN = _Field(ORIGIN, _same)
_ACTOR = _Field(ACTOR, actor_to_json)
_VERIFICATION = _Field(VERIFICATION_ID, _same)
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
_COMMON = {
    "event_id": _Field(RECEIPT_ID, _same),
    "nonce": _Field(schema.hexadecimal(identity.NONCE_BYTES), bytes.hex),
    "time": _Field(schema.moment, schema.write_moment),
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
    FsckResult: {
        "size": _COUNT,
        "root": _HASH,
        "is_sound": _Field(schema.flag, _same),
        "findings": _COUNT,
        "checked_leaves": _COUNT,
    },
    EpochOpened: {"epoch": _EPOCH, "commitment": _DIGEST, "plan_digest": _DIGEST},
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
    """The JCS bytes of the event's statement; raise MalformedReceiptError for one that is none.

    What is written is held against the reader's own rules: nothing is signed that no auditor
    could read.
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
    subjects, event = schema.read(known, value, what="the event")
    if subjects != event.subjects or not subjects:
        msg = "Expected the event's own subjects, got others."
        raise MalformedReceiptError(msg, hint=_NOT_OURS)
    if isinstance(event, ConfigChange) and event.actor == NOBODY and b'"actor"' in payload:
        # One statement has one form: whoever is nobody is left out.
        msg = "Expected a change without 'actor' where nobody is named, got an empty one."
        raise MalformedReceiptError(msg, hint=_NOT_OURS)
    if isinstance(event, Erasure) and (event.doc_hash is None) == (event.verification_id is None):
        msg = "Expected the erasure of one document or of one verification, got both or neither."
        raise MalformedReceiptError(msg, hint=_NOT_OURS)
    return event


def check_answers(error: IntakeError, intake: LoggedLeaf) -> bool:
    """Whether the error closes this intake."""
    return (
        error.origin == intake.origin
        and error.intake_index == intake.index
        and error.intake_leaf_hash == intake.leaf_hash
    )


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
