"""A log checked whole: its head's signature, its tree, and the heads that were saved earlier.

1. The head is signed by a trusted key of the log that it names.
2. Entries, tiles and roots are what they come to (``spanproof.receipt.check.tree``).
3. The root is the head's.
4. Every older head is signed, is not larger, and has the root of its size: nothing was taken back.

A head that no trusted key signed says nothing, so nothing behind it is read.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import KeyNotTrustedError, MalformedNoteError, NoteSignatureError
from spanproof.receipt.check.finding import Findings
from spanproof.receipt.check.tree import check_tree
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.signed_note import check_note, parse_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.receipt.check.finding import Finding
    from spanproof.receipt.check.tree import Advance, FindTile, TreeReport, VisitEntry
    from spanproof.receipt.keys.trust_file import TrustFile


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedNote:
    """A signed checkpoint, and its name in a finding: a file's name, a size."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogReport:
    """What came out: the head (None where it cannot be believed), its signers, the tree.

    ``older`` counts the older heads that were compared. What was found stands by where: at the
    head, in the tree (its root among it), at the older heads.
    """

    head: Checkpoint | None
    signers: tuple[str, ...]
    tree: TreeReport | None
    older: int
    head_findings: Findings
    tree_findings: Findings
    older_findings: Findings

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All that is kept of them, in this order."""
        parts = (self.head_findings, self.tree_findings, self.older_findings)
        return tuple(found for part in parts for found in part)


def check_log(  # noqa: PLR0913 - a log, whom to trust of it, and who looks on
    head: SavedNote,
    find: FindTile,
    *,
    trust: TrustFile,
    origin: str | None = None,
    older: Sequence[SavedNote] = (),
    visit: VisitEntry = lambda _index, _entry: None,
    advance: Advance = lambda _leaves: None,
) -> LogReport:
    """Check a log from its head down; raise MalformedNoteError if the head is not a checkpoint.

    ``origin`` names the log that it has to be: the one that is written today, or a closed one.
    """
    name = trust.origin if origin is None else origin
    at_head, at_older = Findings(), Findings()
    known, signers = read_head(head, name, trust, findings=at_head)
    saved = []
    for note in older:
        try:
            found, _ = read_head(note, name, trust, findings=at_older)
        except MalformedNoteError as error:
            at_older.add(code="CHECKPOINT_MALFORMED", place=note.name, message=error.message)
            found = None
        if found is not None:
            saved.append((note, found))
    tree = None
    if known is not None:
        sizes = [each.size for _, each in saved]
        tree = check_tree(find, known.size, sizes=sizes, visit=visit, advance=advance)
        _compare_root(head, known, tree)
        for note, each in saved:
            _compare_older(note, each, known, tree, at_older)
    return LogReport(
        head=known,
        signers=signers,
        tree=tree,
        older=0 if tree is None else len(saved),
        head_findings=at_head,
        tree_findings=Findings() if tree is None else tree.findings,
        older_findings=at_older,
    )


def read_head(
    saved: SavedNote, origin: str, trust: TrustFile, *, findings: Findings
) -> tuple[Checkpoint | None, tuple[str, ...]]:
    """A note's checkpoint and signer; None without a trusted key, or of another log.

    Raises MalformedNoteError for anything but a checkpoint.
    """
    note = parse_note(saved.text)
    checkpoint = parse_checkpoint(note.text)
    if checkpoint.origin != origin:
        findings.add(
            code="CHECKPOINT_ORIGIN",
            place=saved.name,
            message=f"Expected a checkpoint of {origin!r}, got one of {checkpoint.origin!r}.",
        )
        return None, ()
    try:
        signers = check_note(note, trust.require_log_keys(origin, size=checkpoint.size))
    except (NoteSignatureError, KeyNotTrustedError) as error:
        findings.add(code="CHECKPOINT_SIGNATURE", place=saved.name, message=error.message)
        return None, ()
    return checkpoint, tuple(key.name for key in signers)


def _compare_root(head: SavedNote, known: Checkpoint, tree: TreeReport) -> None:
    root = tree.roots.get(known.size)
    if root is not None and not hmac.compare_digest(root, known.root):
        tree.findings.add(
            code="ROOT_MISMATCH",
            place=head.name,
            message=f"Expected the root {root.hex()} above {known.size} leaves, "
            f"got {known.root.hex()}.",
        )


def _compare_older(
    note: SavedNote, older: Checkpoint, head: Checkpoint, tree: TreeReport, findings: Findings
) -> None:
    if older.size > head.size:
        findings.add(
            code="LOG_SHRUNK",
            place=note.name,
            message=f"Expected at least the {older.size} leaves that were signed before, "
            f"got {head.size}.",
        )
        return
    root = tree.roots.get(older.size)
    if root is None:
        findings.add(
            code="CHECKPOINT_NOT_COMPARED",
            place=note.name,
            message=f"Expected the root above {older.size} leaves, got none: a tile is missing.",
        )
    elif not hmac.compare_digest(root, older.root):
        findings.add(
            code="LOG_FORKED",
            place=note.name,
            message=f"Expected the root {older.root.hex()} that was signed for {older.size} "
            f"leaves, got {root.hex()}: the log shows another history.",
        )
