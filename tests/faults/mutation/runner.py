"""Runs mutants: a process that has collected the tests is forked for each of them.

In the fork the function's code is replaced and the tests that reach its line are run, fastest
first, until one fails. What takes effect at import is run from its import on, in a fork that
forgets what was built on it, or, where pytest itself holds on to that, in a fork of a process that
has none of our modules yet. A mutant is killed by a failing test, by its time limit (an endless
loop) or by its memory limit.
"""

from __future__ import annotations

import gc
import hashlib
import importlib.util
import json
import os
import signal
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import coverage
import pytest
from _pytest.runner import runtestprotocol

from tests.faults.mutation.cold import (
    ALIVE,
    COLD,
    FAILED,
    PYTEST,
    ROOT,
    calm_hypothesis,
    go_quiet,
    try_cold,
)
from tests.faults.mutation.forks import name_status, run_fork
from tests.faults.mutation.fresh import can_be_forgotten, collect_anew, find_dependents
from tests.faults.mutation.living import list_functions, replace_code
from tests.faults.mutation.operators import list_mutants

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType, FunctionType

    from tests.faults.mutation.operators import Mutant

#: What a test may take, of its process's own time: a start, and so often what it took before.
LEAST_SECONDS = 1.0
SLOWER = 4.0
#: The same by the clock, for what waits and computes nothing, on a machine that others use too.
LEAST_WAIT = 10.0
PATIENCE = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a mutant: ``killed``, ``timeout``, ``survived`` or ``unreached``."""

    mutant: str
    operator: str
    line: int
    status: str
    tests: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Took:
    """What a test took without any mutant: seconds of its process's own time, and by the clock."""

    own: float
    clock: float


