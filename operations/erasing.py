"""Erasing on request: a tombstone in the log first, then the content, and never the evidence.

1. Find the content: a document, one verification's payload and block, or a submitted answer.
2. An ``erasure`` statement (what, by which digests, why) is signed and stands under a signed head.
3. A row names that leaf; from here on every read says DOCUMENT_ERASED or VERIFICATION_ERASED.
4. The content goes: blobs, or the words in an answer's rows, inputs of jobs and reports that show
   it. What something else shares stays.

A submitted answer and its verifications have the same words: whichever is named, all of them go,
and once its erasure is recorded no job writes them again (``AnswerRows.submitted``).

Receipts, leaves, digests and offsets stay: they hold no words, and an auditor needs them. A second
call finishes what a crash left undone, and adds no second tombstone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.errors import InputError, NotFoundError
from spanproof.core.moment import write_moment
from spanproof.operations.jobs.erased_inputs import remove_inputs
from spanproof.operations.keeping.holds import HoldCheck
from spanproof.operations.receipts.issuing import SignedStatement
from spanproof.operations.report.files import remove_reports
from spanproof.operations.sampling.erased import end_erased, name_attempt
from spanproof.receipt.forms.dsse import Envelope
from spanproof.receipt.forms.log_entry import parse_entry
from spanproof.receipt.keys.signing_keys import name_public_key
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Erasure
from spanproof.receipt.statement.predicate import NOBODY
from spanproof.store.erasing.refusal import ANSWER, DOCUMENT, VERIFICATION, ErasureRecord

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.operations.receipts.issuing import Issuer
    from spanproof.receipt.statement.predicate import Actor
    from spanproof.store.erasing.erasures import Content
    from spanproof.store.erasing.refusal import ErasedKind

#: A reason is read by people, and stands in the log's statements for ever.
MOST_REASON_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReport:
    """The erased content, its tombstone, the shared parts that stayed, and who still quotes it.

    ``removed`` counts the parts that were still there; ``quoting`` are verifications whose payload
    and block may repeat words of an erased document. ``bundle`` is the tombstone as a file, None
    where its log has been closed since.
    """

    record: ErasureRecord
    removed: int
    content: Content
    quoting: tuple[str, ...] = ()
    bundle: bytes | None = field(default=None, repr=False)

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints for each."""
        record = self.record
        return {
            "kind": record.kind,
            "subject": record.subject,
            "reason": record.reason,
            "erased_at": write_moment(record.erased_at),
            "tombstone": {"origin": record.origin, "index": record.index},
            "removed": self.removed,
            "contents": [str(each) for each in self.content.digests],
            "shared": [str(each) for each in self.content.shared],
            "still_quoted_by": list(self.quoting),
        }


