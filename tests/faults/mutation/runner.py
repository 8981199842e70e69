"""Runs mutants: a process that has collected the tests is forked for each of them.

In the fork the function's code is replaced and the tests that reach its line are run, fastest
first, until one fails. What takes effect at import is run from its import on, in a fork of a
process that has none of our modules yet. A mutant is killed by a failing test, by its time limit
(an endless loop) or by its memory limit.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import marshal
import os
import select
import signal
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, NoReturn

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
    run_cold,
)
from tests.faults.mutation.operators import Mutant, list_mutants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: What a fork may take beyond what its tests took before.
LEAST_SECONDS = 2.0
SLOWER = 3.0
PATIENCE = 8.0
#: Loaded before our own modules are, so that a fork need not.
_PRELOADED = ("_pytest.pytester", "cryptography", "hypothesis", "rfc8785", "sqlmodel", "alembic")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a mutant: ``killed``, ``timeout``, ``survived`` or ``unreached``."""

    mutant: str
    operator: str
    line: int
    status: str
    tests: int
    seconds: float


class MutationRun:
    """A plugin that takes the place of pytest's loop: the tests once, then every mutant."""

    def __init__(self, modules: Sequence[str], wanted: Sequence[str], share: slice) -> None:
        self._modules = modules
        self._wanted = frozenset(wanted)
        self._share = share
        self._seconds: dict[str, float] = {}
        self._reached: dict[str, dict[int, set[str]]] = {}
        self._items: dict[str, pytest.Item] = {}
        self._functions: dict[tuple[str, str], list[FunctionType]] = {}
        self.outcomes: list[Outcome] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run every test once with its lines noted, then fork for every mutant."""
        sources = {name: _find_source(name) for name in self._modules}
        self._items = {item.nodeid: item for item in session.items}
        self._run_all(session.items, [str(path) for path in sources.values()])
        # Only here: what is frozen, so that a fork copies less, is listed no more.
        self._functions = _list_functions({str(path) for path in sources.values()})
        gc.freeze()
        mutants = [
            (mutant, path)
            for name, path in sources.items()
            for mutant in list(list_mutants(name, path.read_text("utf-8"), str(path)))[self._share]
            if not self._wanted or mutant.name in self._wanted
        ]
        # What takes effect at import comes last: it takes a hundred times as long.
        for mutant, path in sorted(mutants, key=lambda each: each[0].function is None):
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
            begun = time.perf_counter()
            reports = runtestprotocol(item, nextitem=following, log=False)
            self._seconds[item.nodeid] = time.perf_counter() - begun
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
        every = set().union(*reached.values())
        names = set().union(*(reached.get(line, ()) for line in mutant.lines))
        begun = time.perf_counter()
        # What no test reaches may yet run when it is imported.
        warm = mutant.function is not None and bool(names)
        chosen = sorted(names if warm else every, key=lambda name: self._seconds[name])
        # A process that imports few test files starts sooner.
        own = f"/test_{path.stem}.py::"
        near = [] if warm else [name for name in chosen if own in name]
        status = self._try(mutant, path, near, warm=False) if near else "survived"
        if status == "survived" and chosen:
            status = self._try(mutant, path, chosen, warm=warm)
        if status == "survived" and mutant.function is not None and not names:
            status = "unreached"
        return Outcome(
            mutant=mutant.name,
            operator=mutant.operator,
            line=mutant.line,
            status=status,
            tests=len(chosen),
            seconds=round(time.perf_counter() - begun, 2),
        )

    def _try(self, mutant: Mutant, path: Path, names: list[str], *, warm: bool) -> str:
        # For what waits and computes nothing.
        limit = PATIENCE * (LEAST_SECONDS + sum(self._seconds[name] for name in names))
        if warm:
            child = os.fork()
            if child == 0:
                _end(lambda: self._run_warm(mutant, path, names))
            status = _wait(child, limit)
            if status != COLD:
                return _name(status)
        context = get_context("forkserver")
        context.set_forkserver_preload(list(_PRELOADED))
        process = context.Process(
            target=run_cold, args=(mutant.module, str(path), marshal.dumps(mutant.code), names)
        )
        process.start()
        # Its imports come on top of its tests.
        process.join(limit + 10 * LEAST_SECONDS)
        if process.exitcode is None:
            process.kill()
            process.join()
            return "timeout"
        return _name(process.exitcode)

    def _run_warm(self, mutant: Mutant, path: Path, names: list[str]) -> int:
        go_quiet()
        living = self._functions.get((str(path), mutant.function or ""), [])
        if not _replace_code(mutant, living):
            return COLD
        items = [self._items[name] for name in names]
        for item, following in zip(items, [*items[1:], None], strict=True):
            # Of this process's own time: others may take the machine. Its end is SIGPROF.
            signal.setitimer(
                signal.ITIMER_PROF, LEAST_SECONDS + SLOWER * self._seconds[item.nodeid]
            )
            reports = runtestprotocol(item, nextitem=following, log=False)
            if any(report.failed for report in reports):
                return FAILED
        return ALIVE


def run(
    modules: Sequence[str], tests: Sequence[str], wanted: Sequence[str], share: slice
) -> list[Outcome]:
    """Judge the mutants of these modules by these test files or folders."""
    calm_hypothesis()
    plugin = MutationRun(modules, wanted, share)
    paths = [str(ROOT / test) for test in tests]
    with _quiet_stdout():
        code = pytest.main([*PYTEST, *paths], plugins=[plugin])
    if code not in {0, 5}:
        sys.exit(f"pytest ended with {code}")
    return plugin.outcomes


def _find_source(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        sys.exit(f"Expected a module to change, got no {module}.")
    return Path(spec.origin)


def _list_functions(paths: set[str]) -> dict[tuple[str, str], list[FunctionType]]:
    """The functions that these files have made, by file and qualified name, wrapped or not."""
    gc.collect()
    found: dict[tuple[str, str], list[FunctionType]] = {}
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename in paths:
            code = each.__code__
            found.setdefault((code.co_filename, code.co_qualname), []).append(each)
    return found


def _replace_code(mutant: Mutant, living: list[FunctionType]) -> bool:
    """Give functions the mutant's code; False where that cannot be."""
    codes = [code for code in _list_codes(mutant.code) if code.co_qualname == mutant.function]
    if len(codes) != 1 or not living:
        return False
    try:
        for each in living:
            each.__code__ = codes[0]
    except ValueError:
        return False  # Another number of free variables.
    return True


def _list_codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _list_codes(constant)


def _wait(child: int, limit: float) -> int:
    """The exit status of a fork; -SIGALRM where it had to be ended."""
    watched = os.pidfd_open(child)
    try:
        in_time = select.select([watched], [], [], limit)[0]
    finally:
        os.close(watched)
    if not in_time:
        os.killpg(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status if in_time else -signal.SIGALRM


def _name(status: int) -> str:
    if status in {-signal.SIGALRM, -signal.SIGPROF}:
        return "timeout"
    return "survived" if status == ALIVE else "killed"


def _end(work: Callable[[], int]) -> NoReturn:
    status = FAILED
    try:
        os.setpgid(0, 0)
        status = work()
    finally:
        os._exit(status)


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
