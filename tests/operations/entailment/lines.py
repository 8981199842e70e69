"""Lines of pairs, judged as a file of them is."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from spanproof.operations.entailment.pairs import BATCH, Row, judge_batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanproof.operations.context import Context


def entail_lines(context: Context, lines: Iterable[str | bytes]) -> Iterator[Row]:
    """One row for each line, in order; raise ModelError if there is no model."""
    left = iter(lines)
    batches = iter(lambda: list(islice(left, BATCH)), [])
    for rows in judge_batches(context.require_model(), batches):
        yield from rows
