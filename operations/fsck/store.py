"""``audit fsck`` of the own store: the log's rows, and everything that is kept beside them.

``spanproof.store.log.fsck`` recomputes the rows; the checks that need keys are here. What came
out is logged itself: that a log was looked at, and when, is evidence too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from spanproof.core.errors import LogDamagedError, MalformedNoteError, NotFoundError, SpanproofError
from spanproof.core.log.merkle import check_inclusion
from spanproof.operations.fsck.kept import check_records
from spanproof.operations.fsck.log import describe_keys
from spanproof.operations.fsck.report import PLAIN_CHECK, FsckLine, FsckOptions, FsckReport, judge
from spanproof.operations.fsck.shards import check_mark, check_shards
from spanproof.operations.log.resources import open_reader
from spanproof.operations.receipts.intakes import find_superseding
from spanproof.receipt.check.finding import Findings
from spanproof.receipt.check.leaves import LeafCheck
from spanproof.receipt.check.log import SavedNote, read_head
from spanproof.receipt.check.report import LineStatus
from spanproof.receipt.check.statements import StatementCheck
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.dsse import Envelope
from spanproof.receipt.forms.signed_note import parse_note
from spanproof.store.log.fsck import FsckChecks, fsck_log

if TYPE_CHECKING:
    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.operations.context import Context
    from spanproof.receipt.keys.trust_file import TrustFile
    from spanproof.store import Store
    from spanproof.store.log.fsck import LogAudit
    from spanproof.store.log.reading import LogReader
    from spanproof.store.log.records import StoredStatement

#: By the kind of fault that the rows have, the code of its finding and the line where it stands.
_CODES = {
    "LEAF": ("LEAF_MISMATCH", "TREE"),
    "TILE": ("TILE_MISMATCH", "TREE"),
    "TREE": ("ROOT_MISMATCH", "TREE"),
    "ROWS": ("LOG_ROWS", "TREE"),
    "CHECKPOINT": ("CHECKPOINT_SIGNATURE", "HISTORY"),
    "STATEMENT": ("STATEMENT_MISMATCH", "STATEMENTS"),
    "INTAKE": ("INTAKE_MISLED", "STATEMENTS"),
    "RECEIPT": ("RECEIPT_MISMATCH", "RECEIPTS"),
}
Advance = Callable[[int], None]


def check_store(
    context: Context,
    trust: TrustFile | None,
    options: FsckOptions = PLAIN_CHECK,
    *,
    with_log: bool = True,
    advance: Advance = lambda _leaves: None,
) -> FsckReport:
    """Check the own log and store; without ``trust``, by the keys of this home.

    ``with_log``: what a killed process left half done is finished first, and the result is logged
    as a leaf, where the log takes leaves.
    """
    reader = open_reader(context, options.origin)
    if with_log:
        _finish_interrupted(context)
    known = _load_local_trust(context, reader.origin) if trust is None else trust
    run = _Run(reader, known, context.store, with_signatures=options.with_signatures)
    checks = FsckChecks(
        note=run.check_note,
        statement=run.check_statement,
        receipt=run.check_receipt,
        is_superseded=run.is_superseded,
        advance=advance,
        needs_statements=False,
    )
    audit = fsck_log(context.store.database, reader, checks)
    marked = check_mark(context, reader)
    marked.extend(check_shards(context.store.database).listed)
    lines = run.judge_log(audit, options.older, marked)
    kept, counts = check_records(context.store, reader.origin)
    lines.append(judge("STORE", counts, kept))
    report = FsckReport(
        place=f"log {reader.origin} of this store",
        trust_digest=str(known.digest),
        head=run.head,
        lines=tuple(lines),
    )
    return (
        replace(report, lines=(*lines, _log_result(context, report, audit.leaves)))
        if with_log
        else report
    )


class _Run:
    """The checks of each row, and their findings."""

    def __init__(
        self,
        reader: LogReader,
        trust: TrustFile,
        store: Store,
        *,
        with_signatures: bool,
    ) -> None:
        self._reader = reader
        self._store = store
        freeze = reader.find_freeze()
        closed_at = None if freeze is None else freeze.frozen_at
        self._trust = trust.as_logged(reader.origin, closed_at=closed_at)
        self._envelope: Envelope | None = None
        self._next = 0
        self._leaves = LeafCheck(
            trust, reader.origin, with_signatures=with_signatures, closed_at=closed_at
        )
        self._statements = StatementCheck(
            lambda _index: self._envelope, trust, reader.origin, is_whole=True
        )
        self._at_head = Findings()
        self.head = self._read_head()

    def check_note(self, checkpoint: Checkpoint, note: str) -> str | None:
        """Whether the note is this head, signed by a trusted key."""
        found = Findings()
        saved = SavedNote(name=f"size {checkpoint.size}", text=note)
        try:
            read, _ = read_head(saved, checkpoint.origin, self._trust, findings=found)
        except MalformedNoteError as error:
            return error.message
        if read is None:
            return next(iter(found)).message
        if read != checkpoint:
            return f"Expected the note of {checkpoint!r}, got that of {read!r}."
        return None

    def check_statement(self, stored: StoredStatement, entry: bytes) -> None:
        """Check a leaf and its statement; each fault goes to the findings of its kind."""
        self._pass_over(stored.index)
        row = stored.statement
        self._envelope = Envelope(
            payload=row.payload, signature=row.signature, payload_type=row.payload_type
        )
        self._leaves.visit(stored.index, entry)
        self._statements.visit(stored.index, entry)
        self._next = stored.index + 1

    def check_receipt(self, verification_id: str, bundle: bytes) -> str | None:
        """Whether a receipt is one of this log's leaves, and of the verification that it is for."""
        try:
            receipt = parse_bundle(bundle)
            included = receipt.included
            index = included.leaf.index
            entry = self._reader.read_entry(index)
            stored = self._reader.find_statement(index)
            kept = parse_checkpoint(parse_note(self._reader.note(included.checkpoint.size)).text)
        except SpanproofError as error:
            return error.message
        if included.leaf.origin != self._reader.origin or entry != receipt.entry:
            return f"Expected the receipt of {verification_id} to have leaf {index}, got another."
        envelope = receipt.envelope
        signed = (envelope.payload, envelope.signature, envelope.payload_type)
        row = None if stored is None else stored.statement
        if row is None or (row.payload, row.signature, row.payload_type) != signed:
            return f"Expected the statement of leaf {index} in the receipt, got another."
        if row.subject != verification_id:
            return f"Expected a receipt of {verification_id}, got one of another verification."
        if not self._store.answers.has(verification_id):
            return f"Expected the verification {verification_id} of this receipt, got none."
        # The heads that are kept are compared with the leaves: this one has to be among them.
        if kept != included.checkpoint:
            return f"Expected the head of {kept.size} leaves that is kept, got another."
        if not check_inclusion(included.proof, included.leaf.leaf_hash, kept.root):
            return f"Expected a proof of leaf {index} under the receipt's head, got another."
        return self.check_note(included.checkpoint, included.note)

    def is_superseded(self, result: StoredStatement) -> bool:
        """Whether a leaf says that this result does not hold, and names the one that does."""
        subject = result.statement.subject
        said = find_superseding(self._reader.find_statements(subject), result.index)
        if said is None or said.leaf_hash != self._reader.read_leaf(result.index)[1]:
            return False
        kept = self._store.receipts.find(subject)
        return (
            kept is not None
            and kept.origin == self._reader.origin
            and kept.index == said.by_index != result.index
        )

    def judge_log(
        self, audit: LogAudit, older: Sequence[SavedNote], marked: Findings
    ) -> list[FsckLine]:
        """The lines of everything that the log's rows say."""
        self._pass_over(audit.head.size)
        counts = self._statements.close(datetime.now(UTC))
        found = {name: Findings() for name in ("TREE", "HISTORY", "STATEMENTS", "RECEIPTS")}
        for fault in audit.faults:
            code, question = _CODES[fault.kind]
            if fault.kind == "INTAKE" and fault.message.startswith("Nothing has answered"):
                # Told below, less those that are still in work.
                continue
            found[question].add(code, fault.place, fault.message)
        if audit.fault_count > len(audit.faults):
            found["TREE"].extend((), unkept=audit.fault_count - len(audit.faults))
        found["STATEMENTS"].extend(
            self._statements.findings.listed,
            unkept=len(self._statements.findings) - len(self._statements.findings.listed),
        )
        found["HISTORY"].extend(marked.listed)
        for note in older:
            self._compare_older(note, audit.head.size, found["HISTORY"])
        head = self.head
        say_head = "" if head is None else f"{head.origin}, {head.size} leaves, {head.root.hex()}"
        return [
            judge("CHECKPOINT", say_head, self._at_head),
            judge(
                "TREE",
                f"as computed: leaves {audit.leaves}, tiles {audit.tiles}, heads {audit.trees}",
                found["TREE"],
            ),
            judge("KEYS", describe_keys(self._leaves), self._leaves.findings),
            judge(
                "HISTORY",
                f"heads that the log continues: signed {audit.checkpoints}, given {len(older)}",
                found["HISTORY"],
            ),
            judge(
                "STATEMENTS",
                f"statements {counts.statements}, erased {counts.erased}; requests "
                f"{counts.intakes}, answered {counts.answered}, in work {counts.in_work}",
                found["STATEMENTS"],
            ),
            judge(
                "RECEIPTS",
                f"receipts of their leaves {audit.receipts}; "
                f"superseded results without one {audit.superseded}",
                found["RECEIPTS"],
            ),
        ]

    def _pass_over(self, end: int) -> None:
        """The leaves up to here without a statement: the store has nothing to look at."""
        self._envelope = None
        first = self._next
        if first >= end:
            return
        self._next = end
        at = first
        try:
            for entry in self._reader.entries(first, end):
                self._see_alone(at, entry)
                at += 1
        except LogDamagedError:
            # A leaf that is gone is named by the rows' own check; it must not hide the others.
            for index in range(at, end):
                with suppress(LogDamagedError):
                    self._see_alone(index, self._reader.read_entry(index))

    def _see_alone(self, index: int, entry: bytes) -> None:
        self._statements.visit(index, entry)
        self._leaves.visit(index, entry)

    def _read_head(self) -> Checkpoint | None:
        try:
            checkpoint, note = self._reader.latest()
        except NotFoundError as error:
            self._at_head.add(
                code="CHECKPOINT_MISSING", place=self._reader.origin, message=error.message
            )
            return None
        problem = self.check_note(checkpoint, note)
        if problem is not None:
            self._at_head.add(
                code="CHECKPOINT_SIGNATURE", place=f"size {checkpoint.size}", message=problem
            )
            return None
        return checkpoint

    def _compare_older(self, note: SavedNote, size: int, findings: Findings) -> None:
        try:
            older, _ = read_head(note, self._reader.origin, self._trust, findings=findings)
        except MalformedNoteError as error:
            findings.add(code="CHECKPOINT_MALFORMED", place=note.name, message=error.message)
            return
        if older is None:
            return
        if older.size > size:
            message = f"Expected at least the {older.size} leaves that were signed, got {size}."
            findings.add(code="LOG_SHRUNK", place=note.name, message=message)
            return
        try:
            root = self._reader.read_root(older.size)
        except SpanproofError as error:
            findings.add(code="CHECKPOINT_NOT_COMPARED", place=note.name, message=error.message)
            return
        if root != older.root:
            message = (
                f"Expected the root {older.root.hex()} that was signed for {older.size} leaves, "
                f"got {root.hex()}: the log shows another history."
            )
            findings.add(code="LOG_FORKED", place=note.name, message=message)


