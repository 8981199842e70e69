"""``audit fsck``: reads and recomputes a whole log, in any place.

1. CHECKPOINT: its head is signed by a key of the trust file.
2. TREE: entries, tiles and root belong together.
3. KEYS: every leaf is by a key that the trust file allows for it.
4. HISTORY: heads that were saved earlier are beginnings of it.
5. STATEMENTS: every leaf has its statement, every intake one answer (own store, packs).
6. PACK or STORE: the files or rows beside the log are the ones that were kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.operations.fsck.report import PLAIN_CHECK, FsckLine, FsckOptions, judge, skip
from spanproof.receipt.check.leaves import LeafCheck
from spanproof.receipt.check.log import check_log
from spanproof.receipt.check.report import LineStatus

if TYPE_CHECKING:
    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.operations.log.source import LogSource
    from spanproof.receipt.check.log import LogReport
    from spanproof.receipt.check.tree import Advance, VisitEntry
    from spanproof.receipt.keys.trust_file import TrustFile


def check_source(
    source: LogSource,
    trust: TrustFile,
    options: FsckOptions = PLAIN_CHECK,
    *,
    also: VisitEntry = lambda _index, _entry: None,
    advance: Advance = lambda _leaves: None,
) -> tuple[list[FsckLine], Checkpoint | None]:
    """The lines that every log has, and its head; ``also`` sees every entry beside this check."""
    name = trust.origin if options.origin is None else options.origin
    leaves = LeafCheck(trust, name, with_signatures=options.with_signatures)

    def visit(index: int, entry: bytes) -> None:
        leaves.visit(index, entry)
        also(index, entry)

    report = check_log(
        source.read_head(),
        source.find,
        trust=trust.as_logged(name),
        origin=options.origin,
        older=options.older,
        visit=visit,
        advance=advance,
    )
    return [
        judge("CHECKPOINT", _describe_head(report), report.head_findings),
        _judge_tree(report),
        _judge_leaves(report, leaves),
        _judge_history(report, asked=len(options.older)),
    ], report.head


def describe_keys(leaves: LeafCheck) -> str:
    """What was asked of the leaves' keys."""
    withdrawn = ""
    if leaves.withdrawn:
        withdrawn = f"; {leaves.withdrawn} are by a key that was revoked later, and prove nothing"
    if leaves.signatures:
        return f"every leaf is by a trusted key, and {leaves.signatures} signatures hold{withdrawn}"
    return f"every leaf names a trusted key; no signature was asked for (--signatures){withdrawn}"


def _describe_head(report: LogReport) -> str:
    head = report.head
    if head is None:
        return ""
    return f"{head.origin}, {head.size} leaves, root {head.root.hex()}"


def _judge_tree(report: LogReport) -> FsckLine:
    tree = report.tree
    if tree is None:
        return skip("TREE", "no head could be believed")
    words = f"{tree.entries} entries and {tree.tiles} tiles come to the root"
    return judge("TREE", words, report.tree_findings)


def _judge_leaves(report: LogReport, leaves: LeafCheck) -> FsckLine:
    tree, findings = report.tree, leaves.findings
    if tree is None:
        return skip("KEYS", "no head could be believed")
    if not findings and tree.entries < tree.size:
        return skip("KEYS", f"{tree.size - tree.entries} entries are missing")
    return judge("KEYS", describe_keys(leaves), findings)


def _judge_history(report: LogReport, *, asked: int) -> FsckLine:
    if not asked:
        words = "no older checkpoint was given"
        return FsckLine(question="HISTORY", status=LineStatus.NOT_ASKED, words=words)
    if report.head is None and not report.older_findings:
        return skip("HISTORY", "no head could be believed")
    words = f"{report.older} older checkpoints are beginnings of it"
    return judge("HISTORY", words, report.older_findings)
