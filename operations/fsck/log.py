"""``audit fsck``: a log read whole and computed anew, wherever it stands.

1. CHECKPOINT: its head is signed by a key of the trust file.
2. TREE: entries, tiles and root belong together.
3. KEYS: every leaf is by a key that the trust file allows for it.
4. HISTORY: heads that were saved earlier are beginnings of it.
5. STATEMENTS: every leaf has its statement, every intake one answer (own store, packs).
6. PACK or STORE: the files or rows beside the log are the ones that were kept.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.operations.errors import LogUnreachableError, UnreadableFileError
from spanproof.operations.log.source import CHECKPOINT, FolderLog, UrlLog
from spanproof.receipt.check.finding import Findings
from spanproof.receipt.check.leaves import LeafCheck
from spanproof.receipt.check.log import check_log
from spanproof.receipt.check.report import LineStatus
from spanproof.receipt.export.evidence_pack import MANIFEST
from spanproof.receipt.keys.trust_file import MAX_TRUST_BYTES, parse_trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.operations.log.source import LogSource
    from spanproof.receipt.check.finding import Finding
    from spanproof.receipt.check.log import LogReport, SavedNote
    from spanproof.receipt.check.tree import Advance, SeeEntry
    from spanproof.receipt.keys.trust_file import TrustFile

_SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True, kw_only=True)
class FsckLine:
    """The answer to one question: a status, words for a person, and what was found wrong."""

    question: str
    status: LineStatus
    words: str
    findings: Findings = field(default_factory=Findings)

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {
            "question": self.question,
            "status": self.status.value,
            "words": self.words,
            "finding_count": len(self.findings),
            "findings": [each.to_json() for each in self.findings],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FsckReport:
    """Every question with its answer; ``head`` is None where no trusted key signed it."""

    place: str
    trust_digest: str
    head: Checkpoint | None
    lines: tuple[FsckLine, ...]

    @property
    def outcome(self) -> LineStatus:
        """FAILED where any failed, else NOT CHECKED where any was not, else OK."""
        found = {line.status for line in self.lines}
        for status in (LineStatus.FAILED, LineStatus.NOT_CHECKED):
            if status in found:
                return status
        return LineStatus.OK if LineStatus.OK in found else LineStatus.NOT_CHECKED

    @property
    def unchecked(self) -> tuple[FsckLine, ...]:
        """What was asked for and could not be checked."""
        return tuple(line for line in self.lines if line.status is LineStatus.NOT_CHECKED)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found wrong, in the order of the lines."""
        return tuple(found for line in self.lines for found in line.findings)

    def to_json(self) -> dict[str, Any]:
        """The document that ``--json`` prints."""
        head = self.head
        return {
            "place": self.place,
            "outcome": self.outcome.value,
            "trust_digest": self.trust_digest,
            "checkpoint": head
            and {"origin": head.origin, "size": head.size, "root": head.root.hex()},
            "lines": [line.to_json() for line in self.lines],
        }


def load_trust(path: Path) -> TrustFile:
    """The trust file at a path; raise MalformedTrustError or UnreadableFileError."""
    try:
        with path.open("rb") as stream:
            return parse_trust(stream.read(MAX_TRUST_BYTES + 1))
    except OSError as error:
        msg = f"Expected a trust file at {str(path)!r}, got {error.strerror or error!r}."
        raise UnreadableFileError(msg, hint="Make one: 'spanproof audit trust'.") from error


def open_place(place: str) -> LogSource:
    """The log of a folder or an address; raise UnreadableFileError where there is neither."""
    if place.startswith(_SCHEMES):
        return UrlLog(place)
    folder = Path(place)
    if not folder.is_dir():
        msg = f"Expected a folder of tiles or an address, got {place!r}."
        hint = "Give a folder with 'checkpoint' and 'tile/', or https://…; without one, the store."
        raise UnreadableFileError(msg, hint=hint)
    return FolderLog(folder)


def is_pack(place: str) -> bool:
    """Whether a folder is an evidence pack: its log then stands in a folder of its own."""
    folder = Path(place)
    return folder.is_dir() and (folder / MANIFEST).is_file() and not (folder / CHECKPOINT).exists()


