"""Legal holds: what is held is not erased, by nobody and by no retention plan.

A hold is a ``legal-hold`` statement in the tenant's log, and ends by another one; nothing else is
stored. It holds an answer, a document, or everything with a label. A document that a held answer
cites is held with it: without it the answer's evidence could not be shown.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.errors import InputError, NotFoundError, VerificationErasedError
from spanproof.core.moment import write_moment
from spanproof.operations.documents.source_states import find_states
from spanproof.operations.errors import LegalHoldError
from spanproof.operations.sampling.erased import name_attempt
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import LegalHold
from spanproof.receipt.statement.issuance import actor_to_json
from spanproof.receipt.statement.predicate import NOBODY
from spanproof.store.erasing.refusal import ANSWER, DOCUMENT, VERIFICATION
from spanproof.store.log.reading import list_events
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.documents.source_state import SourceState
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.events import HeldKind
    from spanproof.receipt.statement.predicate import Actor
    from spanproof.store.erasing.refusal import ErasedKind

MOST_REASON_CHARACTERS = 500
MOST_LABEL_CHARACTERS = 200
LABEL: HeldKind = "label"
Labels = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """A hold that counts, or did; ``released_at`` is None while it counts.

    ``subject`` is a ``verification_id``, a ``doc_hash`` or ``name=value``.
    """

    hold_id: str
    kind: HeldKind
    subject: str
    reason: str
    placed_at: datetime
    actor: Actor
    released_at: datetime | None = None

    def to_json(self) -> dict[str, Any]:
        """The hold as it is sent."""
        ended = self.released_at
        return {
            "hold_id": self.hold_id,
            "kind": self.kind,
            "subject": self.subject,
            "reason": self.reason,
            "placed_at": write_moment(self.placed_at),
            "actor": actor_to_json(self.actor),
            "released_at": None if ended is None else write_moment(ended),
        }


def place_hold(
    context: Context, kind: HeldKind, ref: str, *, reason: str, actor: Actor = NOBODY
) -> Hold:
    """Hold an answer (its id, or that of a verification), a document, or a label ``name=value``.

    Raises NotFoundError for what is not kept, InputError without a reason or for a malformed label.
    """
    hold_id, words = str(uuid.uuid4()), _check_reason(reason)
    with context.store.erasures.database_lock():
        subject = _resolve(context, kind, ref)
        _log(
            context,
            LegalHold(
                **context.issuer.make_head(),
                hold_id=hold_id,
                action="placed",
                held=kind,
                subject=subject,
                reason=words,
                actor=actor,
            ),
        )
    return find_hold(context, hold_id)


def release_hold(context: Context, hold_id: str, *, reason: str, actor: Actor = NOBODY) -> Hold:
    """End a hold; ending it twice changes nothing. NotFoundError for an unknown id."""
    words = _check_reason(reason)
    with context.store.erasures.database_lock():
        hold = find_hold(context, hold_id)
        if hold.released_at is None:
            _log(
                context,
                LegalHold(
                    **context.issuer.make_head(),
                    hold_id=hold_id,
                    action="released",
                    held=hold.kind,
                    subject=hold.subject,
                    reason=words,
                    actor=actor,
                ),
            )
    return find_hold(context, hold_id)


def list_holds(context: Context, *, only_open: bool = True) -> tuple[Hold, ...]:
    """The tenant's holds, the oldest first."""
    found: dict[str, Hold] = {}
    for stored in list_events(context.store.database, LegalHold.KIND):
        event = parse_event(stored.statement.payload)
        if not isinstance(event, LegalHold):
            continue
        placed = found.get(event.hold_id)
        found[event.hold_id] = Hold(
            hold_id=event.hold_id,
            kind=event.held,
            subject=event.subject,
            reason=event.reason if placed is None else placed.reason,
            placed_at=event.time if placed is None else placed.placed_at,
            actor=event.actor if placed is None else placed.actor,
            released_at=event.time if event.action == "released" else None,
        )
    return tuple(each for each in found.values() if not only_open or each.released_at is None)


def find_hold(context: Context, hold_id: str) -> Hold:
    """One hold; NotFoundError for an unknown id."""
    for each in list_holds(context, only_open=False):
        if each.hold_id == hold_id:
            return each
    msg = f"Expected a hold of this tenant, got {hold_id[:80]!r}."
    raise NotFoundError(msg, hint="'spanproof holds list' shows them.")


