"""What MkDocs asks for in 'make docs': the navigation, the Python reference, one script."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
#: Without it no browser searches a page that is opened from the disk. The theme would load it from
#: a server of others; 'make docs' fetches it by npm.
SEARCH_SCRIPT = ROOT / "build" / "docs" / "package" / "shim" / "index.js"
_GROUP = re.compile(r"^## \w+(?: \w+)?: `([a-z-]+)/`$(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_ROW = re.compile(r"^\| \[[^\]]+\]\(([^)]+)\) \|", re.MULTILINE)


def on_config(config: MkDocsConfig) -> None:
    """Take the order of the pages from the tables of docs/README.md."""
    docs = Path(config.docs_dir)
    index = (docs / "README.md").read_text(encoding="utf-8")
    groups = {name: _ROW.findall(rows) for name, rows in _GROUP.findall(index)}
    decisions = sorted(f"adr/{path.name}" for path in (docs / "adr").glob("*.md"))
    config.nav = [
        {"Start": "README.md"},
        *({name.capitalize(): pages} for name, pages in groups.items()),
        {"Decisions": decisions},
    ]


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the script of the search, so that the site asks no other server."""
    (path,) = config.extra["polyfills"]
    content = SEARCH_SCRIPT.read_text(encoding="utf-8")
    files.append(File.generated(config, path, content=content))


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Add signature and docstring of each public name to the page of the Python package."""
    if page.file.src_uri != "reference/python.md":
        return markdown
    tree = ast.parse((ROOT / "src" / "spanproof" / "__init__.py").read_text(encoding="utf-8"))
    (homes,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOMES"
    )
    entries = "".join(f"\n::: {homes[name]}.{name}\n" for name in sorted(homes, key=str.lower))
    return f"{markdown}\n## Signatures and docstrings\n{entries}"
