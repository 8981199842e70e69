"""Are rows of workbooks found as openpyxl gives them: ``python -m bench.foreign_chunks.workbooks``.

Rows of every workbook of a folder are drawn with a fixed seed. Their values are written by ``str``,
or dates by ``isoformat``, and joined in several ways. A row that the reader gives more than once
has no one place: it is not drawn. A place is false if it has cells of another sheet or row. Then a
digit is changed, or a value of another row or column put in a value's place: such a row may not be
found unless that is another way to write the same cell (as the sheet shows it, as its number, as
its date), or the row stands elsewhere in the workbook. Each row is also looked for without what
extractions keep of cells' values (``before``).
Exit 1 after a false place.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.report import write_report
from spanproof.core.documents.cell_address import read_address
from spanproof.core.errors import SpanproofError
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest.extraction import extract
from spanproof.verifier.quotes.existence import find_quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.text_block import Block

SEED = 20261128
JOINED = {"tab": "\t", "blank": " ", "comma": ", ", "bar": " | "}
_FOUND = frozenset({ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL, ExistenceStatus.EDITORIAL})
_DIGIT = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    sheet: str
    number: int
    columns: tuple[int, ...]
    values: tuple[Any, ...]

    def write(self, *, iso: bool) -> tuple[str, ...]:
        return tuple(_write(value, iso=iso) for value in self.values)


def main(arguments: list[str] | None = None) -> int:
    """Look for true and changed rows, print the table, write the JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.foreign_chunks.workbooks")
    parser.add_argument("--data", default=os.environ.get("SPANPROOF_TEST_DATA"))
    parser.add_argument("--rows", type=int, default=60, help="of a workbook (default 60)")
    parser.add_argument("--lies", type=int, default=20, help="of a row (default 20)")
    options = parser.parse_args(arguments)
    if options.data is None:
        print("Expected a folder of documents. Give --data DIR or set SPANPROOF_TEST_DATA.")
        return 2
    bench = _Bench(rows=options.rows, lies=options.lies)
    for path in sorted((Path(options.data) / "documents" / "xlsx").rglob("*.xlsx")):
        bench.take(path)
    bench.show()
    figures = bench.to_json() | {"reader": f"openpyxl {metadata.version('openpyxl')}"}
    write_report("workbooks", figures, packages=("spanproof", "openpyxl"))
    return 1 if bench.false else 0


def _read_rows(path: Path) -> list[_Row] | None:
    """All filled rows as openpyxl gives them; None where it cannot read the file."""
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            book = openpyxl.load_workbook(path, data_only=True)
        except Exception as error:  # noqa: BLE001 - another reader's failure: the file is counted
            print(f"  {path.name}: {error!r}")
            return None
    found = []
    for sheet in book.worksheets:
        for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
            cells = [(at, cell) for at, cell in enumerate(row, 1) if _is_filled(cell)]
            if cells:
                columns, values = zip(*cells, strict=True)
                found.append(_Row(sheet=sheet.title, number=number, columns=columns, values=values))
    return found


def _is_filled(value: object) -> bool:
    return value is not None and bool(str(value).strip())


def _write(value: object, *, iso: bool) -> str:
    if iso and hasattr(value, "isoformat"):
        written: str = value.isoformat()
        return written
    return str(value)