class MutationRun:
    """A plugin that takes the place of pytest's loop: the tests once, then every mutant."""

    def __init__(
        self, modules: Sequence[str], wanted: Sequence[str], share: slice, most: float
    ) -> None:
        self._modules = modules
        self._wanted = frozenset(wanted)
        self._share = share
        self._most = most
        self._took: dict[str, _Took] = {}
        self._dependents: dict[str, frozenset[str]] = {}
        self._unfit: dict[str, dict[str, bool]] = {}
        self._reached: dict[str, dict[int, set[str]]] = {}
        self._items: dict[str, pytest.Item] = {}
        self._functions: dict[tuple[str, str], list[FunctionType]] = {}
        self.outcomes: list[Outcome] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run every test once with its lines noted, then fork for every mutant."""
        sources = {name: _find_source(name) for name in self._modules}
        self._session = session
        self._items = {item.nodeid: item for item in session.items}
        self._run_all(session.items, [str(path) for path in sources.values()])
        # Only here: what is frozen, so that a fork copies less, is listed no more.
        self._functions = list_functions({str(path) for path in sources.values()})
        gc.freeze()
        mutants = [
            (mutant, path)
            for name, path in sources.items()
            for mutant in sorted(list_mutants(name, path.read_text("utf-8"), str(path)), key=_draw)[
                self._share
            ]
            if not self._wanted or mutant.name in self._wanted
        ]
        # What a run has judged when it is ended is a sample too; last comes what takes long.
        mutants.sort(key=lambda each: (self._is_cold(each[0]), _draw(each[0])))
        for mutant, path in mutants:
            outcome = self._judge(mutant, path)
            self.outcomes.append(outcome)
            _say(json.dumps(_to_json(outcome), ensure_ascii=False))
        return True

    def _run_all(self, items: list[pytest.Item], paths: list[str]) -> None:
        noted = coverage.Coverage(data_file=None, include=paths, config_file=False)
        # Tests that reach nothing are a finding here.
        noted.set_option("run:disable_warnings", ["no-data-collected"])
        noted.start()
        for item, following in zip(items, [*items[1:], None], strict=True):
            noted.switch_context(item.nodeid)
            begun, own = time.perf_counter(), time.process_time()
            reports = runtestprotocol(item, nextitem=following, log=False)
            self._took[item.nodeid] = _Took(
                own=time.process_time() - own, clock=time.perf_counter() - begun
            )
            if any(report.failed for report in reports):
                text = next(report.longreprtext for report in reports if report.failed)
                pytest.exit(f"A test fails without any mutant: {item.nodeid}\n{text}", 1)
        noted.stop()
        data = noted.get_data()
        for path in paths:
            lines = data.contexts_by_lineno(path)
            self._reached[path] = {line: set(found) - {""} for line, found in lines.items()}

    def _judge(self, mutant: Mutant, path: Path) -> Outcome:
        reached = self._reached[str(path)]
        # Of a module without functions no line runs after its import.
        every = set().union(*reached.values()) or set(self._items)
        names = set().union(*(reached.get(line, ()) for line in mutant.lines))
        begun = time.perf_counter()
        # What no test reaches may yet run when it is imported.
        warm = mutant.function is not None and bool(names)
        # A module that no test loads is reached by none.
        is_loaded = mutant.module in sys.modules
        if not warm:
            # A test that only reads what was made at import reaches no line.
            names |= every | {name for name in self._items if _is_own(name, path)}
        chosen = self._choose(names, path) if is_loaded else []
        status = self._try(mutant, path, chosen, warm=warm) if chosen else "survived"
        if status == "survived" and mutant.function is not None and not warm:
            status = "unreached"
        return Outcome(
            mutant=mutant.name,
            operator=mutant.operator,
            line=mutant.line,
            status=status,
            tests=len(chosen),
            seconds=round(time.perf_counter() - begun, 2),
        )

    def _is_cold(self, mutant: Mutant) -> bool:
        return mutant.function is None and not can_be_forgotten(self._find_dependents(mutant))

    def _find_dependents(self, mutant: Mutant) -> frozenset[str]:
        if mutant.module not in self._dependents:
            self._dependents[mutant.module] = find_dependents(mutant.module)
        return self._dependents[mutant.module]

    def _choose(self, names: set[str], path: Path) -> list[str]:
        """The module's own tests, then the others, each fastest first."""
        ordered = sorted(names, key=lambda name: self._took[name].own)
        chosen: list[str] = []
        for is_own in (True, False):
            some = [name for name in ordered if _is_own(name, path) is is_own]
            sums = accumulate(self._took[name].own for name in some)
            chosen += [name for name, took in zip(some, sums, strict=True) if took <= self._most]
        return chosen

    def _try(self, mutant: Mutant, path: Path, names: list[str], *, warm: bool) -> str:
        if warm:
            status = run_fork(lambda: self._run_warm(mutant, path, names))
            if status != COLD:
                return name_status(status)
        # A process that imports few test files starts sooner.
        near = [name for name in names if _is_own(name, path)]
        status = self._try_from_import(mutant, path, near) if near else ALIVE
        if status == ALIVE and len(near) < len(names):
            status = self._try_from_import(mutant, path, names)
        return name_status(status)

    def _try_from_import(self, mutant: Mutant, path: Path, names: list[str]) -> int:
        if can_be_forgotten(self._find_dependents(mutant)):
            status = run_fork(lambda: self._run_anew(mutant.module, mutant.code, names))
            if status == ALIVE:
                return status
            fit = self._find_fit(mutant.module, path, names)
            if len(fit) == len(names):
                return status
            if fit:
                return run_fork(lambda: self._run_anew(mutant.module, mutant.code, fit))
        # Its imports come on top of its tests.
        seconds = 5 * LEAST_WAIT + PATIENCE * sum(self._took[name].clock for name in names)
        return try_cold(mutant.module, str(path), mutant.code, names, seconds=seconds)

    def _find_fit(self, module: str, path: Path, names: list[str]) -> list[str]:
        """The tests that pass when what is built on a module is loaded anew, unchanged."""
        unfit = self._unfit.setdefault(module, {})
        if unknown := [name for name in names if name not in unfit]:
            code = compile(path.read_text("utf-8"), path, "exec", dont_inherit=True)
            with tempfile.NamedTemporaryFile("r", encoding="utf-8") as failed:
                status = run_fork(
                    lambda: self._run_anew(module, code, unknown, failed=Path(failed.name))
                )
                found = set(failed.read().splitlines())
            unfit |= {name: status != ALIVE or name in found for name in unknown}
        return [name for name in names if not unfit[name]]

    def _run_anew(
        self, module: str, code: CodeType, names: list[str], *, failed: Path | None = None
    ) -> int:
        go_quiet()
        files = sorted({self._items[name].path for name in names})
        items = collect_anew(self._session, module, code, self._dependents[module], files)
        if items is None:
            return FAILED
        # Parameters may have other names now.
        known = [each for each in items if each.nodeid in names or each.nodeid not in self._items]
        known.sort(key=lambda each: self._find_took(each.nodeid).own)
        return self._run_until_one_fails(known, failed=failed)

    def _run_warm(self, mutant: Mutant, path: Path, names: list[str]) -> int:
        go_quiet()
        living = self._functions.get((str(path), mutant.function or ""), [])
        if not replace_code(mutant, living):
            return COLD
        return self._run_until_one_fails([self._items[name] for name in names])

    def _run_until_one_fails(
        self, items: Sequence[pytest.Item], *, failed: Path | None = None
    ) -> int:
        """Or all of them, where the names of those that fail are wanted."""
        for item, following in zip(items, [*items[1:], None], strict=True):
            took = self._find_took(item.nodeid)
            # Their ends are SIGPROF and SIGALRM.
            signal.setitimer(signal.ITIMER_PROF, LEAST_SECONDS + SLOWER * took.own)
            signal.setitimer(signal.ITIMER_REAL, LEAST_WAIT + PATIENCE * took.clock)
            reports = runtestprotocol(item, nextitem=following, log=False)
            if any(report.failed for report in reports):
                if failed is None:
                    return FAILED
                with failed.open("a", encoding="utf-8") as file:
                    file.write(f"{item.nodeid}\n")
        return ALIVE

    def _find_took(self, name: str) -> _Took:
        return self._took.get(name, _Took(own=1.0, clock=1.0))


