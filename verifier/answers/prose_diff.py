"""Two texts compared word by word: replaced, deleted and inserted words, with offsets in both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from spanproof.core.span import Span

#: Words and the blanks between them: pieces that together are the text.
_PIECES = re.compile(r"\s+|\w+|[^\w\s]")
#: The comparison takes time by the square of what differs; beyond, the difference is one piece.
MAX_PIECES = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProseEdit:
    """One difference: ``text`` of each side stands at its span there (code points)."""

    kind: str
    first: Span
    first_text: str
    second: Span
    second_text: str

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "kind": self.kind,
            "a": {"start": self.first.start, "end": self.first.end, "text": self.first_text},
            "b": {"start": self.second.start, "end": self.second.end, "text": self.second_text},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ProseDifference:
    """Every edit that makes the second text of the first, in order; none if they are equal."""

    edits: tuple[ProseEdit, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """``same`` and the edits."""
        return {"same": not self.edits, "edits": [edit.to_json() for edit in self.edits]}


def compare_prose(first: str, second: str) -> ProseDifference:
    """The edits between two texts; texts that are equal have none, all others at least one."""
    if first == second:
        return ProseDifference()
    a, b = _PIECES.findall(first), _PIECES.findall(second)
    head = _count_equal(a, b)
    tail = _count_equal(a[head:][::-1], b[head:][::-1])
    middle_a, middle_b = a[head : len(a) - tail], b[head : len(b) - tail]
    if max(len(middle_a), len(middle_b)) > MAX_PIECES:
        opcodes = [("replace", 0, len(middle_a), 0, len(middle_b))]
    else:
        opcodes = list(SequenceMatcher(None, middle_a, middle_b, autojunk=False).get_opcodes())
    starts_a, starts_b = _find_starts(a), _find_starts(b)
    return ProseDifference(
        edits=tuple(
            _make_edit(
                kind,
                first,
                Span(starts_a[head + a_from], starts_a[head + a_to]),
                second,
                Span(starts_b[head + b_from], starts_b[head + b_to]),
            )
            for kind, a_from, a_to, b_from, b_to in opcodes
            if kind != "equal"
        )
    )


def _make_edit(kind: str, first: str, first_at: Span, second: str, second_at: Span) -> ProseEdit:
    return ProseEdit(
        kind=kind,
        first=first_at,
        first_text=first[first_at.start : first_at.end],
        second=second_at,
        second_text=second[second_at.start : second_at.end],
    )


def _count_equal(first: list[str], second: list[str]) -> int:
    """How many pieces both begin with."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


def _find_starts(pieces: list[str]) -> list[int]:
    """Where each piece begins, and where the last one ends."""
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece))
    return starts
