"""How time and memory grow with a document: drawn PDFs of 50, 500 and 5,000 pages.

``python -m bench.documents.growth [--repeat N] [--pages N …]``. Every reading runs in a fresh
process, in alternating order. Time is CPU time from the bytes to the extraction. Memory is the peak
resident size of that process while it reads and writes the record that the parser's child hands
over, less its size just before, when engine and source bytes were already there. "Result" is what
the extraction's text and arrays need; the rest was needed on the way. What a further character
costs is the slope between the two largest documents.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.report import write_report

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = (50, 500, 5_000)
_LINES, _LINE_CHARACTERS = 50, 60
_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


def draw_pdf(pages: int, seed: int = 1) -> bytes:
    """A PDF of pages full of words, about 3,000 characters each; no two pages are alike."""
    rng = random.Random(seed)  # noqa: S311 - words, not secrets
    words = [
        "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9)))
        for _ in range(5_000)
    ]
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%b]/Count %d/MediaBox[0 0 595 842]>>"
        % (b" ".join(b"%d 0 R" % (4 + 2 * i) for i in range(pages)), pages),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    for page in range(pages):
        shown = b"".join(b"(%b) Tj 0 -15 Td\n" % line.encode() for line in _lines(rng, words))
        drawn = b"BT /F1 9 Tf 40 800 Td\n" + shown + b"ET"
        bodies.append(
            b"<</Type/Page/Parent 2 0 R/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
            % (5 + 2 * page)
        )
        bodies.append(b"<</Length %d>>stream\n%b\nendstream" % (len(drawn), drawn))
    return _write_objects(bodies)


def _lines(rng: random.Random, words: list[str]) -> Iterator[str]:
    for _ in range(_LINES):
        line = rng.choice(words)
        while len(line) < _LINE_CHARACTERS:
            line += " " + rng.choice(words)
        yield line


def _write_objects(bodies: list[bytes]) -> bytes:
    parts, offsets, length = [b"%PDF-1.7\n"], [], 9
    for number, body in enumerate(bodies, 1):
        offsets.append(length)
        parts.append(b"%d 0 obj\n%b\nendobj\n" % (number, body))
        length += len(parts[-1])
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(bodies) + 1
    parts.append(
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer<</Size %d/Root 1 0 R>>\n"
        b"startxref\n%d\n%%%%EOF\n" % (count, table, count, length)
    )
    return b"".join(parts)


def read_once(path: Path) -> dict[str, Any]:
    """Read a PDF in this process, which must be fresh: time, memory, and what came out."""
    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Document
    from spanproof.core.documents.extraction_record import to_record
    from spanproof.ingest.engine.mupdf.engine import MupdfEngine
    from spanproof.ingest.limits import Limits

    engine, limits = MupdfEngine(), Limits()
    small = draw_pdf(2)
    engine.read(_describe(Digest.of(small), small, Document), small, limits)
    data = path.read_bytes()
    document = _describe(Digest.of(data), data, Document)
    before = _status("VmRSS")
    # "5" sets the peak back to the present size (proc(5)).
    _RESET.write_text("5", encoding="ascii")
    began = time.process_time()
    extraction = engine.read(document, data, limits)
    seconds = time.process_time() - began
    read = _status("VmHWM") - before
    to_record(extraction)
    layout = extraction.layout
    arrays = () if layout is None else (getattr(layout, name) for name in layout.__slots__)
    held = sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))
    return {
        "pages": len(extraction.pages),
        "characters": len(extraction.text),
        "source_bytes": len(data),
        "seconds": seconds,
        "peak_reading_bytes": read,
        "peak_bytes": _status("VmHWM") - before,
        "result_bytes": held + sys.getsizeof(extraction.text.text),
    }


def _describe(digest: Any, data: bytes, kind: Any) -> Any:  # noqa: ANN401 - loaded late
    return kind(doc_hash=digest, media_type="application/pdf", byte_length=len(data))


def _status(name: str) -> int:
    for line in _STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    msg = f"{_STATUS} has no {name}."
    raise LookupError(msg)


def measure(pages: tuple[int, ...], repeat: int) -> list[dict[str, Any]]:
    """One row for each size: medians and ranges over the rounds."""
    found: dict[int, list[dict[str, Any]]] = {size: [] for size in pages}
    with tempfile.TemporaryDirectory() as folder:
        paths = {size: Path(folder) / f"{size}.pdf" for size in pages}
        for size, path in paths.items():
            path.write_bytes(draw_pdf(size))
        for turn in range(repeat):
            for size in pages if turn % 2 == 0 else pages[::-1]:
                command = [
                    sys.executable,
                    "-m",
                    "bench.documents.growth",
                    "--one",
                    str(paths[size]),
                ]
                done = subprocess.run(command, check=True, capture_output=True, timeout=600)
                found[size].append(json.loads(done.stdout))
                print(f"{size} pages, round {turn + 1}", file=sys.stderr)
    return [_summarise(rows) for rows in found.values()]


def _summarise(rows: list[dict[str, Any]]) -> dict[str, Any]:
    first = rows[0]
    characters = first["characters"]
    return {
        "pages": first["pages"],
        "characters": characters,
        "source_bytes": first["source_bytes"],
        "cpu_microseconds_per_character": _spread([1e6 * r["seconds"] / characters for r in rows]),
        "peak_reading_bytes": _spread([row["peak_reading_bytes"] for row in rows]),
        "peak_bytes": _spread([row["peak_bytes"] for row in rows]),
        "result_bytes": first["result_bytes"],
    }


def find_slopes(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Bytes that a further character costs, between the two largest documents."""
    small, large = rows[-2:]
    more = large["characters"] - small["characters"]
    return {
        "peak_reading": (
            large["peak_reading_bytes"]["median"] - small["peak_reading_bytes"]["median"]
        )
        / more,
        "peak": (large["peak_bytes"]["median"] - small["peak_bytes"]["median"]) / more,
        "result": (large["result_bytes"] - small["result_bytes"]) / more,
    }


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.documents.growth")
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default 3)")
    parser.add_argument("--pages", type=int, nargs="+", default=PAGES)
    parser.add_argument("--one", type=Path, help="read one PDF in this process, print JSON")
    options = parser.parse_args(arguments)
    if options.one is not None:
        print(json.dumps(read_once(options.one)))
        return 0
    if not _RESET.exists():
        print("Expected Linux, whose /proc tells a process's peak memory. Run it there.")
        return 2
    rows = measure(tuple(sorted(options.pages)), options.repeat)
    print("| pages | characters | CPU µs a character | peak, MiB | with the record | result |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        micros = row["cpu_microseconds_per_character"]
        peaks = [row[name]["median"] / 2**20 for name in ("peak_reading_bytes", "peak_bytes")]
        print(
            f"| {row['pages']:,} | {row['characters']:,} "
            f"| {micros['median']:.2f} ({micros['least']:.2f} to {micros['most']:.2f}) "
            f"| {peaks[0]:.1f} | {peaks[1]:.1f} | {row['result_bytes'] / 2**20:.1f} |"
        )
    slopes = find_slopes(rows) if len(rows) > 1 else {}
    for name, value in slopes.items():
        print(f"a further character: {value:.1f} bytes of {name}")
    write_report("growth", {"rows": rows, "bytes_of_a_further_character": slopes})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