def _load_local_trust(context: Context, origin: str) -> TrustFile:
    """The keys of the home: they show damage, but not an operator who changed the keys."""
    from spanproof.operations.log.key_folder import open_keys
    from spanproof.receipt.keys.trust_file import parse_trust, write_trust

    return parse_trust(write_trust(open_keys(context.settings).keys.to_trust(origin)))


def _finish_interrupted(context: Context) -> None:
    """A result without its receipt is no damage where its process was killed: it gets it now."""
    try:
        context.intakes.close_interrupted()
    except SpanproofError as error:
        # A log that takes no leaf is checked as it is; why it takes none is told with the result.
        import structlog

        structlog.get_logger().warning("interrupted_work_left", code=error.code)


def _log_result(context: Context, report: FsckReport, leaves: int) -> FsckLine:
    """Log the result; a failure to log is reported and changes nothing else."""
    from spanproof.receipt.statement.events import FsckResult

    head = report.head
    if head is None:
        words = "no head could be believed, so nothing is added to the log"
        return FsckLine(question="LOGGED", status=LineStatus.NOT_CHECKED, words=words)
    try:
        issuer = context.issuer
        if issuer.log.origin != head.origin:
            words = "the log takes no more leaves"
            return FsckLine(question="LOGGED", status=LineStatus.NOT_ASKED, words=words)
        event = FsckResult(
            **issuer.make_head(),
            size=head.size,
            root=head.root,
            is_sound=report.outcome is LineStatus.OK,
            findings=sum(len(line.findings) for line in report.lines),
            checked_leaves=leaves,
        )
        leaf = issuer.log_event(event, subject=FsckResult.KIND)
        issuer.log.publish()
    except SpanproofError as error:
        return FsckLine(
            question="LOGGED", status=LineStatus.NOT_CHECKED, words=f"{error.code}: {error}"
        )
    words = f"the result is leaf {leaf.index}"
    return FsckLine(question="LOGGED", status=LineStatus.OK, words=words)
