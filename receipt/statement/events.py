"""What a log records beside results: small statements, each with a predicate type of its own.

The log holds only a hash of each; the statement itself is kept in the store and shown to an
auditor. Each names the log that it is in, and a nonce hides what its leaf is of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from spanproof.core.digest import Digest
from spanproof.receipt.statement.predicate import NOBODY

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.documents.source_state import SourceState
    from spanproof.receipt.statement.predicate import Actor

Subjects = tuple[tuple[str, Digest], ...]

#: Why an intake has no result: an exception, or the process was gone.
ErrorReason = Literal["failed", "interrupted"]
KeyAction = Literal["added", "rotated", "revoked"]
KeyPurpose = Literal["receipts", "log"]
HoldAction = Literal["placed", "released"]
HeldKind = Literal["answer", "document", "label"]
SourceAction = Literal["withdraw", "reinstate", "amend", "set"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSuperseded(Event):
    """A result of which no receipt is kept: another one of the same verification has it.

    A worker that was killed had logged it, and the answer was judged again. ``by_index`` is the
    leaf of the result that holds.
    """

    KIND: ClassVar[str] = "result-superseded"
    verification_id: str
    log_index: int
    leaf_hash: bytes
    by_index: int

    @property
    def subjects(self) -> Subjects:
        """The leaf of the result that does not hold."""
        return (("result-leaf", Digest(self.leaf_hash.hex())),)


class Change(NamedTuple):
    """One thing that verdicts depend on: its digest before (None: the first) and from now on."""

    name: str
    old: Digest | None
    new: Digest | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigChange(Event):
    """Policy, thresholds, model, pipeline or verifier are others than those last recorded.

    ``actor`` changed a setting while the service ran. A verification that finds a changed
    setting knows no actor, and then the statement has no such field.
    """

    KIND: ClassVar[str] = "config-change"
    changes: tuple[Change, ...]
    actor: Actor = NOBODY

    @property
    def subjects(self) -> Subjects:
        """The new value from now on; the removed one, where nothing replaces it."""
        return tuple(
            (change.name, digest)
            for change in self.changes
            if (digest := change.new or change.old) is not None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyEvent(Event):
    """A key begins, follows another, or is revoked.

    Ids are those of ``spanproof.receipt.keys.signing_keys.name_public_key``.     ``key_sha256`` is
    of the key's SubjectPublicKeyInfo. ``from_index``: leaves at or behind it no longer count for a
    revoked key.
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
class SourceChange(Event):
    """What an operator says of a document from now on, and why; ``state`` is the whole of it.

    Kept verdicts on the document stay as they are.
    """

    KIND: ClassVar[str] = "source-change"
    doc_hash: Digest
    action: SourceAction
    reason: str
    state: SourceState
    actor: Actor = NOBODY

    @property
    def subjects(self) -> Subjects:
        """The document, and the one that amends it."""
        by = self.state.amended_by
        amending = () if by is None else (("amended-by", by),)
        return (("document", self.doc_hash), *amending)


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalHold(Event):
    """What is held is not erased until the hold is released.

    ``subject`` is a ``verification_id``, a ``doc_hash``, or a label ``name=value``.
    """

    KIND: ClassVar[str] = "legal-hold"
    hold_id: str
    action: HoldAction
    held: HeldKind
    subject: str
    reason: str
    actor: Actor = NOBODY

    @property
    def subjects(self) -> Subjects:
        """What is held, by the digest of its name."""
        return (("held", Digest.of(self.subject.encode("utf-8", "surrogatepass"))),)


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
    """Leaf 0 of a log that continues a closed one: the old log's last state, and the reason."""

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
class AnswersSubmitted(Event):
    """Answers came in: those of the epoch from number ``first`` on, ``answers`` of them.

    ``rows_digest`` is over a line for each, without the draw (docs/how-to/monitoring.md): from
    here on none of them can be left out, and none can be exchanged for another.
    """

    KIND: ClassVar[str] = "answers-submitted"
    epoch: str
    first: int
    answers: int
    rows_digest: Digest

    @property
    def subjects(self) -> Subjects:
        """The answers."""
        return (("answers", self.rows_digest),)


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochClosed(Event):
    """An epoch of sampling is over: its key, and what came in while it lasted.

    ``rows_digest`` is over a line for each answer, in the order in which they came
    (docs/how-to/monitoring.md).
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
