"""A mutant from its import on, in a fork that forgets every module that was built on it.

What stays loaded is what does not depend on it: Python, pytest with its plugins, the libraries,
and those of our modules that import it neither themselves nor through others.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faults.mutation.cold import ROOT, MutantFinder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

    import pytest


def find_dependents(module: str) -> frozenset[str]:
    """The loaded modules of the checkout that import a module, also through others; and itself."""
    imports = {name: set(_list_imports(name, path)) for name, path in _list_ours()}
    found = {module}
    while more := {name for name, named in imports.items() if named & found} - found:
        found |= more
    return frozenset(found & set(sys.modules))


def can_be_forgotten(dependents: frozenset[str]) -> bool:
    """Whether a fork can load them anew; pytest holds on to a conftest, and so to what it has."""
    return not any(name.rpartition(".")[2] == "conftest" for name in dependents)


def collect_anew(
    session: pytest.Session,
    module: str,
    code: CodeType,
    dependents: frozenset[str],
    files: list[Path],
) -> list[pytest.Item] | None:
    """The tests of some files over the changed module; None where they cannot be loaded.

    Only in a process of its own: what was loaded before is gone.
    """
    path = str(sys.modules[module].__file__)
    for name in dependents:
        parent, _, last = name.rpartition(".")
        if parent in sys.modules and hasattr(sys.modules[parent], last):
            delattr(sys.modules[parent], last)
        del sys.modules[name]
    sys.meta_path.insert(0, MutantFinder(module, path, code))
    failed = session.testsfailed
    try:
        items = list(session.perform_collect([str(each) for each in files]))
    except Exception:  # noqa: BLE001 - whatever the changed module raises when it is imported
        return None
    return items if session.testsfailed == failed else None


def _list_ours() -> Iterator[tuple[str, Path]]:
    """The loaded modules of the checkout, and their sources."""
    for name, module in list(sys.modules.items()):
        path = Path(getattr(module, "__file__", None) or "/")
        # Not the checkout's virtual environment, nor the tester, which is running.
        if path.is_relative_to(ROOT) and path.suffix == ".py":
            top = path.relative_to(ROOT).parts[0]
            if not top.startswith(".") and not name.startswith("tests.faults.mutation"):
                yield name, path


def _list_imports(name: str, path: Path) -> Iterator[str]:
    """The modules that a module names in its imports; what is no module does no harm."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names)
            case ast.ImportFrom(module=str() as source, names=names):
                yield source
                yield from (f"{source}.{each.name}" for each in names)
            case _:
                pass
    # A package's import comes before that of what it holds.
    if "." in name:
        yield name.rpartition(".")[0]
