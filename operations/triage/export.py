"""A view as a table for machines: a row an answer, in the order of the view."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from spanproof.operations.presentation.listed import write_csv

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.operations.context import Context
    from spanproof.operations.triage.choosing import Chosen

COLUMNS = (
    "verification_id",
    "verified_at",
    "result",
    "verdicts",
    "failed",
    "generator_model",
    "prompt_id",
    "policy",
    "index_versions",
    "documents",
    "codes",
    "labels",
    "excerpt",
)
_ROWS = 1000


def write_view(context: Context, chosen: Chosen) -> Iterator[bytes]:
    """CSV in pieces, the columns' names first; what is erased meanwhile has no words."""
    yield write_csv((), COLUMNS)
    numbers = iter(chosen.list(0, len(chosen.places)))
    while some := tuple(islice(numbers, _ROWS)):
        rows = context.store.facts.list(some)
        # The first line names the columns again: only the first piece keeps it.
        yield write_csv(rows, COLUMNS).partition(b"\r\n")[2]