class _Bench:
    """Counts by how rows are written; a place that is false is shown at once."""

    def __init__(self, *, rows: int, lies: int) -> None:
        self._rows, self._lies = rows, lies
        self.files = self.failed = self.false = 0
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.lies: Counter[str] = Counter()

    def take(self, path: Path) -> None:
        """The rows of one workbook."""
        rows = _read_rows(path)
        try:
            extraction = extract(path.read_bytes(), filename=path.name)
        except SpanproofError as error:
            print(f"  {path.name}: {error.code}")
            return
        if rows is None:
            self.failed += 1
            return
        self.files += 1
        bare, shown = replace(extraction, cell_values=()), _shown_cells(extraction)
        for iso in (False, True):
            written = [row.write(iso=iso) for row in rows]
            times = Counter(written)
            drawn = [at for at, row in enumerate(written) if times[row] == 1]
            rng = random.Random(f"{SEED}:{path.name}")  # noqa: S311 - a sample, no secret
            for at in sorted(rng.sample(drawn, min(self._rows, len(drawn)))):
                if iso and written[at] == rows[at].write(iso=False):
                    continue
                self._look(path, rows[at], written[at], (extraction, bare), iso=iso)
                for column, lie in _draw_lies(written, at, rng, self._lies):
                    forms = _forms(rows[at], column, shown)
                    self._lie(path, lie, times, extraction, is_form=lie[column].strip() in forms)

    def _look(
        self,
        path: Path,
        row: _Row,
        written: Sequence[str],
        extractions: tuple[Extraction, Extraction],
        *,
        iso: bool,
    ) -> None:
        for name, mark in JOINED.items():
            count = self.counts[f"{name}, ISO" if iso else name]
            quote = mark.join(written)
            count["rows"] += 1
            for when, extraction in zip(("after", "before"), extractions, strict=True):
                found = find_quote(quote, extraction)
                if found.status in _FOUND and found.span is not None:
                    count[when] += 1
                    blocks = extraction.blocks_of(found.span)
                    places = {place[:2] for block in blocks if (place := _place_of(block))}
                    if places != {(row.sheet, row.number)}:
                        self._show_false(path, quote)
                elif found.status is ExistenceStatus.AMBIGUOUS:
                    count[f"ambiguous {when}"] += 1

    def _lie(
        self,
        path: Path,
        lie: tuple[str, ...],
        times: Counter[tuple[str, ...]],
        own: Extraction,
        *,
        is_form: bool,
    ) -> None:
        for mark in JOINED.values():
            quote = mark.join(lie)
            self.lies["changed"] += 1
            if find_quote(quote, own).status in _FOUND | {ExistenceStatus.AMBIGUOUS}:
                stands = " ".join(quote.split()) in " ".join(own.text.text.split())
                truly = is_form or stands or any(_holds(row, lie) for row in times)
                self.lies["truly_stand" if truly else "false"] += 1
                if not truly:
                    self._show_false(path, quote)

    def _show_false(self, path: Path, quote: str) -> None:
        self.false += 1
        print(f"FALSE {path.name} {quote!r}", flush=True)

    def show(self) -> None:
        """The table."""
        print(f"{self.files} workbooks, {self.failed} that openpyxl does not read")
        print("| joined by | rows | found before | found | ambiguous |\n|---|---|---|---|---|")
        for name, row in self.counts.items():
            shares = (f"{100 * row[when] / row['rows']:.1f} %" for when in ("before", "after"))
            print(f"| {name} | {row['rows']:,} | {' | '.join(shares)} | {row['ambiguous after']} |")
        print(dict(self.lies), f"{self.false} false")

    def to_json(self) -> dict[str, Any]:
        """The counts."""
        return {
            "files": self.files,
            "files_failed": self.failed,
            "rows": {name: dict(row) for name, row in self.counts.items()},
            "lies": dict(self.lies),
            "false": self.false,
        }


def _place_of(block: Block) -> tuple[str | None, int, int] | None:
    """Sheet, row and column of a cell."""
    place = block.place
    address = None if place is None or place.cell is None else read_address(place.cell)
    return None if place is None or address is None else (place.sheet, *address)


def _shown_cells(extraction: Extraction) -> dict[tuple[str | None, int, int], str]:
    return {
        place: extraction.text.slice(block.span)
        for block in extraction.blocks
        if (place := _place_of(block))
    }


def _forms(row: _Row, at: int, shown: dict[tuple[str | None, int, int], str]) -> set[str]:
    """The ways to write one value of a row: as the reader has them, and as the sheet shows it."""
    from openpyxl.utils.datetime import to_excel

    value = row.values[at]
    forms = {shown.get((row.sheet, row.number, row.columns[at]), ""), str(value)}
    if hasattr(value, "isoformat"):
        number = to_excel(value)
        forms |= {value.isoformat(), value.isoformat().partition("T")[0]}
        forms |= {str(number), str(int(number))} if number == int(number) else {str(number)}
    return forms


def _holds(row: Sequence[str], part: Sequence[str]) -> bool:
    """Whether a row has the values beside each other, white space apart."""
    width = len(part)
    own, wanted = ([" ".join(value.split()) for value in values] for values in (row, part))
    return any(own[at : at + width] == wanted for at in range(len(own) - width + 1))


def _draw_lies(
    rows: Sequence[tuple[str, ...]], at: int, rng: random.Random, wanted: int
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Changed rows, and where: a digit, or a value of another row or column in a value's place."""
    row, drawn = rows[at], set[tuple[str, ...]]()
    for _ in range(4 * wanted):
        column = rng.randrange(len(row))
        other = rows[max(0, min(len(rows) - 1, at + rng.choice((-2, -1, 1, 2))))]
        digits = [found.start() for found in _DIGIT.finditer(row[column])]
        pool = [*row, *other[column : column + 1]]
        # A heading before another value would be true: it says whose value follows.
        changed = rng.choice([value for value in pool if _DIGIT.search(value)] or [row[column]])
        if digits and rng.random() < 0.5:
            place = rng.choice(digits)
            digit = rng.choice([d for d in "0123456789" if d != row[column][place]])
            changed = row[column][:place] + digit + row[column][place + 1 :]
        lie = (*row[:column], changed, *row[column + 1 :])
        if lie != row and lie not in drawn:
            drawn.add(lie)
            yield column, lie
            if len(drawn) == wanted:
                return


if __name__ == "__main__":
    raise SystemExit(main())
