"""What boxes cost: extraction with boxes against ``page.get_text('text')``, and bytes a character.

``python -m bench.documents.extraction [--data DIR] [--repeat N]`` opens every PDF under
DIR/documents anew for each method and times both in CPU seconds, in alternating order, opening
apart. "With boxes" is everything after opening: text page, walk, canonical text and its digest,
runs, flags, counts, frames and labels of every page. The stored layout is weighed as
``layout.to_bytes()``, compression apart from the timing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.report import write_report
from spanproof.core.digest import Digest
from spanproof.core.documents.document import Document
from spanproof.core.errors import ExtractionError
from spanproof.ingest.engine.mupdf.documents import open_document
from spanproof.ingest.engine.mupdf.engine import MupdfEngine
from spanproof.ingest.engine.mupdf.library import library_errors
from spanproof.ingest.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable

#: With fewer characters the cost of one cannot be measured.
_FEWEST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFigures:
    """One file: CPU seconds of each method over all rounds, and what came out."""

    name: str
    pages: int
    characters: int
    text_seconds: float
    boxes_seconds: float
    layout_bytes: int

    @property
    def ratio(self) -> float:
        """Boxes against text."""
        return self.boxes_seconds / self.text_seconds


def measure_file(path: Path, repeat: int) -> FileFigures | None:
    """The figures of one PDF; None where it does not open or a page of it cannot be read."""
    data = path.read_bytes()
    document = Document(
        doc_hash=Digest.of(data), media_type="application/pdf", byte_length=len(data)
    )
    engine, limits = MupdfEngine(), Limits()
    failures: tuple[type[Exception], ...] = (ExtractionError, *library_errors())
    text_seconds = boxes_seconds = 0.0
    pages = characters = layout_bytes = 0
    try:
        for turn in range(2 * repeat):
            # A B B A A B …: the methods take turns at being first: none always has warm caches.
            with open_document(data) as opened:
                began = time.process_time()
                if turn % 4 in (0, 3):
                    for page in opened:
                        page.get_text("text")
                    text_seconds += time.process_time() - began
                else:
                    extraction = engine.read_opened(document, opened, limits)
                    boxes_seconds += time.process_time() - began
                    pages, characters = len(extraction.pages), len(extraction.text)
                    if turn < 4 and extraction.layout is not None:
                        layout_bytes = len(extraction.layout.to_bytes())
    except failures:
        return None
    return FileFigures(
        name=path.name,
        pages=pages,
        characters=characters,
        text_seconds=text_seconds,
        boxes_seconds=boxes_seconds,
        layout_bytes=layout_bytes,
    )


def summarise(figures: Iterable[FileFigures], unreadable: int) -> dict[str, Any]:
    """Ratios over all files and over those with enough text, and the bytes stored."""
    every = list(figures)
    texts = [one for one in every if one.characters >= _FEWEST]
    ratios = sorted(one.ratio for one in texts)
    characters = sum(one.characters for one in texts)
    return {
        "files": len(every),
        "files_unreadable": unreadable,
        "files_with_text": len(texts),
        "pages": sum(one.pages for one in every),
        "characters": sum(one.characters for one in every),
        "ratio_total_all_files": _share(every),
        "ratio_total": _share(texts),
        "ratio_median": statistics.median(ratios),
        "ratio_p90": ratios[int(0.9 * (len(ratios) - 1))],
        "text_seconds": sum(one.text_seconds for one in texts),
        "boxes_seconds": sum(one.boxes_seconds for one in texts),
        "layout_bytes_per_character": sum(one.layout_bytes for one in texts) / characters,
        "layout_bytes_per_character_median": statistics.median(
            one.layout_bytes / one.characters for one in texts
        ),
        "engine": MupdfEngine().pipeline().name,
    }


def _share(figures: list[FileFigures]) -> float:
    return sum(one.boxes_seconds for one in figures) / sum(one.text_seconds for one in figures)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.documents.extraction")
    parser.add_argument("--data", default=os.environ.get("SPANPROOF_TEST_DATA"))
    parser.add_argument("--repeat", type=int, default=2, help="rounds of each method (default 2)")
    options = parser.parse_args(arguments)
    folder = Path(options.data or "") / "documents"
    paths = sorted(folder.rglob("*.pdf")) if options.data else []
    if not paths:
        print("Expected PDFs under DIR/documents. Give --data DIR or set SPANPROOF_TEST_DATA.")
        return 2
    found = []
    for index, path in enumerate(paths):
        print(
            f"\r{index + 1}/{len(paths)} {path.name[:50]:50}", end="", file=sys.stderr, flush=True
        )
        found.append(measure_file(path, options.repeat))
    print(file=sys.stderr)
    figures = [one for one in found if one is not None]
    summary = summarise(figures, unreadable=len(found) - len(figures))
    for key, value in summary.items():
        print(f"{key:38} {value:.3f}" if isinstance(value, float) else f"{key:38} {value}")
    slowest = sorted(figures, key=lambda one: one.boxes_seconds, reverse=True)[:20]
    write_report("extraction", {"summary": summary, "slowest": [asdict(one) for one in slowest]})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
