"""Dozens of answers that are erased while workers judge them: every one of them is gone after.

``python -m pytest -m slow tests/operations/sampling/test_erased_storm.py -s``
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from spanproof.operations.erasing import erase
from spanproof.operations.fsck.store import check_store
from spanproof.operations.jobs.executor import Executor
from spanproof.operations.sampling.submission import read_submission
from spanproof.operations.tenants import Tenants
from spanproof.store.tables import Row
from tests.builders import ScriptedModel
from tests.operations.sampling.conftest import TEXT, make_payload, make_settings
from tests.operations.sampling.test_erased import ALL, MARKER
from tests.store.examples import add_plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.operations.context import Context

ANSWERS = 60
PATIENCE_SECONDS = 120


@pytest.fixture(params=["sqlite", "postgresql"])
def tenants(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tenants]:
    """A service on each database, with four workers."""
    is_postgresql = request.param == "postgresql"
    url = request.getfixturevalue("postgresql_url") if is_postgresql else None
    settings = make_settings(tmp_path / "home", ALL, job_threads=0)
    tenants = Tenants(settings.model_copy(update={"database_url": url}), {"model": ScriptedModel()})
    opened = tenants.default
    add_plain(opened.store, TEXT, doc_id="agreement")
    executor = Executor(opened.job_system, tenants.using, threads=4, beat_seconds=0.3)
    executor.start()
    yield tenants
    executor.stop(drain_seconds=20)
    tenants.close()


def list_words(context: Context) -> list[str]:
    """The tables of which a row has a word of an answer."""
    with context.store.database.reading() as session:
        connection = session.connection()
        return [
            table
            for table in Row.metadata.tables
            for row in connection.execute(text(f"SELECT * FROM {table}"))  # noqa: S608 - our own
            if any(MARKER in to_text(value) for value in row)
        ]


def to_text(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return bytes(value).decode("latin-1")
    return str(value)


@pytest.mark.slow
def test_no_word_stays_of_answers_that_are_erased_while_they_are_judged(
    tenants: Tenants,
) -> None:
    context = tenants.default

    def submit_and_erase(number: int) -> None:
        name, drawn = f"answer-{number}", random.Random(number)  # noqa: S311 - when it is erased
        raw = make_payload(name, f"The {MARKER} of number {number} is repaired at once.")
        tenants.sampler_of(context).submit(read_submission(raw)).result(timeout=60)
        time.sleep(drawn.uniform(0, 0.6))
        for _ in range(2):
            erase(context, name, reason="asked for")

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(submit_and_erase, range(ANSWERS)))
    samples, deadline = context.store.samples, time.monotonic() + PATIENCE_SECONDS
    while samples.answers.page_waiting():
        assert time.monotonic() < deadline
        time.sleep(0.2)
    found = [samples.outcomes.find(f"answer-{number}") for number in range(ANSWERS)]
    results = Counter(each.result for each in found if each is not None)
    sys.stdout.write(f"{context.store.database.name.split()[0]}: {dict(results)}\n")
    # Judged before it was erased, or not at all.
    assert sum(results.values()) == ANSWERS
    assert results.keys() <= {"erased", "fail"}
    assert list_words(context) == []
    assert check_store(context, None).findings == ()
