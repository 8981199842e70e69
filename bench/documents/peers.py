"""What others take for the same pages: canonical text, boxes and flags against nine ways to read.

``make bench-peers`` makes the peers' own environment and runs ``python -m bench.documents.peers``
in it. From PDFs drawn with a fixed seed, up to three text-rich pages each are cut into a small
file; every way reads the same bytes, from opening to its last character, in an order that rotates
from file to file, with garbage collection off. Slow ones read fewer files. A ratio is the CPU time
of a way divided by that of ``PyMuPDF text`` on the same files in the same round. Characters seen
are those that are not white space. A way that fails on a file has no figure for that file; one that
cannot be loaded has the error as its row.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import random
import statistics
import sys
import time
import warnings
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.documents.readers import READERS, Reader
from bench.report import write_report
from spanproof.ingest.engine.mupdf.library import library_errors, load_pymupdf

if TYPE_CHECKING:
    from collections.abc import Callable

_SEED = 20261120
_PAGES_A_FILE = 3
#: A page is looked at for text among the first so many; it is rich from so many characters.
_LOOKED_AT, _RICH = 40, 1_000
PACKAGES = (
    *("spanproof", "numpy", "pymupdf", "pypdfium2", "pdfminer.six", "pdfplumber"),
    *("docling-parse", "unstructured", "torch"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A small PDF of text-rich pages."""

    name: str
    data: bytes
    pages: int


def draw_samples(folder: Path, wanted: int) -> list[Sample]:
    """Samples of files in random order, always the same for the same folder."""
    paths = sorted(folder.rglob("*.pdf"))
    random.Random(_SEED).shuffle(paths)  # noqa: S311 - a sample, not a secret
    found: list[Sample] = []
    for path in paths:
        sample = _cut(path)
        if sample is not None:
            found.append(sample)
        if len(found) == wanted:
            break
    return found


