"""Check receipts in files against a trust file and the auditor's other evidence.

Needs no store, no settings and no network: the given files are its only source.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.errors import InputError, SettingsError, UnknownPolicyError
from spanproof.core.json_reader.object_reader import load_json
from spanproof.receipt.check.content import (
    AuditorAnswer,
    AuditorFile,
    AuditorText,
    PolicyRequirement,
)
from spanproof.receipt.check.forks import ForkCheck
from spanproof.receipt.check.receipt import AuditInputs, check_receipt, check_tombstone
from spanproof.receipt.check.report import CheckOutcome
from spanproof.receipt.check.timing import parse_witnessed, read_policy
from spanproof.receipt.forms.bundle import MAX_BUNDLE_BYTES
from spanproof.receipt.forms.signed_note import MAX_NOTE_BYTES
from spanproof.receipt.keys.trust_file import MAX_TRUST_BYTES, TrustFile, parse_trust

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanproof.core.errors import SpanproofError
    from spanproof.receipt.check.report import CheckReport, Line
    from spanproof.receipt.statement.predicate import Predicate

#: A witnessed head may stand in a proof, which has a path and words of its own.
_MAX_WITNESSED_BYTES = 2 * MAX_NOTE_BYTES
_MAX_POLICY_BYTES = 1 << 20
_MAX_ANSWER_BYTES = 1 << 28


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """An auditor's basis: whom to trust, and the evidence to compare receipts with."""

    trust: TrustFile
    inputs: AuditInputs
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a file has no report: a stable code, the expected and actual value, one next step."""

    code: str
    detail: str
    hint: str

    def __str__(self) -> str:
        return f"{self.detail} {self.hint}"

    @classmethod
    def of(cls, error: SpanproofError) -> Problem:
        """An error of ours."""
        return cls(code=error.code, detail=error.message, hint=error.hint)

    @classmethod
    def of_system(cls, error: OSError) -> Problem:
        """A file that cannot be read."""
        place = f" ({error.filename!r})" if error.filename else ""
        return cls(
            code="IO_ERROR",
            detail=f"Expected a file that can be read, got {error.strerror or error!r}{place}.",
            hint="Check the path and its permissions.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCheck:
    """What one file came to: its outcome, and the report or the problem that is behind it."""

    path: str
    outcome: CheckOutcome
    report: CheckReport | None = None
    problem: Problem | None = None

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` has for each file; without a report its fields are null."""
        empty = dict.fromkeys(("receipt_id", "lines", "limitations"))
        found = empty if self.report is None else self.report.to_json()
        problem = None if self.problem is None else asdict(self.problem)
        outcome = {"outcome": self.outcome.name, "exit_code": int(self.outcome)}
        return {"path": self.path} | found | outcome | {"problem": problem}


def open_audit(  # noqa: PLR0913 - one argument for each thing that can be given
    trust: Path,
    *,
    answer: Path | None = None,
    sources: Sequence[Path] = (),
    texts: Sequence[Path] = (),
    witnessed: Sequence[Path] = (),
    tombstones: Sequence[Path] = (),
    policy: str | None = None,
    recompute: Callable[[Predicate], Line] | None = None,
) -> Audit:
    """Read the given files; raise InputError for a file of the wrong kind.

    EvidenceError for a tombstone that the trust file does not bear out.
    """
    now = datetime.now(UTC)
    trusted = parse_trust(_read(trust, MAX_TRUST_BYTES))
    # A malformed policy is the trust file's fault, not that of any receipt.
    read_policy(trusted)
    return Audit(
        trust=trusted,
        inputs=AuditInputs(
            answer=None if answer is None else AuditorAnswer.of(_read(answer, _MAX_ANSWER_BYTES)),
            sources=[_open_auditor_file(path) for path in sources],
            texts=[AuditorText.of(path.read_bytes()) for path in texts],
            policy=None if policy is None else require_policy(policy),
            witnessed=[parse_witnessed(_read(path, _MAX_WITNESSED_BYTES)) for path in witnessed],
            erasures=[
                check_tombstone(_read(path, MAX_BUNDLE_BYTES), trusted, now=now)
                for path in tombstones
            ],
            recompute=recompute,
        ),
        now=now,
    )


def check_file(path: Path, audit: Audit) -> FileCheck:
    """Check one file; an unreadable file or one without a receipt has a problem, no report."""
    name = str(path)
    try:
        raw = _read(path, MAX_BUNDLE_BYTES)
        report = check_receipt(raw, audit.trust, audit.inputs, now=audit.now)
    except InputError as error:
        return FileCheck(path=name, outcome=CheckOutcome.MALFORMED, problem=Problem.of(error))
    except OSError as error:
        problem = Problem.of_system(error)
        return FileCheck(path=name, outcome=CheckOutcome.NOT_CHECKED, problem=problem)
    return FileCheck(path=name, outcome=report.outcome, report=report)


def check_files(paths: Sequence[Path], audit: Audit) -> list[FileCheck]:
    """Check each file, then hold the receipts against each other: one log has one history."""
    found = [check_file(path, audit) for path in paths]
    forks = ForkCheck()
    for each in found:
        if each.report is not None and each.report.included is not None:
            forks.add(each.path, each.report.included)
    return [_with_fork(each, forks.forked.get(each.path)) for each in found]


def _with_fork(check: FileCheck, words: str | None) -> FileCheck:
    if check.report is None or words is None:
        return check
    report = check.report.with_fork(words)
    return replace(check, report=report, outcome=report.outcome)


def require_policy(name: str) -> PolicyRequirement:
    """A shipped policy by its name, or a policy's file by its path."""
    from spanproof.core.verdicts.policy import Policy
    from spanproof.verifier.policies import NAMES, load_policy

    path = Path(name)
    if name in NAMES or not path.is_file():
        policy = load_policy(name)
    else:
        try:
            policy = Policy.from_json(load_json(_read(path, _MAX_POLICY_BYTES)))
        except (InputError, ValueError, SettingsError) as error:
            msg = f"Expected a policy in {name!r}, got something else."
            hint = "Give a shipped policy's name, or the policy's own file."
            raise UnknownPolicyError(msg, hint=hint) from error
    return PolicyRequirement(name=policy.name, digest=policy.digest)


def _open_auditor_file(path: Path) -> AuditorFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return AuditorFile(digest=Digest(digest), byte_length=file.tell())


def _read(path: Path, most: int) -> bytes:
    """A file's bytes, up to one more than the limit: the parser refuses that size."""
    with path.open("rb") as file:
        return file.read(most + 1)
