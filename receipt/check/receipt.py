"""A receipt checked offline: from its bundle and a trust file alone, without any network.

The steps stand in the order in which they run, each with its reason. A failed step ends the check:
the steps after it are NOT CHECKED.

(1) The bundle has one reading. It is parsed strictly, and what it says twice it says alike. All
    that is in it is a claim until one of the next steps has made it more.
(2) SIGNATURE: a key of the *trust file* signed these bytes as an in-toto statement. The bundle's
    hint only chooses among those keys. No key, certificate or algorithm comes from the bundle; the
    algorithm is one, ECDSA on P-256 with SHA-256, over type and bytes (DSSE).
(3) LOG: the log's leaf is that of exactly this envelope and that key. A signature in another
    encoding, or another that the same key made, has another leaf.
(4) The inclusion proof leads from that leaf, at its index, to the head's root.
(5) A key of the log in the trust file signed that head under its own origin. So a
    thief of a signing key alone has nothing yet: its signatures count only in the public log.
(6) Only now the payload's bytes are read, strictly: bytes that two readers could read differently
    are not a receipt (MALFORMED).
(7) The statement names the same log, and an intake leaf before its own: what came in was logged
    before it was judged. That it is the leaf of that hash only the whole log shows
    (``audit fsck``), unless it is the neighbour with which the proof begins.
(8) The keys were in use at the time of issue, by the statement's word; a key that was revoked
    speaks only where the log's own order, not a clock, puts the leaf before the revocation.
(9) No head that the auditor holds is of another history of the same log. Those of the same history
    bound the TIME of issue, where a proof shows that they are
    (``spanproof.receipt.check.time_bounds``).
(10) ANSWER, DOCUMENT, SPAN, SUPPORT, POLICY: what the statement says, against what the auditor
    holds (``spanproof.receipt.check.content``). A question for which nothing was given is NOT ASKED
    and changes nothing; what could not be answered is NOT CHECKED, which is not a pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from spanproof.core.errors import EvidenceError, KeyNotTrustedError, MalformedReceiptError
from spanproof.core.log.merkle import check_inclusion
from spanproof.core.moment import write_short_moment
from spanproof.core.shown import show_ascii
from spanproof.receipt.check.content import (
    LoggedErasure,
    check_answer,
    check_documents,
    check_policy,
    check_spans,
    check_support,
)
from spanproof.receipt.check.report import QUESTIONS, CheckReport, Line, LineStatus, Question
from spanproof.receipt.check.timing import check_time, gather_bounds
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.forms.dsse import open_envelope
from spanproof.receipt.forms.log_entry import LeafForm
from spanproof.receipt.forms.signed_note import check_note, parse_note
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Erasure
from spanproof.receipt.statement.statement import parse_statement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from spanproof.receipt.check.content import (
        AuditorAnswer,
        AuditorFile,
        AuditorText,
        PolicyRequirement,
    )
    from spanproof.receipt.check.time_bounds import TimeBounds
    from spanproof.receipt.check.timing import WitnessedNote
    from spanproof.receipt.forms.bundle import Receipt
    from spanproof.receipt.keys.signing_keys import EntryKey, LogKey
    from spanproof.receipt.keys.trust_file import TrustFile
    from spanproof.receipt.statement.predicate import Predicate

_AS_ISSUED = "Give the receipt as it was issued, or treat it as forged."


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditInputs:
    """What the auditor holds beside the receipt; each thing given is a question asked.

    ``answer`` is what the receipt is to be of, ``witnessed`` are heads that others saw,
    ``erasures`` tombstones of what can be shown no more (``check_tombstone``); ``recompute`` judges
    again what the statement says (a replay) and gives the line SUPPORT.
    """

    answer: AuditorAnswer | None = None
    sources: Sequence[AuditorFile] = ()
    texts: Sequence[AuditorText] = ()
    policy: PolicyRequirement | None = None
    witnessed: Sequence[WitnessedNote] = ()
    erasures: Sequence[LoggedErasure] = ()
    recompute: Callable[[Predicate], Line] | None = None


def check_receipt(
    raw: bytes, trust: TrustFile, inputs: AuditInputs = AuditInputs(), *, now: datetime
) -> CheckReport:
    """Check one receipt; ``now`` only tells whether the trust file was to be fetched again.

    Raises MalformedReceiptError or MalformedNoteError for a malformed receipt: it has no report.
    """
    lines: dict[Question, Line] = {}
    question = Question.LOG
    try:
        receipt = parse_bundle(raw)  # (1)
        question = Question.SIGNATURE
        check_trust_age(trust, now)
        key = find_key(receipt, trust)
        payload = open_envelope(receipt.envelope, key)  # (2)
        question = Question.LOG
        signers = check_logged(receipt, key, trust)  # (3) (4) (5)
        predicate = parse_statement(payload).predicate  # (6)
        _check_place(receipt, predicate)  # (7)
        check_head_key(signers, trust, predicate.time_issued)  # (8)
        question = Question.SIGNATURE
        _check_key(receipt, trust, predicate)  # (8)
        lines[question] = _describe_signature(key, trust)
        question = Question.TIME
        bounds = gather_bounds(receipt, trust, inputs.witnessed)  # (9)
        question = Question.LOG
        _check_histories(bounds)  # (9)
        lines[question] = _describe_log(receipt, predicate)
    except EvidenceError as error:
        lines[question] = Line(
            question=question, status=LineStatus.FAILED, words=str(error), code=error.code
        )
        return _stop(lines, question)
    lines |= {  # (9) (10)
        Question.TIME: check_time(predicate.time_issued, bounds, is_asked=bool(inputs.witnessed)),
        Question.ANSWER: check_answer(predicate, inputs.answer),
        Question.DOCUMENT: check_documents(predicate, inputs.sources, inputs.erasures),
        Question.SPAN: check_spans(predicate, inputs.texts),
        Question.SUPPORT: check_support(predicate, inputs.recompute),
        Question.POLICY: check_policy(predicate, inputs.policy),
    }
    return CheckReport(
        lines=tuple(lines[each] for each in QUESTIONS),
        receipt_id=predicate.receipt_id,
        limitations=predicate.limitations,
        included=receipt.included,
    )


def check_trust_age(trust: TrustFile, now: datetime) -> None:
    """Raise KeyNotTrustedError for a trust file that was to be fetched again by ``now``."""
    if trust.expires_at is not None and trust.is_expired(now):
        expiry = write_short_moment(trust.expires_at)
        msg = f"Expected a trust file in use, got one that expired {expiry}."
        raise KeyNotTrustedError(msg, hint="Get the newest one from the log's operator.")


def find_key(receipt: Receipt, trust: TrustFile) -> EntryKey:
    """The key of the trust file that the bundle's hint names."""
    for each in trust.signing_keys:
        if each.key.key_id == receipt.key_id:
            return each.key
    msg = f"Expected a key of the trust file, got the hint {show_ascii(receipt.key_id)}."
    raise KeyNotTrustedError(msg, hint="Use the trust file of the receipt's issuer.")


