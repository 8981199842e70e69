"""Every benchmark that a page or a list names can be started."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from bench.__main__ import BENCHMARKS
from bench.report import RESULTS

ROOT = Path(__file__).parents[2]
_COMMAND = re.compile(r"python -m ((?:bench|training|tests)(?:\.[a-z_]+)*)")


def _list_commands() -> list[str]:
    paths = [ROOT / "Makefile", ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for folder in ("bench", "training", "docs", "tests"):
        paths += [path for kind in ("*.py", "*.md") for path in (ROOT / folder).rglob(kind)]
    found = {name for path in paths for name in _COMMAND.findall(path.read_text("utf-8"))}
    return sorted(found | {f"bench.{name}" for name in BENCHMARKS})


@pytest.mark.parametrize("name", _list_commands())
def test_a_named_command_is_there(name: str) -> None:
    spec = find_spec(name)
    assert spec is not None
    if spec.submodule_search_locations is not None:
        assert find_spec(f"{name}.__main__") is not None


@pytest.mark.parametrize("name", BENCHMARKS)
def test_its_figures_stand_under_its_name(name: str) -> None:
    assert (RESULTS / f"{name.rpartition('.')[2]}.json").is_file()
