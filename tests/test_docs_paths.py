"""Every path, module and name that the documentation gives exists in this tree."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from tests.pages import DOCS, ROOT

if TYPE_CHECKING:
    from pathlib import Path

#: The changelog tells of old names too.
PAGES = sorted({*ROOT.glob("*.md"), *DOCS.rglob("*.md")} - {ROOT / "CHANGELOG.md"})
FOLDERS = sorted(path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != ".")
#: Not modules: groups of entry points, metadata of Parquet, the end of an origin, a file,
#: a placeholder.
OTHERS = {
    "spanproof.entailment",
    "spanproof.extractors",
    "spanproof.grammars",
    "spanproof.bulk",
    "spanproof.labels",
    "spanproof.internal",
    "spanproof.toml",
    "bench.NAME",
}
#: What a run makes.
MADE = ("bench/results", "build", "demo-output", "dist")
#: Tables of a run: they keep the names that a module had on that day.
_MEASURED = re.compile(r"<!-- measured -->.*?<!-- /measured -->", re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(rf"(?<![\w./~-])(?:{'|'.join(FOLDERS)})/[\w./-]*\w")
_NAME = re.compile(r"(?<![\w./-])(?:spanproof|bench|training|tests)(?:\.[A-Za-z_]\w*)+")
_IMPORT = re.compile(r"^\s*(?:from|import) (spanproof[\w.]*)(?: import ([\w, ]+))?", re.MULTILINE)
#: Imports by names that only this repository's folders have, not the installed package.
_BARE = re.compile(
    r"^\s*(?:from|import) (?:api|client|core|ingest|monitor|operations|receipt|store|verifier)\b",
    re.MULTILINE,
)


@cache
def exists(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    module, *rest = name.split(".")
    found: object = import_module(module)
    for part in rest:
        module = f"{module}.{part}"
        if hasattr(found, part):
            found = getattr(found, part)
            continue
        try:
            found = import_module(module)
        except ModuleNotFoundError:
            return False
    return True


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_paths_and_names_of_a_page_exist(page: Path) -> None:
    text = _MEASURED.sub("", page.read_text(encoding="utf-8"))
    codes = _CODE.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    paths = {path for code in codes for path in _PATH.findall(code)}
    names = {name for code in codes for name in _NAME.findall(code)} - OTHERS
    names |= set(re.findall(r"python -m ((?:bench|training|tests)[\w.]*)", text)) - OTHERS
    for module, imported in _IMPORT.findall(text):
        names |= {f"{module}.{name.strip()}" for name in imported.split(",") if name.strip()}
        names.add(module)
    assert not {path for path in paths if not is_there(path)}
    assert not {name for name in names if not exists(name)}
    assert not _BARE.findall(text)


def is_there(path: str) -> bool:
    """Whether the path is in the tree, as it stands or with a module's suffix."""
    return (
        path.startswith(MADE)
        or (ROOT / path).exists()
        or (ROOT / f"{path}.py").exists()
        or (ROOT / "src" / path).exists()
    )


def test_the_index_lists_every_page_and_no_folder_is_crowded() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {
        str(page.relative_to(DOCS)) for page in DOCS.glob("*/*.md") if page.parent.name != "adr"
    }
    assert set(re.findall(r"^\| \[[^\]]+\]\(([^)]+)\) \|", index, re.MULTILINE)) == pages
    folders = {page.split("/")[0] for page in pages}
    assert {len(list((DOCS / folder).iterdir())) <= 20 for folder in folders} == {True}


def test_every_new_import_of_the_changelog_exists() -> None:
    page = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"<!-- imports -->\n(.*?)<!-- /imports -->", page, re.DOTALL)
    rows = re.findall(r"^\| .+ \| (.+) \|$", table, re.MULTILINE)
    names = {name for row in rows for name in _CODE.findall(row)}
    assert {"spanproof.Client", "spanproof.extract"} <= names
    assert not {name for name in names if not exists(name)}
