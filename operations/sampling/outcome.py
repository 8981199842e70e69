"""A verification block → its counts for the rates: the share that failed, and incidents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanproof.store.samples.records import IncidentKind

#: Where the quoted words are not what the document has.
_NOT_THERE = frozenset({"ALTERED", "ABSENT", "STITCHED", "MISATTRIBUTED"})
_FAILED = frozenset({"fail", "error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockCount:
    """Citations and orphan anchors of an answer, those that failed, and their share in [0, 1].

    ``share`` is None without an answer: an abstention, a question, a refusal. An answer that
    cites nothing counts as 1: nothing is not a pass.
    """

    cited: int
    failed: int
    share: float | None
    is_flagged: bool


def count_block(block: Mapping[str, Any], answer_kind: str) -> BlockCount:
    """Count a block as it is kept. A check that did not run counts as failed: it is no pass."""
    orphans = len(block["orphan_anchors"])
    failed = orphans + sum(each["outcome"] in _FAILED for each in block["verdicts"])
    cited = orphans + len(block["verdicts"])
    is_answer = answer_kind == "answer"
    return BlockCount(
        cited=cited,
        failed=failed,
        share=(failed / cited if cited else 1.0) if is_answer else None,
        is_flagged=is_answer and block["result"] in _FAILED,
    )


def find_incidents(block: Mapping[str, Any]) -> Iterator[tuple[int, IncidentKind, str]]:
    """The verdicts, by position, whose document or words differ from the citation."""
    for position, verdict in enumerate(block["verdicts"]):
        identity, existence = verdict["identity"]["status"], verdict["existence"]["status"]
        if identity == "HASH_MISMATCH":
            yield position, "hash_mismatch", identity
        elif existence in _NOT_THERE:
            yield position, "span_mismatch", existence