def check_place(  # noqa: PLR0913 - a log, whom to trust of it, and who looks on
    place: str,
    trust: TrustFile,
    *,
    older: Sequence[SavedNote] = (),
    origin: str | None = None,
    with_signatures: bool = False,
    advance: Advance = lambda _leaves: None,
) -> FsckReport:
    """Check a log that stands in a folder or behind an address.

    Raises MalformedNoteError where its head is no checkpoint, UnreadableFileError where a folder
    has none.
    """
    if is_pack(place):
        from spanproof.operations.fsck.pack import check_pack

        return check_pack(
            Path(place), trust, older=older, origin=origin, with_signatures=with_signatures
        )
    with closing(open_place(place)) as source:
        try:
            lines, head = check_source(
                source,
                trust,
                older=older,
                origin=origin,
                with_signatures=with_signatures,
                advance=advance,
            )
        except LogUnreachableError as error:
            lines, head = (
                [FsckLine(question="CHECKPOINT", status=LineStatus.NOT_CHECKED, words=str(error))],
                None,
            )
    return FsckReport(place=place, trust_digest=str(trust.digest), head=head, lines=tuple(lines))


def check_source(  # noqa: PLR0913 - as check_place
    source: LogSource,
    trust: TrustFile,
    *,
    older: Sequence[SavedNote] = (),
    origin: str | None = None,
    with_signatures: bool = False,
    also: SeeEntry = lambda _index, _entry: None,
    advance: Advance = lambda _leaves: None,
) -> tuple[list[FsckLine], Checkpoint | None]:
    """The lines that every log has, and its head; ``also`` sees every entry beside this check."""
    name = trust.origin if origin is None else origin
    leaves = LeafCheck(trust, name, with_signatures=with_signatures)

    def see(index: int, entry: bytes) -> None:
        leaves.see(index, entry)
        also(index, entry)

    report = check_log(
        source.read_head(),
        source.find,
        trust=trust.as_logged(name),
        origin=origin,
        older=older,
        see=see,
        advance=advance,
    )
    return [
        judge("CHECKPOINT", _say_head(report), report.head_findings),
        _judge_tree(report),
        _judge_leaves(report, leaves),
        _judge_history(report, asked=len(older)),
    ], report.head


def judge(question: str, words: str, findings: Findings) -> FsckLine:
    """OK with these words, or FAILED with the first of what was found."""
    if not findings:
        return FsckLine(question=question, status=LineStatus.OK, words=words)
    first = next(iter(findings))
    more = f" ({len(findings) - 1} more)" if len(findings) > 1 else ""
    return FsckLine(
        question=question,
        status=LineStatus.FAILED,
        words=f"{first.code} at {first.place}: {first.message}{more}",
        findings=findings,
    )


def say_keys(leaves: LeafCheck) -> str:
    """What was asked of the leaves' keys."""
    withdrawn = ""
    if leaves.withdrawn:
        withdrawn = f"; {leaves.withdrawn} are by a key that was revoked later, and prove nothing"
    if leaves.signatures:
        return f"every leaf is by a trusted key, and {leaves.signatures} signatures hold{withdrawn}"
    return f"every leaf names a trusted key; no signature was asked for (--signatures){withdrawn}"


def _say_head(report: LogReport) -> str:
    head = report.head
    if head is None:
        return ""
    return f"{head.origin}, {head.size} leaves, root {head.root.hex()}"


def _judge_tree(report: LogReport) -> FsckLine:
    tree = report.tree
    if tree is None:
        return _leave_out("TREE", "no head could be believed")
    words = f"{tree.entries} entries and {tree.tiles} tiles come to the root"
    return judge("TREE", words, report.tree_findings)


def _judge_leaves(report: LogReport, leaves: LeafCheck) -> FsckLine:
    tree, findings = report.tree, leaves.findings
    if tree is None:
        return _leave_out("KEYS", "no head could be believed")
    if not findings and tree.entries < tree.size:
        return _leave_out("KEYS", f"{tree.size - tree.entries} entries are missing")
    return judge("KEYS", say_keys(leaves), findings)


def _judge_history(report: LogReport, *, asked: int) -> FsckLine:
    if not asked:
        words = "no older checkpoint was given"
        return FsckLine(question="HISTORY", status=LineStatus.NOT_ASKED, words=words)
    if report.head is None and not report.older_findings:
        return _leave_out("HISTORY", "no head could be believed")
    words = f"{report.older} older checkpoints are beginnings of it"
    return judge("HISTORY", words, report.older_findings)


def _leave_out(question: str, why: str) -> FsckLine:
    return FsckLine(question=question, status=LineStatus.NOT_CHECKED, words=why)
