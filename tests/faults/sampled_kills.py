"""kill -9 between a chosen answer's leaf and its rows: it is judged once, and fsck finds nothing.

Each round submits answers of which all are chosen. One worker dies at the k-th step of its work;
another, whose log was open all the while, takes up what is left, as a second process of a service
does. Then the store is opened anew and held against what is promised: one outcome, one result in
the log and one receipt for each answer, and a green fsck.
"""

from __future__ import annotations

import math
import os
import random
import signal
import tempfile
import time
from collections import Counter
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from spanproof.operations.assembly import open_context
from spanproof.operations.fsck.store import check_store
from spanproof.operations.sampling import verification
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.receipt.check.report import LineStatus
from tests.builders import ScriptedModel
from tests.conftest import StorePlace
from tests.faults.processes import fork, wait
from tests.faults.report import Tally
from tests.operations.sampling.conftest import (
    ALL,
    BAD,
    GOOD,
    make_payload,
    make_settings,
    open_sampling,
    submit,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.operations.context import Context

#: Of one round: the second answer has an incident too.
QUOTES = (GOOD, BAD)
#: After so many kills comes a new home: fsck reads all that a home has, after every kill.
_KILLS_A_HOME = 20
#: What comes between a receipt and an outcome's row, beside the points of the log.
_STEPS = ("count_block", "announce", "find_incidents", "find_review_threshold")


def run(
    make_place: Callable[[int], StorePlace], *, kills: int, seed: int, seconds: float = math.inf
) -> Tally:
    """Kill so many times, each at a step by chance; ``make_place`` makes the n-th empty home.

    When ``seconds`` are over, no further kill begins; the tally has those that were done.
    """
    until = time.monotonic() + seconds
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    first = make_place(0)
    tally = _begin(first)
    for begun in range(0, kills, _KILLS_A_HOME):
        if time.monotonic() >= until:
            break
        place = make_place(begun // _KILLS_A_HOME) if begun else first
        steps = count_steps(place, tally)
        for number in range(begun, min(begun + _KILLS_A_HOME, kills)):
            if time.monotonic() < until:
                die_at(place, rng.randrange(1, steps + 1), f"{seed}-{number}", tally)
        _finish(place, tally)
    return tally


def run_each(place: StorePlace, *, step: int = 1) -> Tally:
    """Kill once at each step (or every ``step``-th)."""
    tally = _begin(place)
    for number in range(1, count_steps(place, tally) + 1, step):
        die_at(place, number, f"step-{number}", tally)
    _finish(place, tally)
    return tally


def count_steps(place: StorePlace, tally: Tally) -> int:
    """How many steps a worker has where nobody kills it."""
    # The configuration is logged once, with the first answer of a log.
    _count(place, "first", tally)
    return _count(place, "counted", tally)


def _count(place: StorePlace, name: str, tally: Tally) -> int:
    _submit(place, name)
    reader, writer = os.pipe()

    def work() -> None:
        with _opened(place) as context:
            reached = count()
            _watch(context, lambda _: next(reached))
            verify_waiting(context)
            os.write(writer, b"%d" % next(reached))

    tally.demand(wait(fork(work)) == 0, "a worker that nobody kills ends by itself")
    os.close(writer)
    with os.fdopen(reader) as told:
        return int(told.read())


def die_at(place: StorePlace, step: int, name: str, tally: Tally) -> None:
    """One round: a worker dies at this step, another ends its work, and all is looked at."""
    _submit(place, name)
    ready, go = os.pipe(), os.pipe()
    second = fork(partial(_take_over, place, ready[1], go[0]))
    os.read(ready[0], 1)
    status = wait(fork(partial(_work_until, place, step)))
    tally.demand(status == -signal.SIGKILL, f"step {step}: the worker was not killed ({status})")
    os.write(go[1], b".")
    tally.demand(wait(second) == 0, f"step {step}: the second worker failed")
    for each in (*ready, *go):
        os.close(each)
    tally.count("kills")
    checked = wait(fork(partial(_check, place)))
    tally.demand(checked == 0, f"step {step}: what is kept is not what was promised")


def _begin(place: StorePlace) -> Tally:
    _load_all()
    kind = "SQLite" if place.database_url is None else "PostgreSQL"
    return Tally(name=f"kill -9 between the leaf and the rows of a chosen answer, {kind}")


def _load_all() -> None:
    """Import here what each worker needs, once for all of them: its store is open nowhere else."""
    with tempfile.TemporaryDirectory(prefix="spanproof-warm-") as folder:
        warm = StorePlace(home=Path(folder) / "home", database_url=None)
        with open_sampling(_settings(warm)) as context:
            submit(context, make_payload("warm", GOOD))
            verify_waiting(context)
            check_store(context, None)


def _finish(place: StorePlace, tally: Tally) -> None:
    def work() -> None:
        with _opened(place) as context:
            assert context.store.samples.answers.find_waiting_range() is None

    tally.demand(wait(fork(work)) == 0, "an answer still waits")


def _settings(place: StorePlace) -> Any:
    settings = make_settings(place.home, ALL)
    return settings.model_copy(update={"database_url": place.database_url})


def _opened(place: StorePlace) -> Any:
    return open_context(_settings(place), model=ScriptedModel())


def _submit(place: StorePlace, name: str) -> None:
    def work() -> None:
        with open_sampling(_settings(place)) as context:
            for at, quote in enumerate(QUOTES):
                submit(context, make_payload(f"{name}-{at}", quote))

    assert wait(fork(work)) == 0


def _take_over(place: StorePlace, ready: int, go: int) -> None:
    with _opened(place) as context:
        # It has closed what others left behind long before the kill.
        context.issuer.check()
        os.write(ready, b".")
        os.read(go, 1)
        verify_waiting(context)


def _work_until(place: StorePlace, step: int) -> None:
    with _opened(place) as context:
        reached = count(1)

        def reach(_: object) -> None:
            if next(reached) == step:
                os.kill(os.getpid(), signal.SIGKILL)

        _watch(context, reach)
        verify_waiting(context)


def _watch(context: Context, reach: Callable[[object], object]) -> None:
    """Call ``reach`` at every point of the log, and before each step behind the receipt."""
    log = context.issuer.log
    log._reach = log._mark._reach = reach  # type: ignore[assignment]
    for name in _STEPS:
        setattr(verification, name, _after(reach, name, getattr(verification, name)))


def _after(
    reach: Callable[[object], object], name: str, step: Callable[..., Any]
) -> Callable[..., Any]:
    def stepped(*given: Any, **named: Any) -> Any:
        reach(name)
        return step(*given, **named)

    return stepped


def _check(place: StorePlace) -> None:
    with _opened(place) as context:
        report = check_store(context, None)
        assert report.outcome is LineStatus.OK, report.to_json()
        for answer_id, names in _read_results(context):
            assert len(names) == 1, (answer_id, names)


def _read_results(context: Context) -> Iterator[tuple[str, list[str]]]:
    """Each answer with an outcome, and the results that the log has of it."""
    with context.store.database.reading() as session:
        connection = session.connection()
        rows = "SELECT answer_id, verification_id FROM sampled_verification"
        outcomes = [(str(row[0]), str(row[1])) for row in connection.execute(text(rows))]
        kept = connection.execute(text("SELECT answer_id, verification_id FROM verification")).all()
        subjects = "SELECT subject FROM log_statement WHERE kind = 'result'"
        logged = Counter(row[0] for row in connection.execute(text(subjects)))
    for answer_id, name in outcomes:
        made = [each for other, each in kept if other == answer_id]
        assert made == [name], (answer_id, made)
        yield answer_id, [name] * logged[name]