class HoldCheck:
    """The holds that count now, against which things are held; made anew for each order."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._holds = list_holds(context)

    def require_free(self, kind: ErasedKind, subject: str) -> None:
        """Raise LegalHoldError where a hold keeps this."""
        hold = self.find(kind, subject)
        if hold is not None:
            msg = f"Expected a {kind} that no hold keeps, got one under hold {hold.hold_id}"
            raise LegalHoldError(
                f"{msg} ({hold.reason}).", hint="'spanproof holds release' ends the hold."
            )

    def find(self, kind: ErasedKind, subject: str) -> Hold | None:
        """The first hold that keeps this; None where nothing does."""
        if not self._holds:
            return None
        if kind == DOCUMENT:
            return self._find_of_document(Digest.parse(subject))
        if kind == ANSWER:
            return self._find_of_answer(subject)
        return self._find_of_verification(subject)

    def _find_of_document(self, doc_hash: Digest) -> Hold | None:
        labels = labels_of(find_states(self._context, [doc_hash]).get(doc_hash))
        found = self._match({str(doc_hash)}, labels)
        if found is not None:
            return found
        citing = self._context.store.erasures.list_quoting(doc_hash)
        return next(filter(None, map(self._find_of_verification, citing)), None)

    def _find_of_verification(self, verification_id: str) -> Hold | None:
        erasures = self._context.store.erasures
        found = self._match({verification_id}, read_labels(self._context, verification_id))
        if found is None:
            # The same words: one hold keeps all of them.
            answers = [answer_id for answer_id, _ in erasures.find_answers(verification_id)]
            found = next(filter(None, map(self._find_of_answer, answers)), None)
        return found

    def _find_of_answer(self, answer_id: str) -> Hold | None:
        store = self._context.store
        answer = store.samples.answers.load(answer_id)
        names = {name_attempt(answer, 0), *store.erasures.list_verifications(answer_id)}
        return self._match(names, parse_labels(answer.raw, answer.format))

    def _match(self, names: set[str], labels: Labels) -> Hold | None:
        for hold in self._holds:
            if hold.subject in (labels if hold.kind == LABEL else names):
                return hold
        return None


def read_labels(context: Context, verification_id: str) -> Labels:
    """The labels of a kept answer as ``name=value``; none of an erased one."""
    try:
        stored = context.store.answers.load(verification_id)
    except VerificationErasedError:
        return frozenset()
    return parse_labels(stored.raw, stored.block["import"]["format"])


def parse_labels(raw: bytes | None, formats: str) -> Labels:
    """The labels in an answer's bytes; none where there are no bytes, or they cannot be read."""
    if not raw:
        return frozenset()
    try:
        answer = parse_payload(raw, formats).answer
    except InputError:
        return frozenset()
    return frozenset(f"{name}={value}" for name, value in answer.labels)


def labels_of(state: SourceState | None) -> Labels:
    """The labels of a document."""
    if state is None:
        return frozenset()
    named = {"licence": state.licence, "confidentiality": state.confidentiality}
    return frozenset(f"{name}={value}" for name, value in named.items() if value is not None)


def _resolve(context: Context, kind: HeldKind, ref: str) -> str:
    if kind == LABEL:
        name, is_pair, value = ref.partition("=")
        if not (is_pair and name and value and len(ref) <= MOST_LABEL_CHARACTERS):
            msg = f"Expected a label like 'matter=4711', got {ref[:80]!r}."
            raise InputError(msg, hint=f"Give name=value, at most {MOST_LABEL_CHARACTERS} letters.")
        return ref
    found, subject = context.store.erasures.resolve(ref)
    if (found == DOCUMENT) != (kind == DOCUMENT):
        msg = f"Expected the name of {'a document' if kind == DOCUMENT else 'an answer'}, "
        raise InputError(f"{msg}got {ref[:80]!r}.", hint="Choose the kind that fits the name.")
    if found in {DOCUMENT, VERIFICATION}:
        return subject
    # Its own id was chosen by a caller, and a statement stays for ever.
    return name_attempt(context.store.samples.answers.load(subject), 0)


def _check_reason(reason: str) -> str:
    words = reason.strip()
    if not 0 < len(words) <= MOST_REASON_CHARACTERS:
        msg = f"Expected a reason of 1 to {MOST_REASON_CHARACTERS} characters, got {len(words)}."
        raise InputError(msg, hint="Give a short reason without names: it stays for ever.")
    return words


def _log(context: Context, event: LegalHold) -> None:
    context.issuer.log_event(event, subject=f"{LegalHold.KIND}:{event.hold_id}")
    context.log.publish()
