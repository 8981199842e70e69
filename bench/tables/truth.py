"""The labelled pages, and how near a finder's tables come to their truth.

The truth was drafted by machine and corrected by eye on the drawn page; that of five rare kinds of
pages was typed from the drawn page alone, before any finder had read it. Two filled cells that
follow each other in a row or a column are a *relation* (Göbel et al., the ICDAR 2013 table
competition). The words of a cell are compared without white space.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TRUTH = Path(__file__).parents[2] / "tests" / "ingest" / "tables" / "table_pages.json"
#: Rows of cells; a cell over several places stands in its first one.
Rows = list[list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPage:
    """A page of a file, named by its SHA-256 and size in bytes, and the tables on it."""

    sha256: str
    size: int
    page: int
    half: str
    kind: str
    tables: tuple[Rows, ...]


def load_pages(half: str | None = None) -> list[LabelledPage]:
    """The labelled pages of one half (``tuning``, ``report``), or all."""
    raw = json.loads(TRUTH.read_text(encoding="utf-8"))
    pages = [
        LabelledPage(
            sha256=page["sha256"],
            size=page["bytes"],
            page=page["page"],
            half=page["half"],
            kind=page["kind"],
            tables=tuple(
                [[cell.strip() for cell in f" {row} ".split(" | ")] for row in table]
                for table in page["tables"]
            ),
        )
        for page in raw
    ]
    return [page for page in pages if half in {None, page.half}]


def find_files(folder: Path, pages: Sequence[LabelledPage]) -> dict[str, Path]:
    """The files of the labelled pages in a folder, by their SHA-256."""
    wanted = {page.sha256 for page in pages}
    sizes = {page.size for page in pages}
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.pdf")):
        if path.stat().st_size not in sizes:
            continue
        digest = Digest.of(path.read_bytes()).hex
        if digest in wanted:
            found.setdefault(digest, path)
    return found


def count_relations(tables: Sequence[Rows]) -> Counter[tuple[str, str, str]]:
    """How often a filled cell is followed by another, to the right or below."""
    found: Counter[tuple[str, str, str]] = Counter()
    for table in tables:
        width = max((len(row) for row in table), default=0)
        rows = [[_plain(cell) for cell in row] + [""] * (width - len(row)) for row in table]
        columns = list(map(list, zip(*rows, strict=True)))
        for direction, lines in (("right", rows), ("below", columns)):
            for line in lines:
                filled = [cell for cell in line if cell]
                found.update((direction, *pair) for pair in pairwise(filled))
    return found


def list_statements(tables: Sequence[Rows]) -> set[tuple[str, str]]:
    """The name of each row with each other cell of the row."""
    return {
        (name, cell)
        for table in tables
        for row in table
        for name, *cells in [[_plain(each) for each in row]]
        for cell in cells
        if name and cell
    }


def _plain(cell: str) -> str:
    kept = (c for c in unicodedata.normalize("NFKC", cell) if not c.isspace() and c != "\ufffd")
    return "".join(kept).strip(".")


@dataclass(slots=True)
class Score:
    """Relations and statements: of the truth, found, and found rightly."""

    true: int = 0
    found: int = 0
    right: int = 0
    statements: int = 0
    stated: int = 0
    stated_right: int = 0
    seconds: float = 0.0
    pages: int = 0
    refused: int = 0

    def add(self, truth: Sequence[Rows], tables: Sequence[Rows]) -> None:
        """Count one page."""
        wanted, got = count_relations(truth), count_relations(tables)
        self.true += wanted.total()
        self.found += got.total()
        self.right += (wanted & got).total()
        told, said = list_statements(truth), list_statements(tables)
        self.statements += len(told)
        self.stated += len(said)
        self.stated_right += len(told & said)
        self.pages += 1

    def to_json(self) -> Mapping[str, float]:
        """Shares in [0, 1]; seconds a page."""
        return {
            "pages": self.pages,
            "relations": self.true,
            "recall": round(self.right / max(1, self.true), 4),
            "precision": round(self.right / max(1, self.found), 4),
            "statements": self.statements,
            "statements_recall": round(self.stated_right / max(1, self.statements), 4),
            "statements_precision": round(self.stated_right / max(1, self.stated), 4),
            "cpu_seconds_a_page": round(self.seconds / max(1, self.pages), 3),
            "refused": self.refused,
        }


def list_rows(table: Sequence[Sequence[str | None]]) -> Iterator[list[str]]:
    """The rows of another finder's table: None is a place that a wider cell takes."""
    for row in table:
        yield [cell or "" for cell in row]
