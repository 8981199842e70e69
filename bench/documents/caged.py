"""What the cage costs: extraction in a confined child against the same extraction in process.

``python -m bench.documents.caged [--data DIR] [--repeat N]`` cuts the first 20 pages out of every
PDF under DIR/documents that has as many, and reads each in process and caged, in alternating order;
outputs must be equal. Wall time is what a caller waits; CPU time is everything that was spent, the
zygote's forking too. Then all of them are read again by one thread and by two.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.report import write_report
from spanproof.core.documents.extraction_record import to_record
from spanproof.ingest import extract
from spanproof.ingest.engine.mupdf.library import library_errors, load_pymupdf
from spanproof.ingest.sandbox import Parser

PAGES = 20
_WORKERS = 2


@dataclass(slots=True, kw_only=True)
class Timings:
    """Seconds of every round for one document."""

    name: str
    characters: int
    in_process: list[float] = field(default_factory=list)
    caged: list[float] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """Caged against in process, round by round."""
        return [c / p for c, p in zip(self.caged, self.in_process, strict=True)]


def cut_documents(folder: Path) -> dict[str, bytes]:
    """The first pages of each PDF that has enough, by name."""
    pymupdf = load_pymupdf()
    found = {}
    for path in sorted(folder.rglob("*.pdf")):
        try:
            with pymupdf.open(path, filetype="pdf") as opened, pymupdf.open() as cut:
                if opened.needs_pass or opened.page_count < PAGES:
                    continue
                cut.insert_pdf(opened, to_page=PAGES - 1)
                found[path.name] = cut.tobytes(garbage=3, deflate=True)
        except library_errors():
            continue
    return found


def measure(parser: Parser, documents: dict[str, bytes], rounds: int) -> list[Timings]:
    """Alternate ways and documents: no reading finds the caches warm from its own last round."""
    timings = {}
    for name, data in documents.items():
        read, caged = extract(data), parser.extract(data)
        if to_record(replace(caged, sandbox=read.sandbox)) != to_record(read):
            msg = f"{name}: caged and in process differ"
            raise SystemExit(msg)
        timings[name] = Timings(name=name, characters=len(read.text))
    for number in range(rounds):
        for name, data in documents.items():
            one = timings[name]
            for is_caged in (False, True) if number % 2 else (True, False):
                began = time.perf_counter()
                (parser.extract if is_caged else extract)(data)
                (one.caged if is_caged else one.in_process).append(time.perf_counter() - began)
    return [*timings.values()]


def measure_cpu(parser: Parser, documents: dict[str, bytes], rounds: int) -> tuple[float, float]:
    """CPU seconds of all documents: in process, and caged with all that belongs to it."""
    began = time.process_time()
    for _ in range(rounds):
        for data in documents.values():
            extract(data)
    in_process = time.process_time() - began
    began, before = time.process_time(), _family_seconds(parser)
    for _ in range(rounds):
        for data in documents.values():
            parser.extract(data)
    # The last children are buried a moment after their answer.
    time.sleep(0.5)
    return in_process, time.process_time() - began + _family_seconds(parser) - before


def measure_parallel(
    parser: Parser, documents: dict[str, bytes], rounds: int
) -> tuple[list[float], list[float]]:
    """Wall seconds of all documents by one thread and by two, alternating."""
    alone, together = [], []
    with ThreadPoolExecutor(_WORKERS) as pool:
        for _ in range(rounds):
            began = time.perf_counter()
            for data in documents.values():
                parser.extract(data)
            alone.append(time.perf_counter() - began)
            began = time.perf_counter()
            list(pool.map(parser.extract, documents.values()))
            together.append(time.perf_counter() - began)
    return alone, together


def _family_seconds(parser: Parser) -> float:
    """CPU seconds of the zygotes and of the children that they have buried."""
    tick = os.sysconf("SC_CLK_TCK")
    total = 0
    for pid in parser.zygotes:
        # After the name (which ends with the last parenthesis): utime, stime, cutime, cstime.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        total += sum(map(int, fields[11:15]))
    return total / tick


def summarise(timings: list[Timings]) -> dict[str, Any]:
    """The ratio's median over documents and rounds, its range, and both medians in ms."""
    ratios = sorted(ratio for one in timings for ratio in one.ratios)
    by_document = {one.name: round(statistics.median(one.ratios), 3) for one in timings}
    return {
        "documents": len(timings),
        "pages_each": PAGES,
        "characters": sum(one.characters for one in timings),
        "in_process_ms": 1e3 * statistics.median(t for one in timings for t in one.in_process),
        "caged_ms": 1e3 * statistics.median(t for one in timings for t in one.caged),
        "ratio_median": statistics.median(ratios),
        "ratio_p10": ratios[len(ratios) // 10],
        "ratio_p90": ratios[9 * len(ratios) // 10],
        "ratio_of_best": sum(min(o.caged) for o in timings)
        / sum(min(o.in_process) for o in timings),
        "ratio_by_document": by_document,
    }


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, write the JSON."""
    options = argparse.ArgumentParser(prog="python -m bench.documents.caged")
    options.add_argument("--data", default=os.environ.get("SPANPROOF_TEST_DATA"))
    options.add_argument("--repeat", type=int, default=15, help="rounds a document (default 15)")
    chosen = options.parse_args(arguments)
    documents = cut_documents(Path(chosen.data) / "documents") if chosen.data else {}
    if not documents:
        print("Expected PDFs under DIR/documents. Give --data DIR or set SPANPROOF_TEST_DATA.")
        return 2
    with Parser(workers=_WORKERS) as parser:
        figures = {"sandbox": parser.check_cage()} | summarise(
            measure(parser, documents, chosen.repeat)
        )
        in_process, caged = measure_cpu(parser, documents, 3)
        alone, together = measure_parallel(parser, documents, 5)
    figures |= {
        "cpu_ratio": caged / in_process,
        "two_at_once_speedup": statistics.median(
            a / t for a, t in zip(alone, together, strict=True)
        ),
        "load_average": os.getloadavg()[0],
    }
    for key, value in figures.items():
        print(f"{key:24} {value:.3f}" if isinstance(value, float) else f"{key:24} {value}")
    write_report("caged", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
