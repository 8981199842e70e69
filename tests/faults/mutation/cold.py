"""A mutant from its import on, in a process that has none of our modules yet."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import marshal
import os
import resource
import signal
import sys
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from types import CodeType, ModuleType

ROOT = Path(__file__).parents[3]
#: What a process of a mutant may take: bytes, and seconds of its own time.
MEMORY = 6 << 30
MOST_SECONDS = 300
#: How such a process ends: no test failed, one did, or it could not change a living function.
ALIVE, FAILED, COLD = 0, 1, 99
#: Loaded before our own modules are, so that a fork need not.
_PRELOADED = ("_pytest.pytester", "cryptography", "hypothesis", "rfc8785", "sqlmodel", "alembic")
PYTEST = (
    *("-q", "--tb=no", "-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist"),
    # PostgreSQL's server would be started for every mutant.
    *("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"),
    *("-k", "not postgresql", "-m", "not slow", "--rootdir", str(ROOT)),
)


def try_cold(module: str, path: str, code: CodeType, names: list[str], *, seconds: float) -> int:
    """How a process ends that imports the mutant and runs the tests by name; it has so long."""
    context = get_context("forkserver")
    context.set_forkserver_preload(list(_PRELOADED))
    process = context.Process(target=_run_cold, args=(module, path, marshal.dumps(code), names))
    process.start()
    process.join(seconds)
    if process.exitcode is None:
        process.kill()
        process.join()
        return -signal.SIGALRM
    return process.exitcode


def _run_cold(module: str, path: str, code: bytes, names: list[str]) -> None:
    """In a process of its own: import the mutant and run the tests by name."""
    go_quiet()
    sys.path.insert(0, str(ROOT))
    sys.meta_path.insert(0, MutantFinder(module, path, marshal.loads(code)))  # noqa: S302 - ours
    calm_hypothesis()
    status = pytest.main([*PYTEST, "-x", *(str(ROOT / name) for name in names)])
    os._exit(ALIVE if status == 0 else FAILED)


class _MutantLoader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        del fullname
        return self._code


class MutantFinder:
    """Finds one module: the mutant."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        self._name, self._path, self._code = name, path, code

    def find_spec(
        self, fullname: str, path: object = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        if fullname != self._name:
            return None
        loader = _MutantLoader(fullname, self._path, self._code)
        where = [str(Path(self._path).parent)] if self._path.endswith("__init__.py") else None
        return importlib.util.spec_from_file_location(
            fullname, self._path, loader=loader, submodule_search_locations=where
        )


def go_quiet() -> None:
    """Say nothing, and end before long whatever happens; only in a process of its own."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # Should the run itself be ended, an endless loop does not outlive it for long.
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def calm_hypothesis() -> None:
    """Make its tests the same on every run."""
    # The same examples every time, and none made smaller: a failure is all that is wanted.
    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
    checks = list(hypothesis.HealthCheck)
    hypothesis.settings.register_profile(
        "mutation",
        derandomize=True,
        database=None,
        phases=phases,
        report_multiple_bugs=False,
        deadline=None,
        suppress_health_check=checks,
    )
    hypothesis.settings.load_profile("mutation")
