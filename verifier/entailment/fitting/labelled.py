"""Labelled pairs: rows of premise, hypothesis and label; bad lines are told by their numbers."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import MalformedLabelsError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Fewer tell nothing about a threshold.
MIN_ROWS = 50
#: How many are enough to start, says every message that asks for more.
GOOD_START = 200
#: What is told of bad lines; the rest are counted.
_SHOWN = 5


class Label(IntEnum):
    """What a person said of a pair; NOT_ENTAILMENT leaves open which of the other two it is."""

    ENTAILMENT = 0
    NEUTRAL = 1
    CONTRADICTION = 2
    NOT_ENTAILMENT = 3


_NAMES = {
    "entailment": Label.ENTAILMENT,
    "entailed": Label.ENTAILMENT,
    "neutral": Label.NEUTRAL,
    "contradiction": Label.CONTRADICTION,
    "contradicted": Label.CONTRADICTION,
    "not_entailment": Label.NOT_ENTAILMENT,
    "not_entailed": Label.NOT_ENTAILMENT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """One pair and its label; pairs of one ``doc`` are not independent of each other."""

    premise: str
    hypothesis: str
    label: Label
    source: str
    doc: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPairs:
    """The rows of a file and the SHA-256 of its bytes."""

    pairs: tuple[LabelledPair, ...]
    sha256: str


class _RowError(Exception):
    """What is wrong with one row."""


def parse_labelled(content: bytes) -> LabelledPairs:
    """Read JSON lines of labelled pairs; raise MalformedLabelsError for all bad lines at once.

    A row is ``{"premise", "hypothesis", "label"}`` and, where known, ``source`` and ``doc``; pairs
    without ``doc`` that share a premise count as one document's. Blank lines are skipped.
    """
    pairs: list[LabelledPair] = []
    problems: list[str] = []
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            pairs.append(_parse_row(json.loads(line)))
        except _RowError as error:
            problems.append(f"line {number}: {error}")
        except (ValueError, RecursionError):
            # The decoder's own words would quote the line.
            problems.append(f"line {number}: no JSON")
    if problems:
        more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        msg = (
            'Expected lines {"premise", "hypothesis", "label"}, got '
            f"{'; '.join(problems[:_SHOWN])}{more}."
        )
        raise MalformedLabelsError(msg, hint="Fix these lines; nothing was written.")
    return LabelledPairs(pairs=tuple(pairs), sha256=hashlib.sha256(content).hexdigest())


def require_enough(pairs: Sequence[LabelledPair]) -> None:
    """Raise MalformedLabelsError unless there are rows enough of both classes."""
    entailed = sum(pair.label is Label.ENTAILMENT for pair in pairs)
    if len(pairs) < MIN_ROWS:
        msg = f"Expected at least {MIN_ROWS} labelled pairs, got {len(pairs)}."
        raise MalformedLabelsError(msg, hint=f"Label more pairs: {GOOD_START} are enough to start.")
    if not 0 < entailed < len(pairs):
        got = "entailment only" if entailed else "no entailment"
        msg = f"Expected pairs that are entailed and pairs that are not, got {got}."
        raise MalformedLabelsError(msg, hint="Label pairs of both kinds, about as many of each.")


def _parse_row(row: Any) -> LabelledPair:  # noqa: ANN401 - any JSON value
    if not isinstance(row, dict):
        msg = "no object"
        raise _RowError(msg)
    for name in ("premise", "hypothesis", "label"):
        value = row.get(name)
        if not isinstance(value, str) or not value.strip():
            msg = f"no text in {name!r}"
            raise _RowError(msg)
    label = _NAMES.get(row["label"].lower())
    if label is None:
        msg = f"unknown label {row['label'][:40]!r}; known are {', '.join(sorted(_NAMES))}"
        raise _RowError(msg)
    for name in ("source", "doc"):
        if not isinstance(row.get(name, ""), str | int):
            msg = f"no text in {name!r}"
            raise _RowError(msg)
    source = str(row.get("source", ""))
    premise_digest = hashlib.sha256(row["premise"].encode("utf-8", "surrogatepass")).hexdigest()
    return LabelledPair(
        premise=row["premise"],
        hypothesis=row["hypothesis"],
        label=label,
        source=source,
        doc=f"{source}/{row.get('doc', premise_digest)}",
    )