def check_logged(receipt: Receipt, key: EntryKey, trust: TrustFile) -> tuple[LogKey, ...]:
    """(3) to (5) of any bundle: the leaf, the proof, the head; the keys that signed the head."""
    included = receipt.included
    if not _find_form(key.public_key).covers(receipt.entry, receipt.envelope):
        msg = "Expected the leaf of this envelope and this key, got another leaf."
        raise EvidenceError(msg, hint=_AS_ISSUED)
    if not check_inclusion(included.proof, included.leaf.leaf_hash, included.checkpoint.root):
        msg = "Expected a proof that the leaf is in the log, got one that leads elsewhere."
        raise EvidenceError(msg, hint=_AS_ISSUED)
    origin, size = included.checkpoint.origin, included.checkpoint.size
    keys = trust.require_log_keys(origin, size=size)
    signed_by = {(each.name, each.key_id) for each in check_note(parse_note(included.note), keys)}
    signers = tuple(each for each in keys if (each.name, each.key_id) in signed_by)
    if all(each.log_id != receipt.log_id for each in signers):
        msg = "Expected the log's id to be that of the key which signed its head, got another."
        raise EvidenceError(msg, hint=_AS_ISSUED)
    return signers


@lru_cache(maxsize=64)
def _find_form(public_key: bytes) -> LeafForm:
    return LeafForm(public_key)


