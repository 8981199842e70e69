"""What a log's leaves are of: every leaf has its statement, and every intake one answer.

An operator can leave an unwelcome result out of a list, but not out of this check: the log had its
intake before anyone knew the result. Digest and signature bind each statement to its leaf; the
check of the receipt checks the statement's own words.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from spanproof.core.log.merkle import hash_leaf
from spanproof.receipt.check.finding import Findings
from spanproof.receipt.forms.log_entry import LeafForm
from spanproof.receipt.statement.event_statement import make_predicate_type
from spanproof.receipt.statement.events import Intake, IntakeError, Tombstone
from spanproof.receipt.statement.predicate import PREDICATE_TYPE

if TYPE_CHECKING:
    from spanproof.receipt.forms.dsse import Envelope
    from spanproof.receipt.keys.trust_file import TrustFile

#: ``index`` → the envelope of the statement behind that leaf; None where it is not kept.
FindEnvelope = Callable[[int], "Envelope | None"]
#: An intake younger than this may still be in work.
IN_WORK = timedelta(minutes=15)
_INTAKE = make_predicate_type(Intake.KIND)
_ERROR = make_predicate_type(IntakeError.KIND)
_TOMBSTONE = make_predicate_type(Tombstone.KIND)
_PREFIX, _SUFFIX = make_predicate_type("/").split("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementCounts:
    """How many statements were read, intakes among them, and what became of those."""

    statements: int
    intakes: int
    answered: int
    erased: int
    in_work: int


@dataclass(frozen=True, slots=True)
class _OpenIntake:
    leaf_hash: bytes
    verification_id: str
    time: datetime


class StatementCheck:
    """Looks at the statement behind each leaf, in order; ``visit`` is a ``VisitEntry``.

    ``is_whole``: every leaf's statement is expected; else only those that are here are looked at.
    """

    def __init__(
        self, find: FindEnvelope, trust: TrustFile, origin: str, *, is_whole: bool
    ) -> None:
        self.findings = Findings()
        self._find = find
        self._origin = origin
        self._is_whole = is_whole
        self._forms = [LeafForm(each.key.public_key) for each in trust.signing_keys]
        self._open: dict[int, _OpenIntake] = {}
        self._answered: dict[int, int] = {}
        self._missing: dict[int, None] = {}
        self._erased: dict[int, int] = {}
        self._by_verification: dict[str, int] = {}
        self._statements = self._intakes = 0

    def visit(self, index: int, entry: bytes) -> None:
        """Look at the statement of this leaf."""
        envelope = self._find(index)
        if envelope is None:
            self._missing[index] = None
            return
        if not any(form.covers(entry, envelope) for form in self._forms):
            message = "Expected the statement that the leaf is of, got another."
            self.findings.add(code="STATEMENT_MISMATCH", place=f"leaf {index}", message=message)
            return
        self._statements += 1
        try:
            value = json.loads(envelope.payload)
            self._read(index, entry, value["predicateType"], value["predicate"])
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            message = f"Expected a statement of ours, got one that cannot be read ({error!r})."
            self.findings.add(code="STATEMENT_MALFORMED", place=f"leaf {index}", message=message)

    def close(self, now: datetime) -> StatementCounts:
        """Say which intakes nothing answered, which leaves have no statement; nothing comes after.

        ``now`` is the moment of the check, or of the pack.
        """
        # A tombstone names each erased result: an erased result answered its intake.
        erased = [index for index in self._missing if index in self._erased]
        in_work = 0
        for index, intake in self._open.items():
            if timedelta() <= now - intake.time < IN_WORK:
                in_work += 1
                continue
            message = (
                f"Expected one result, error or tombstone for the intake of verification "
                f"{intake.verification_id}, got none."
            )
            self.findings.add(code="INTAKE_UNANSWERED", place=f"leaf {index}", message=message)
        if self._is_whole:
            for index in self._missing:
                if index not in self._erased:
                    message = "Expected the leaf's statement or its tombstone, got neither."
                    self.findings.add(
                        code="STATEMENT_MISSING", place=f"leaf {index}", message=message
                    )
        return StatementCounts(
            statements=self._statements,
            intakes=self._intakes,
            answered=len(self._answered),
            erased=len(erased),
            in_work=in_work,
        )

    def _read(self, index: int, entry: bytes, kind: object, predicate: dict[str, Any]) -> None:
        if not isinstance(kind, str):
            raise TypeError(kind)
        if kind == _INTAKE:
            self._open[index] = _OpenIntake(
                leaf_hash=hash_leaf(entry),
                verification_id=str(predicate["verification_id"]),
                time=datetime.fromisoformat(predicate["time"]).astimezone(UTC),
            )
            self._by_verification[str(predicate["verification_id"])] = index
            self._intakes += 1
        elif kind == PREDICATE_TYPE:
            log = predicate["log"]
            self._answer(index, log["origin"], log["intake_index"], log["intake_leaf_hash"])
        elif kind == _ERROR:
            self._answer(
                index, predicate["origin"], predicate["intake_index"], predicate["intake_leaf_hash"]
            )
        elif kind == _TOMBSTONE:
            self._close_erased(index, predicate)
        elif not (kind.startswith(_PREFIX) and kind.endswith(_SUFFIX)):
            message = f"Expected a statement of ours, got one of type {ascii(kind)[:80]}."
            self.findings.add(code="STATEMENT_UNKNOWN", place=f"leaf {index}", message=message)

    def _answer(self, index: int, origin: str, intake: int, leaf_hash: str) -> None:
        """A result or an error: it names its intake by index and hash, and is the only one."""
        place = f"leaf {index}"
        if intake in self._answered:
            message = (
                f"Expected one answer to the intake at leaf {intake}, "
                f"got another beside leaf {self._answered[intake]}."
            )
            self.findings.add(code="INTAKE_ANSWERED_TWICE", place=place, message=message)
            return
        found = self._open.pop(intake, None)
        if found is None and intake in self._missing:
            # Its statement was erased or lost, which is told there.
            self._answered[intake] = index
            return
        if found is None or origin != self._origin or found.leaf_hash.hex() != leaf_hash:
            message = f"Expected an intake of this log before it, got leaf {intake} of {origin!r}."
            self.findings.add(code="INTAKE_MISSING", place=place, message=message)
            return
        self._by_verification.pop(found.verification_id, None)
        self._answered[intake] = index

    def _close_erased(self, index: int, predicate: dict[str, Any]) -> None:
        """A tombstone: the leaf's statement is gone, and if that was a result, it did answer."""
        erased, verification_id = predicate["log_index"], str(predicate["verification_id"])
        if not 0 <= erased < index:
            message = f"Expected a tombstone of an earlier leaf, got one of leaf {erased}."
            self.findings.add(code="TOMBSTONE_MISPLACED", place=f"leaf {index}", message=message)
            return
        if erased in self._erased:
            message = (
                f"Expected one tombstone of leaf {erased}, "
                f"got another beside leaf {self._erased[erased]}."
            )
            self.findings.add(code="TOMBSTONE_TWICE", place=f"leaf {index}", message=message)
            return
        self._erased[erased] = index
        intake = self._by_verification.pop(verification_id, None)
        if intake is not None and intake in self._open and erased in self._missing:
            del self._open[intake]
            self._answered[intake] = erased
