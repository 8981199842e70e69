"""What makes a whole run short: fewer cases, the order of files, and a spared garbage collector."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Files that keep a process busy for long, by the seconds they take, the longest first. Those of a
#: file stay together, so one that began last would be waited for by an idle core.
LONGEST = (
    "test_packaging.py",
    "operations/jobs/test_kills.py",
    "api/cli/verification/test_answers.py",
    "api/console/test_browser.py",
    "api/cli/documents/test_commands.py",
    "api/console/test_browser_formats.py",
    "operations/demo/test_demonstration.py",
    "api/cli/model/test_evaluation.py",
    "api/cli/indexes/test_commands.py",
    "api/cli/audit/test_fsck.py",
    "api/test_testing.py",
    "api/http/requests/test_parameters.py",
    "ingest/conformance/test_frames.py",
    "verifier/entailment/test_architectures.py",
    "ingest/cage/test_faults.py",
    "store/test_crash.py",
    "faults/test_faults.py",
    "api/console/test_routes.py",
    "store/answers/test_answers.py",
    "ingest/cage/test_locks.py",
    "ingest/test_reported.py",
    "test_docs.py",
    "store/test_append_only.py",
)
_TESTS = Path(__file__).parent
_RANKS = {path: rank for rank, path in enumerate(LONGEST)}


def put_longest_first(items: list[pytest.Item]) -> None:
    """Move the tests of the longest files to the front; the order is otherwise as it was."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    return _RANKS.get(item.path.relative_to(_TESTS).as_posix(), len(_RANKS))


def thin_out(cases: Iterable[Any], *, every: int) -> list[Any]:
    """Cases of one kind, of which the first and each so many-th after it are not marked long."""
    return thin_out_rows(((case,) for case in cases), every=every)


def thin_out_rows(rows: Iterable[tuple[Any, ...]], *, every: int) -> list[Any]:
    """The same of cases that have several values each."""
    return [
        pytest.param(*row, marks=() if number % every == 0 else pytest.mark.long)
        for number, row in enumerate(rows)
    ]


@contextmanager
def spare_the_collector() -> Iterator[None]:
    """Around the collection, whose million objects stay to the end: none is looked through again.

    While they are made the collector finds nothing, and later each of its full rounds would take
    more than a second, also in every process that is forked.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
