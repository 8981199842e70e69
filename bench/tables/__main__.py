"""How right the tables of real pages are: ``python -m bench.tables``.

Labelled pages, half of them for making rules (``--half tuning``), half for what is reported (the
default), are read by our finder and by pdfplumber's and PyMuPDF's. A relation is right if the truth
has the same two cells beside or below each other; a statement is the name of a row with another
cell of it.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from bench.report import write_report
from bench.tables.finders import FINDERS
from bench.tables.truth import LabelledPage, Score, find_files, load_pages

if TYPE_CHECKING:
    from bench.tables.finders import Finder

PACKAGES = ("spanproof", "pymupdf", "numpy")


def main(arguments: list[str] | None = None) -> int:
    """Score each finder on each kind of page, print the table, write the JSON."""
    options = _parse(arguments)
    if options.data is None:
        print("Expected a folder of documents. Give --data DIR or set SPANPROOF_TEST_DATA.")
        return 2
    pages = load_pages(options.half)
    files = find_files(Path(options.data) / "documents" / "pdf", pages)
    held = [page for page in pages if page.sha256 in files]
    print(f"{options.half}: {len(held)} of {len(pages)} labelled pages are here.")
    figures = {}
    head = ("finder", "pages", "relations found", "of those found right", "statements found",
            "of those found right", "CPU s a page", "refused")  # fmt: skip
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for name in options.finders or FINDERS:
        for kind in sorted({page.kind for page in held}):
            own = [page for page in held if page.kind == kind]
            row = _score(FINDERS[name], own, files).to_json()
            figures[f"{name}, {kind}"] = dict(row)
            shares = [
                f"{100 * row[key]:.1f} %"
                for key in ("recall", "precision", "statements_recall", "statements_precision")
            ]
            cells = (f"{name}, {kind}", row["pages"], *shares, row["cpu_seconds_a_page"],
                     row["refused"])  # fmt: skip
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
    write_report("tables", {"half": options.half, "finders": figures}, packages=PACKAGES)
    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.tables")
    parser.add_argument("--data", default=os.environ.get("SPANPROOF_TEST_DATA"))
    parser.add_argument("--half", choices=("tuning", "report"), default="report")
    parser.add_argument("--finders", nargs="*", choices=tuple(FINDERS), help="only these")
    return parser.parse_args(arguments)


def _score(find: Finder, pages: list[LabelledPage], files: dict[str, Path]) -> Score:
    score = Score()
    for page in pages:
        started = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tables = find(files[page.sha256], page.page)
        except Exception as error:  # noqa: BLE001 - other people's libraries raise anything
            print(f"{page.sha256[:12]} page {page.page}: {type(error).__name__}: {error}")
            tables = []
            score.refused += 1
        score.seconds += time.process_time() - started
        score.add(page.tables, tables)
    return score


if __name__ == "__main__":
    raise SystemExit(main())