def run(
    modules: Sequence[str],
    tests: Sequence[str],
    wanted: Sequence[str],
    share: slice,
    most: float,
) -> list[Outcome]:
    """Judge the mutants of these modules by these test files or folders.

    Of those that reach a mutant it takes the fastest, as many as take ``most`` seconds together.
    """
    calm_hypothesis()
    plugin = MutationRun(modules, wanted, share, most)
    paths = [str(ROOT / test) for test in tests]
    with _quiet_stdout():
        code = pytest.main([*PYTEST, *paths], plugins=[plugin])
    if code not in {0, 5}:
        sys.exit(f"pytest ended with {code}")
    return plugin.outcomes


def _draw(mutant: Mutant) -> bytes:
    """A mutant's place in an order by chance, the same on every run."""
    return hashlib.sha256(mutant.name.encode()).digest()


def _is_own(name: str, path: Path) -> bool:
    return f"/test_{path.stem}.py::" in name


def _find_source(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        sys.exit(f"Expected a module to change, got no {module}.")
    return Path(spec.origin)


_OUTPUT = os.dup(1)


def _say(line: str) -> None:
    os.write(_OUTPUT, line.encode() + b"\n")


@contextmanager
def _quiet_stdout() -> Iterator[None]:
    """What pytest prints goes to stderr: stdout is for the outcomes."""
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _to_json(outcome: Outcome) -> dict[str, object]:
    return {name: getattr(outcome, name) for name in Outcome.__slots__}
