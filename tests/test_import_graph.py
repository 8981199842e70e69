"""The shape of the house: no import circle between modules, and no folder of too many."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
#: What is imported; each may import those before it.
PACKAGES = ("spanproof", "training", "bench")
#: Where our modules stand.
FOLDERS = (
    *("core", "ingest", "verifier", "store", "receipt", "monitor", "operations", "client", "api"),
    *("training", "bench"),
)
MOST_MODULES = 20


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    """What each module imports, at run time, inside a function or for its types alone."""
    found = grimp.build_graph(*PACKAGES, cache_dir=None)
    imports = {each: found.find_modules_directly_imported_by(each) for each in found.modules}
    # The root's public names: only type checkers follow them, at run time each loads when asked.
    imports["spanproof"] = set()
    return imports


def find_circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules of which each imports the next, and the last one the first; empty without any."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # It lists each module before the one that imports it.
        return list(reversed(error.args[1]))
    return []


def test_no_modules_import_each_other_in_a_circle(graph: dict[str, set[str]]) -> None:
    assert len(graph) > 500
    assert find_circle(graph) == []


def test_a_circle_would_be_found() -> None:
    assert find_circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) in (["b", "c", "b"], ["c", "b", "c"])


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_folder_holds_more_modules_than_one_can_overlook(folder: str) -> None:
    counts = {
        str(path.relative_to(ROOT)): len(list(path.glob("*.py")))
        for path in (ROOT / folder, *(ROOT / folder).rglob("*/"))
        if path.is_dir()
    }
    assert {path: count for path, count in counts.items() if count > MOST_MODULES} == {}