def _cut(path: Path) -> Sample | None:
    pymupdf = load_pymupdf()
    try:
        with pymupdf.open(path) as opened:
            if opened.needs_pass:
                return None
            numbers = range(min(_LOOKED_AT, opened.page_count))
            rich = [n for n in numbers if _count(opened[n].get_text("text")) >= _RICH]
            if not rich:
                return None
            # Spread over the file: first pages are unlike the others.
            kept = rich[:: max(1, len(rich) // _PAGES_A_FILE)][:_PAGES_A_FILE]
            opened.select(kept)
            return Sample(name=path.name, data=opened.tobytes(garbage=2), pages=len(kept))
    except library_errors():
        return None


def _count(text: str) -> int:
    return sum(1 for character in text if not character.isspace())


@dataclass(slots=True, kw_only=True)
class Table:
    """CPU seconds of every way, round and file; characters seen; what failed."""

    seconds: dict[tuple[str, int, int], float]
    characters: dict[tuple[str, int], int]
    unloaded: dict[str, str]
    failed: set[tuple[str, int]]


def measure(samples: list[Sample], rounds: int, share: int) -> Table:
    """Read all samples by all ways; slow ones read every ``share``-th."""
    table = Table(seconds={}, characters={}, unloaded={}, failed=set())
    reads = {}
    for reader in READERS:
        try:
            reads[reader.name] = _warm(reader, samples[0].data)
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is its row
            table.unloaded[reader.name] = f"{type(error).__name__}: {error}"
    ways = [reader for reader in READERS if reader.name in reads]
    # What the libraries loaded is not looked at again by each collection.
    gc.collect()
    gc.freeze()
    for turn in range(rounds):
        for index, sample in enumerate(samples):
            print(f"\rround {turn + 1}, file {index + 1}   ", end="", file=sys.stderr, flush=True)
            shift = (index + turn) % len(ways)
            for reader in ways[shift:] + ways[:shift]:
                if not reader.slow or index % share == 0:
                    _time(table, reader, reads[reader.name], sample, (turn, index))
    print(file=sys.stderr)
    return table


def _warm(reader: Reader, data: bytes) -> Callable[[bytes], Any]:
    read = reader.load()
    read(data)
    return read


def _time(
    table: Table,
    reader: Reader,
    read: Callable[[bytes], Any],
    sample: Sample,
    place: tuple[int, int],
) -> None:
    turn, index = place
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        found = read(sample.data)
        seconds = time.process_time() - began
    except Exception:  # noqa: BLE001 - a peer may raise anything: no figure for this file
        table.failed.add((reader.name, index))
        return
    finally:
        gc.enable()
    table.seconds[reader.name, turn, index] = seconds
    if turn == 0:
        table.characters[reader.name, index] = _count(reader.text_of(found))


def summarise(table: Table, samples: list[Sample], rounds: int) -> list[dict[str, Any]]:
    """One row for each way."""
    return [_row(reader, table, samples, rounds) for reader in READERS]


def _row(reader: Reader, table: Table, samples: list[Sample], rounds: int) -> dict[str, Any]:
    first: dict[str, Any] = {"name": reader.name, "boxes": reader.boxes}
    if reader.name in table.unloaded:
        return first | {"error": table.unloaded[reader.name]}
    base = READERS[0].name
    failed = {index for name, index in table.failed if name in {reader.name, base}}
    tried = {index for name, _, index in table.seconds if name == reader.name} | failed
    files = sorted(tried - failed)
    pages = sum(samples[index].pages for index in files)
    own, text = (
        [sum(table.seconds[name, turn, index] for index in files) for turn in range(rounds)]
        for name in (reader.name, base)
    )
    ratios = [mine / theirs for mine, theirs in zip(own, text, strict=True)]
    seen, expected = (
        sum(table.characters[name, index] for index in files) for name in (reader.name, base)
    )
    return first | {
        "files": len(files),
        "files_failed": len(failed),
        "pages": pages,
        "milliseconds_a_page": 1000 * statistics.median(own) / pages,
        "ratio": {"median": statistics.median(ratios), "least": min(ratios), "most": max(ratios)},
        "characters": seen,
        "characters_against_text": seen / expected,
    }


def print_table(rows: list[dict[str, Any]]) -> None:
    """The table as the documentation shows it."""
    print("| way | box a character | pages | ms a page | × text (range) | characters seen |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        boxes = "yes" if row["boxes"] else "no"
        if "error" in row:
            print(f"| {row['name']} | {boxes} | could not be run: {row['error']} | | | |")
            continue
        ratio = row["ratio"]
        print(
            f"| {row['name']} | {boxes} | {row['pages']} | {row['milliseconds_a_page']:.2f} "
            f"| {ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['most']:.2f}) "
            f"| {row['characters']:,} ({100 * row['characters_against_text']:.1f} %) |"
        )


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.documents.peers")
    parser.add_argument("--data", default=os.environ.get("SPANPROOF_TEST_DATA"))
    parser.add_argument("--files", type=int, default=60, help="how many files (default 60)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of all (default 3)")
    parser.add_argument(
        "--slow-share", type=int, default=4, help="slow ways read every so manieth file (default 4)"
    )
    options = parser.parse_args(arguments)
    folder = Path(options.data or "") / "documents" / "pdf"
    samples = draw_samples(folder, options.files) if options.data else []
    if not samples:
        print("Expected PDFs under DIR/documents/pdf. Give --data DIR or set SPANPROOF_TEST_DATA.")
        return 2
    missing = [name for name in PACKAGES if _find_version(name) is None]
    if missing:
        print(f"{missing[0]} is not installed. Run 'make bench-peers'.")
        return 2
    # Peers warn and log about broken files on standard error; that costs time of a terminal's.
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    table = measure(samples, options.rounds, options.slow_share)
    rows = summarise(table, samples, options.rounds)
    print_table(rows)
    figures = {"seed": _SEED, "files": len(samples), "rounds": options.rounds, "rows": rows}
    write_report("peers", figures, packages=PACKAGES)
    return 0


def _find_version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    raise SystemExit(main())
