"""Are chunks that another reader cut found again: ``python -m bench.foreign_chunks``.

PDFs of a folder are drawn with a fixed seed and read by six readers; from each one's text chunks of
500 characters are cut and looked for in our extraction, as ``spanproof backfill`` does. A place is
false if it is on other pages, or has other letters or figures. A chunk that its own reader gives
more than once has no one place: such chunks are not drawn. Then chunks are changed (a number,
a name, a negation, a unit, two lines swapped) and looked for, also as editorial quotes and as cells
of a row: none may be found unless the changed words truly stand in the reader's text or in ours.
A file on which a reader fails, or takes too long, gives it no chunks; such files are counted. Files
are halved by their hash: rules are made on one half (``--half tune``), and the other half
(``report``, the default) is what is reported.
Exit 1 after a false place.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.foreign_chunks.chunks import Chunk, cut_chunks, is_false
from bench.foreign_chunks.extractors import find_versions, read_pages
from bench.foreign_chunks.lies import draw_lies
from bench.mutations.texts import draw_paths, load_extraction
from bench.report import write_report
from spanproof.core.citation import Quote
from spanproof.core.digest import Digest
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.core.verdicts.verdict import Existence
from spanproof.verifier.quotes.edited.editorial import find_edited
from spanproof.verifier.quotes.edited.row_joined import find_row_joined
from spanproof.verifier.quotes.existence import check_places
from spanproof.verifier.quotes.line_order.lost_glyphs import without_glyph_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span

SEED = 20261123
#: Pages of each file, and the characters that most readers must see there.
PAGES, LEAST_TEXT, LEAST_READERS = 10, 2_000, 4
_PLACED = ("verbatim", "folded", "spacing", "line_order")
_FOUND = frozenset({ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL})


def main(arguments: list[str] | None = None) -> int:
    """Look for true and changed chunks, print the tables, write the JSON."""
    options = _parse(arguments)
    if options.data is None:
        print("Expected a folder of documents. Give --data DIR or set SPANPROOF_TEST_DATA.")
        return 2
    versions = find_versions()
    for name in [name for name, version in versions.items() if version is None]:
        print(f"{name} is not installed here: it has no row.")
    bench = _Bench(options)
    for path in _choose(Path(options.data) / "documents" / "pdf", options.half):
        if bench.files == options.files:
            break
        bench.take(path, {name: version for name, version in versions.items() if version})
    bench.show()
    figures = bench.to_json() | {"half": options.half, "readers": versions}
    write_report("foreign_chunks", figures, packages=("spanproof", "pymupdf", "numpy"))
    if options.missed is not None:
        options.missed.write_text(json.dumps(bench.missed, indent=1), encoding="utf-8")
    return 1 if bench.false else 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.foreign_chunks")
    parser.add_argument("--data", default=os.environ.get("SPANPROOF_TEST_DATA"))
    parser.add_argument("--half", choices=("tune", "report"), default="report")
    parser.add_argument("--files", type=int, default=75, help="PDFs (default 75)")
    parser.add_argument("--chunks", type=int, default=8, help="of a file and reader (default 8)")
    parser.add_argument("--lies", type=int, default=28, help="of a chunk (default 28)")
    parser.add_argument("--missed", type=Path, help="write the chunks that were not found here")
    return parser.parse_args(arguments)


def _choose(folder: Path, half: str) -> Iterator[Path]:
    """The files of one half, in an order that the seed alone decides."""
    for path in draw_paths(folder, SEED):
        even = int(Digest.of(path.read_bytes()).hex[-1], 16) % 2 == 0
        if path.suffix == ".pdf" and even == (half == "tune"):
            yield path


class _Bench:
    """Counts by reader; a place that is false is shown at once."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self.files = 0
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.lies: dict[str, Counter[str]] = defaultdict(Counter)
        self.seconds: dict[str, float] = defaultdict(float)
        self.missed: list[dict[str, str]] = []
        self.false = 0

    def take(self, path: Path, versions: dict[str, str]) -> None:
        """All readers on one file, if most of them see text there."""
        read = {name: read_pages(name, version, path, PAGES) for name, version in versions.items()}
        texts = {name: pages or [] for name, pages in read.items()}
        seen = sum(len("".join(pages)) >= LEAST_TEXT for pages in texts.values())
        extraction = load_extraction(path) if seen >= LEAST_READERS else None
        if extraction is None:
            return
        self.files += 1
        for name, given in read.items():
            self.counts[name]["files_failed"] += given is None
        own = extraction.text.text
        for name, pages in texts.items():
            rng = random.Random(f"{SEED}:{path.name}:{name}")  # noqa: S311 - a sample, no secret
            texts_that_stand = [_to_words(text) for text in ("\f".join(pages), own)]
            for chunk in cut_chunks(pages, rng, self._options.chunks):
                self._look(name, path, chunk, extraction)
                for kind, text in draw_lies(chunk.text, rng, self._options.lies):
                    found = self._lie(kind, text, extraction, texts_that_stand)
                    if found is not None:
                        self._show_false(path, name, kind, text, found)

    def _look(self, name: str, path: Path, chunk: Chunk, extraction: Extraction) -> None:
        started = time.process_time()
        found = check_places(Quote(text=chunk.text), extraction)
        row = self.counts[name]
        row["chunks"] += 1
        status = _name(found)
        self.seconds[status] += time.process_time() - started
        placed = found is not None and status != "ambiguous"
        if placed and found is not None and is_false(chunk, extraction, _spans(found)):
            status = "false"
            self._show_false(path, name, "true chunk", chunk.text, found)
        row[status] += 1
        if status in {"ambiguous", "not_found"}:
            self.missed.append(
                {"file": str(path), "reader": name, "status": status, "text": chunk.text}
            )

    def _lie(
        self, kind: str, text: str, extraction: Extraction, texts_that_stand: list[str]
    ) -> Existence | None:
        """The place of a changed chunk that does not truly stand in its reader's text or ours."""
        row = self.lies[kind]
        row["changed"] += 1
        found = check_places(Quote(text=text), extraction)
        if found is None or found.status not in _FOUND:
            found = _find_loosely(text, extraction)
        if found is None:
            return None
        stands = any(_to_words(text) in whole for whole in texts_that_stand)
        row["truly_stand" if stands else "false"] += 1
        return None if stands else found

    def _show_false(self, path: Path, name: str, kind: str, text: str, found: Existence) -> None:
        self.false += 1
        print(f"FALSE {path.name} {name} {kind} {found.folds} {text!r}", flush=True)

    def show(self) -> None:
        """The tables."""
        columns = (*_PLACED, "ambiguous", "not_found", "false", "files_failed")
        print(f"{self.files} files\n| reader | chunks | found | {' | '.join(columns)} |")
        print("|" + "---|" * (len(columns) + 3))
        for name, row in self.counts.items():
            found = sum(row[column] for column in _PLACED)
            share = f"{100 * found / max(1, row['chunks']):.1f} %"
            print(f"| {name} | {row['chunks']:,} | {share} | ", end="")
            print(" | ".join(f"{row[column]:,}" for column in columns), "|")
        for kind, row in self.lies.items():
            print(f"{kind}: {dict(row)}")
        print({name: round(seconds, 1) for name, seconds in self.seconds.items()}, "CPU s")

    def to_json(self) -> dict[str, Any]:
        """The counts."""
        return {
            "files": self.files,
            "readers_rows": {name: dict(row) for name, row in self.counts.items()},
            "lies": {kind: dict(row) for kind, row in self.lies.items()},
            "false": self.false,
        }


def _to_words(text: str) -> str:
    """A text with one blank between words; a glyph's number is no figure that could be changed."""
    return " ".join(without_glyph_names(text).split())


def _find_loosely(text: str, extraction: Extraction) -> Existence | None:
    """The one place of an editorial quote, or of one of a table row."""
    ways = find_row_joined(text, extraction) or find_edited(text, extraction)
    if len(ways) != 1:
        return None
    return Existence(
        status=ExistenceStatus.EDITORIAL, span=ways[0].span, difference=ways[0].difference
    )


def _name(found: Existence | None) -> str:
    if found is None:
        return "not_found"
    if found.status is ExistenceStatus.AMBIGUOUS:
        return "ambiguous"
    for name in ("line_order", "spacing"):
        if name in found.folds:
            return name
    return "folded" if found.folds else "verbatim"


def _spans(found: Existence) -> list[Span]:
    if found.candidates:
        return [candidate.span for candidate in found.candidates]
    return [] if found.span is None else [found.span]


if __name__ == "__main__":
    raise SystemExit(main())
