"""The pages of the documentation by their names, whichever folder of docs/ they stand in."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def find_page(name: str) -> Path:
    """The one page of this name; names are unique, so a page can move and tests stay."""
    (path,) = DOCS.rglob(name)
    return path


def read_page(name: str) -> str:
    """The text of the one page of this name."""
    return find_page(name).read_text(encoding="utf-8")


def matches_output(shown: str, printed: str) -> bool:
    """Whether a page shows the whole output: a line ``…`` stands for lines that it leaves out.

    Inside a line ``…`` stands for any text, also none.
    """
    lines = [
        r"(?:.*\n)+?" if line == "…" else ".*?".join(map(re.escape, line.split("…"))) + r"\n"
        for line in shown.splitlines()
    ]
    whole = "".join(f"{line}\n" for line in printed.splitlines())
    return re.fullmatch("".join(lines), whole) is not None