def _check_place(receipt: Receipt, predicate: Predicate) -> None:
    leaf, log = receipt.included.leaf, predicate.log
    if log.origin != leaf.origin:
        msg = f"Expected a statement of the log {leaf.origin!r}, got one of {log.origin!r}."
        raise EvidenceError(msg, hint=_AS_ISSUED)
    if log.intake_index >= leaf.index:
        msg = f"Expected an intake leaf before index {leaf.index}, got {log.intake_index}."
        raise EvidenceError(msg, hint="What came in must be logged before it is judged.")
    # Of two neighbours below one node the path begins with the other: it is seen, not believed.
    hashes = receipt.included.proof.hashes
    if leaf.index % 2 and log.intake_index == leaf.index - 1 and hashes[0] != log.intake_leaf_hash:
        msg = f"Expected the intake leaf that stands at {log.intake_index}, got another's hash."
        raise EvidenceError(msg, hint=_AS_ISSUED)


def check_head_key(signers: Sequence[LogKey], trust: TrustFile, moment: datetime) -> None:
    """The head was signed at the moment of issue or later: no key counts that had ended by then."""
    ended = [
        log.key
        for log in trust.trusted_root.logs
        if log.valid_for.end is not None and log.valid_for.end < moment
    ]
    if all(each in ended for each in signers):
        msg = "Expected a head signed by a key in use at the time of issue, got one that had ended."
        raise KeyNotTrustedError(msg, hint="Get the newest trust file from the log's operator.")


def _check_key(receipt: Receipt, trust: TrustFile, predicate: Predicate) -> None:
    leaf = receipt.included.leaf
    trust.require_signing_key(
        receipt.key_id, moment=predicate.time_issued, origin=leaf.origin, index=leaf.index
    )


def _check_histories(bounds: TimeBounds) -> None:
    if bounds.forked:
        msg = f"Expected one history of the log, got another head: {'; '.join(bounds.forked)}."
        raise EvidenceError(msg, hint="Keep both heads: together they show that the log forked.")


def _describe_signature(key: EntryKey, trust: TrustFile) -> Line:
    return Line(
        question=Question.SIGNATURE,
        status=LineStatus.OK,
        words=f"ECDSA P-256 by key {key.key_id} of the trust file (version {trust.version}).",
    )


def _describe_log(receipt: Receipt, predicate: Predicate) -> Line:
    leaf, head = receipt.included.leaf, receipt.included.checkpoint
    return Line(
        question=Question.LOG,
        status=LineStatus.OK,
        words=f"Leaf {leaf.index} of the {head.size} in {head.origin}; what came in is leaf "
        f"{predicate.log.intake_index}.",
    )


def _stop(lines: dict[Question, Line], at: Question) -> CheckReport:
    """The report of a check that a failure ended."""
    words = f"The check ended at {at}."
    rest = {
        each: Line(question=each, status=LineStatus.NOT_CHECKED, words=words) for each in QUESTIONS
    }
    return CheckReport(lines=tuple((rest | lines)[each] for each in QUESTIONS))


def check_tombstone(raw: bytes, trust: TrustFile, *, now: datetime) -> LoggedErasure:
    """The erasure that a bundle proves.

    Raises MalformedReceiptError or MalformedNoteError for any other bundle, EvidenceError
    where a signature, the proof or a key does not hold.
    """
    bundle = parse_bundle(raw)
    check_trust_age(trust, now)
    payload = open_envelope(bundle.envelope, find_key(bundle, trust))
    signers = check_logged(bundle, find_key(bundle, trust), trust)
    event = parse_event(payload)
    if not isinstance(event, Erasure):
        msg = f"Expected the statement of an erasure, got one of kind {event.KIND!r}."
        raise MalformedReceiptError(msg, hint="Give what 'spanproof erase --tombstone' wrote.")
    leaf = bundle.included.leaf
    if event.origin != leaf.origin:
        msg = f"Expected a tombstone of the log {leaf.origin!r}, got one of {event.origin!r}."
        raise EvidenceError(msg, hint="Give the tombstone as it was issued.")
    check_head_key(signers, trust, event.time)
    trust.require_signing_key(
        bundle.key_id, moment=event.time, origin=leaf.origin, index=leaf.index
    )
    return LoggedErasure(event=event, index=leaf.index)