def erase(  # noqa: PLR0913 - what goes, why, and by whom
    context: Context,
    ref: str,
    *,
    reason: str,
    kind: ErasedKind | None = None,
    with_verifications: bool = False,
    actor: Actor = NOBODY,
) -> tuple[ErasureReport, ...]:
    """Erase a document (``doc_id``: its newest version), a verification, or a submitted answer.

    With ``kind`` the reference is its ``doc_hash``, ``verification_id`` or ``answer_id`` and
    nothing else. With a verification goes the submitted answer that has its words, and with an
    answer every verification of it, each with a tombstone of its own.
    ``with_verifications``: also every verification that cites the document, for they may quote it.
    Raises NotFoundError for what was never kept, InputError without a reason, LogError where no
    tombstone can be logged: then nothing is removed, and LegalHoldError where a hold keeps it.
    """
    words = reason.strip()
    if not 0 < len(words) <= MOST_REASON_CHARACTERS:
        msg = f"Expected a reason of 1 to {MOST_REASON_CHARACTERS} characters, got {len(words)}."
        raise InputError(msg, hint="Give a short reason without names: it stays for ever.")
    kind, subject = (kind, ref) if kind else context.store.erasures.resolve(ref)
    held = HoldCheck(context)
    held.require_free(kind, subject)
    if kind == DOCUMENT and with_verifications:
        for each in context.store.erasures.list_quoting(Digest.parse(subject)):
            held.require_free(VERIFICATION, each)
    run = _Run(context, _Order(reason=words, actor=actor))
    run.erase(kind, subject)
    first = (kind, subject)
    if kind == DOCUMENT and with_verifications:
        for each in run.done[first].quoting:
            run.erase(VERIFICATION, each)
        left = context.store.erasures.list_quoting(Digest.parse(subject))
        run.done[first] = replace(run.done[first], quoting=left)
    return tuple(run.done.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """Why something is erased, and on whose behalf: a tombstone says both."""

    reason: str
    actor: Actor


class _Run:
    """Erases the subject and everything with the same words, each once and in this order."""

    def __init__(self, context: Context, order: _Order) -> None:
        self.done: dict[tuple[ErasedKind, str], ErasureReport] = {}
        self._context = context
        self._order = order

    def erase(self, kind: ErasedKind, subject: str) -> None:
        self._erase_one(kind, subject)
        if kind == ANSWER:
            self._finish_answer(subject)
        if kind == VERIFICATION:
            for answer_id, is_own in self._context.store.erasures.find_answers(subject):
                if is_own:
                    self._erase_one(ANSWER, answer_id)
                self._finish_answer(answer_id)

    def _erase_one(self, kind: ErasedKind, subject: str) -> None:
        if (kind, subject) not in self.done:
            report = _erase_one(self._context, kind, subject, self._order)
            self.done[kind, subject] = report

    def _finish_answer(self, answer_id: str) -> None:
        """Every attempt at it too: by now no worker can begin another."""
        for each in self._context.store.erasures.list_verifications(answer_id):
            self._erase_one(VERIFICATION, each)
        if (ANSWER, answer_id) in self.done:
            end_erased(self._context, answer_id)


def _erase_one(context: Context, kind: ErasedKind, subject: str, order: _Order) -> ErasureReport:
    erasures = context.store.erasures
    content = erasures.list_content(kind, subject)
    # The lock keeps every other process from logging a leaf between this look and ours.
    with erasures.database_lock():
        record = erasures.find(kind, subject)
        if record is None:
            # Again, under the lock: a hold that was placed meanwhile wins.
            HoldCheck(context).require_free(kind, subject)
            index, event = _log_tombstone(context, kind, subject, content, order)
            bundle = write_tombstone(context.issuer, index)
            record = erasures.record(
                ErasureRecord(
                    kind=kind,
                    subject=subject,
                    origin=event.origin,
                    index=index,
                    reason=event.reason,
                    erased_at=event.time,
                )
            )
        elif record.origin == context.issuer.log.origin:
            bundle = write_tombstone(context.issuer, record.index)
        else:
            bundle = None
    return ErasureReport(
        record=record,
        removed=erasures.remove(kind, subject)
        + remove_inputs(context, content)
        + remove_reports(context, record),
        content=content,
        quoting=erasures.list_quoting(Digest.parse(subject)) if kind == DOCUMENT else (),
        bundle=bundle,
    )


def _log_tombstone(
    context: Context, kind: ErasedKind, subject: str, content: Content, order: _Order
) -> tuple[int, Erasure]:
    """The leaf that says so: the one that an interrupted call has logged, else a new one."""
    issuer, name = context.issuer, name_subject(kind, subject)
    for stored in issuer.log.find_statements(name):
        event = parse_event(stored.statement.payload)
        if isinstance(event, Erasure) and event.origin == issuer.log.origin:
            return stored.index, event
    event = Erasure(
        **issuer.make_head(),
        doc_hash=Digest.parse(subject) if kind == DOCUMENT else None,
        verification_id=_name_verification(context, kind, subject),
        contents=content.digests,
        reason=order.reason,
        actor=order.actor,
    )
    return issuer.log_event(event, subject=name).index, event


def _name_verification(context: Context, kind: ErasedKind, subject: str) -> str | None:
    """The verification that a tombstone names: of an answer the one that it has or would have.

    Its own id was chosen by a caller, and a leaf stays for ever.
    """
    if kind == ANSWER:
        return name_attempt(context.store.samples.answers.load(subject), 0)
    return subject if kind == VERIFICATION else None


def write_tombstone(issuer: Issuer, index: int) -> bytes:
    """The bundle of a tombstone under a signed head; NotFoundError for any other leaf."""
    stored = issuer.log.find_statement(index)
    if stored is None:
        msg = f"Expected a tombstone at leaf {index}, got a leaf without a statement."
        raise NotFoundError(msg, hint="Run 'spanproof audit fsck': it names what is wrong.")
    entry = issuer.log.read_entry(index)
    row = stored.statement
    signed = SignedStatement(
        envelope=Envelope(
            payload=row.payload, signature=row.signature, payload_type=row.payload_type
        ),
        entry=entry,
        key_id=name_public_key(parse_entry(entry).public_key),
    )
    return issuer.write_bundle(signed, issuer.log.seal(index))


def name_subject(kind: ErasedKind, subject: str) -> str:
    """What the store calls the subject of a tombstone."""
    return f"{Erasure.KIND}:{kind}:{subject}"
