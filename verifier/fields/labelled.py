"""Labelled turns: a person's judgement of each field, beside the turn itself."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.budget import checkpoint
from spanproof.core.errors import MalformedAnswerError, MalformedLabelsError
from spanproof.core.json_reader.object_reader import ObjectReader, load_json
from spanproof.verifier.fields.turn import read_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanproof.core.errors import FieldProblem
    from spanproof.verifier.fields.turn import Turn

#: Bad rows that are reported; the rest are counted.
_SHOWN = 5
#: Rows of one set: each is matched once and drawn again some hundred times.
MAX_ROWS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledTurn:
    """A turn, and whether its response draws on each labelled field (by path)."""

    turn: Turn
    labels: Mapping[str, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledTurns:
    """The rows of a set and the SHA-256 of the bytes that they were read from."""

    turns: tuple[LabelledTurn, ...]
    sha256: str


def parse_labelled(content: bytes) -> LabelledTurns:
    """Read JSON lines of labelled turns; raise MalformedLabelsError for all bad lines at once.

    A row is a turn as ``spanproof fields`` takes it plus ``labels``: ``{"section.field": true}``.
    Blank lines are skipped.
    """
    turns = _read_rows(
        (f"line {number}", line)
        for number, line in enumerate(content.split(b"\n"), start=1)
        if line.strip()
    )
    return LabelledTurns(turns=turns, sha256=hashlib.sha256(content).hexdigest())


def _read_rows(rows: Iterable[tuple[str, bytes]]) -> tuple[LabelledTurn, ...]:
    turns: list[LabelledTurn] = []
    problems: list[str] = []
    for place, raw in rows:
        checkpoint()
        found, wrong = _read_row(raw)
        if found is None:
            problems.append(f"{place}: {wrong}")
        else:
            turns.append(found)
    if problems:
        more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        shown = "; ".join(problems[:_SHOWN])
        msg = f"Expected labelled turns, got {shown}{more}."
        raise MalformedLabelsError(msg, hint="Correct these rows; nothing was measured.")
    if not turns or len(turns) > MAX_ROWS:
        msg = f"Expected 1 to {MAX_ROWS} labelled turns, got {len(turns)}."
        raise MalformedLabelsError(msg, hint="Give one turn with its labels a line.")
    return tuple(turns)


def _read_row(raw: bytes) -> tuple[LabelledTurn | None, str]:
    try:
        value = load_json(raw)
    except MalformedAnswerError:
        return None, "no JSON"
    problems: list[FieldProblem] = []
    reader = ObjectReader(value, "", problems)
    turn = read_turn(reader, also=frozenset({"labels"}))
    labels = reader.required("labels", dict, {})
    known = {field.path for section in turn.context.sections for field in section.fields}
    for path, label in labels.items():
        if not isinstance(label, bool):
            reader.report(f"labels/{path}", "true or false", label)
        elif path not in known:
            reader.report(f"labels/{path}", "a field of the context", path)
    if not labels:
        reader.report("labels", "at least one field", labels)
    if problems:
        first = problems[0]
        return None, f"expected {first.expected} at {first.pointer or 'the root'}, got {first.got}"
    return LabelledTurn(turn=turn, labels=labels), ""


def dump_rows(rows: Iterable[Any]) -> bytes:
    """Rows that were parsed already, as the lines that ``parse_labelled`` reads."""
    return b"\n".join(json.dumps(row, ensure_ascii=False).encode() for row in rows)
