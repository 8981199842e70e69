"""Two versions of an index compared, and what the change means for its citations.

``python -m bench.service.manifest_diff [--chunks N] [--citations N] [--folder DIR]``. Of made-up
chunks 2 % are reassigned (the same id, other words) and 0.1 % gone, so what has to be found is
known; the run fails where it is not. Registering reads and checks each row of a Parquet manifest.
The comparison runs in a process of its own, so that its memory is its own; mapped files count in it
as far as they were touched.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.report import write_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.store import Store

MOMENT = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
PER_DOCUMENT = 40
PER_VERIFICATION = 4
REASSIGNED_EVERY = 50
REMOVE_EVERY = 1_000
BATCH = 100_000


def main() -> None:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=4_000_000)
    parser.add_argument("--citations", type=int, default=400_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--compare", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.compare is not None:
        print(json.dumps(compare(chosen.compare)))
        return
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        figures = measure(Path(folder), chosen.chunks, chosen.citations)
    print(f"chunks, each version        {figures['chunks']:12,}")
    print(f"registered, a second        {figures['registered_per_cpu_second']:12,}")
    print(f"compared, CPU s             {figures['compare_cpu_s']:12.2f}")
    print(f"  of it the chunks alone    {figures['chunks_cpu_s']:12.2f}")
    print(f"peak memory, MiB            {figures['peak_mib']:12,}")
    print(write_report("manifest_diff", figures, packages=("spanproof", "numpy", "pyarrow")))


def measure(folder: Path, chunks: int, citations: int) -> dict[str, Any]:
    """Register both versions, add the citations, compare; raise where the truth is not found."""
    from spanproof.operations.assembly import open_context
    from spanproof.operations.indexes.version import register_file
    from spanproof.operations.settings import Settings
    from spanproof.store.indexes.index_rows import NewVersion

    home = folder / "home"
    with open_context(Settings(home=home, database_url=None)) as context:
        spent = 0.0
        for version in ("v1", "v2"):
            path = folder / f"{version}.parquet"
            write_parquet(path, chunks, changed=version == "v2")
            begun = time.process_time()
            new = NewVersion(name="bench", version=version, registered_at=MOMENT)
            register_file(context, new, path)
            spent += time.process_time() - begun
            path.unlink()
        add_citations(context.store, chunks, citations)
    done = subprocess.run(
        [sys.executable, "-m", "bench.service.manifest_diff", "--compare", str(home)],
        check=True,
        capture_output=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    found = json.loads(done.stdout)
    check(found["report"], chunks, citations)
    return {
        "chunks": chunks,
        "citations": citations,
        "planted": found["report"],
        "registered_per_cpu_second": round(2 * chunks / spent),
        "compare_cpu_s": found["cpu_s"],
        "chunks_cpu_s": found["chunks_cpu_s"],
        "peak_mib": found["peak_mib"],
    }


def compare(home: Path) -> dict[str, Any]:
    """Compare the two versions in this process, start-up and reading of the records included."""
    from spanproof.monitor.drift import count_changes
    from spanproof.operations.assembly import open_context
    from spanproof.operations.indexes.comparison import compare as compare_versions
    from spanproof.operations.settings import Settings

    with open_context(Settings(home=home, database_url=None)) as context:
        report = compare_versions(context, "bench", "v1", "v2").to_json()
        total = time.process_time()
        indexes = context.store.indexes
        old, new = (indexes.map_facts(indexes.load("bench", each)) for each in ("v1", "v2"))
        begun = time.process_time()
        count_changes(old, new)
        alone = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {
        "report": report,
        "cpu_s": round(total, 2),
        "chunks_cpu_s": round(alone, 2),
        "peak_mib": peak,
    }


def check(report: dict[str, Any], chunks: int, citations: int) -> None:
    """Every planted change was found, and no other."""
    gone = len(range(0, chunks, REMOVE_EVERY))
    reassigned = len(range(1, chunks, REASSIGNED_EVERY))
    expected = {"moved": 0, "reassigned": reassigned, "gone": gone, "new": 0}
    expected["same"] = chunks - reassigned - gone
    cited = [to_cited(number, chunks) for number in range(citations)]
    lost = sum(number % REMOVE_EVERY == 0 for number in cited)
    changed = sum(number % REASSIGNED_EVERY == 1 for number in cited)
    of_citations = {"intact": citations - lost - changed, "remappable": 0, "gone": lost}
    of_citations |= {"reassigned": changed, "source_changed": 0}
    if report["chunks"] != expected or report["citations"] != of_citations:
        msg = f"Expected {expected} and {of_citations}, got {report}."
        raise SystemExit(msg)


def write_parquet(path: Path, chunks: int, *, changed: bool) -> None:
    """A manifest without a header, as another tool writes it."""
    import pyarrow as pa
    from pyarrow import parquet

    numbers, word = pa.int64(), pa.string()
    names = ("chunk_id", "doc_id", "doc_hash", "text_sha256", "extraction_pipeline")
    schema = pa.schema([*((name, word) for name in names), ("char_start", numbers)])
    schema = schema.append(pa.field("char_end", numbers))
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for first in range(0, chunks, BATCH):
            rows = list(make_rows(range(first, min(first + BATCH, chunks)), changed=changed))
            columns = [pa.array(column) for column in zip(*rows, strict=True)]
            writer.write_batch(pa.record_batch(columns, schema=schema))


def make_rows(
    numbers: range, *, changed: bool
) -> Iterator[tuple[str, str, str, str, str, int, int]]:
    """The rows of these chunks, in the newer version without those that are gone."""
    for number in numbers:
        if changed and number % REMOVE_EVERY == 0:
            continue
        word = "other" if changed and number % REASSIGNED_EVERY == 1 else "text"
        document, start = number // PER_DOCUMENT, number % PER_DOCUMENT * 1_000
        yield (
            f"chunk-{number}",
            f"document-{document}",
            to_digest(f"document {document}"),
            to_digest(f"{word} {number}"),
            "bench@1",
            start,
            start + 1_000,
        )


def to_digest(words: str) -> str:
    """A digest as a manifest writes it."""
    return f"sha256:{hashlib.sha256(words.encode()).hexdigest()}"


def to_cited(number: int, chunks: int) -> int:
    """The chunk of a citation: spread over all of them."""
    return number * 7_919 % chunks


def add_citations(store: Store, chunks: int, citations: int) -> None:
    """The rows of verifications whose citations name their chunks; payloads play no part here."""
    from sqlalchemy import insert

    from spanproof.store.tables import VerdictChunkRow, VerdictRow, VerificationRow

    for first in range(0, citations, BATCH):
        numbers = range(first, min(first + BATCH, citations))
        with store.database.connection() as connection:
            connection.execute(insert(VerificationRow), list(make_verifications(numbers)))
            connection.execute(insert(VerdictRow), [make_verdict(n, chunks) for n in numbers])
            connection.execute(insert(VerdictChunkRow), [make_chunk(n, chunks) for n in numbers])


def make_verifications(numbers: range) -> Iterator[dict[str, Any]]:
    """A verification for every few citations."""
    for number in numbers[::PER_VERIFICATION]:
        yield {
            "verification_id": f"v{number // PER_VERIFICATION}",
            "answer_id": "a",
            "verified_at": MOMENT,
            "result": "pass",
            "citation_level": "GREEN",
            "verdicts": PER_VERIFICATION,
            "generator_model": None,
            "prompt_id": None,
            "excerpt": "",
        }


def make_verdict(number: int, chunks: int) -> dict[str, Any]:
    """A verdict whose words were found in its chunk."""
    chunk = to_cited(number, chunks)
    start = chunk % PER_DOCUMENT * 1_000 + 10
    return {
        "verification_id": f"v{number // PER_VERIFICATION}",
        "position": number % PER_VERIFICATION,
        "citation": number % PER_VERIFICATION,
        "doc_hash": to_digest(f"document {chunk // PER_DOCUMENT}"),
        "extraction_id": None,
        "outcome": "pass",
        "char_start": start,
        "char_end": start + 100,
        "index_version": "v1",
    }


def make_chunk(number: int, chunks: int) -> dict[str, Any]:
    """The chunk that the citation names."""
    return {
        "verification_id": f"v{number // PER_VERIFICATION}",
        "position": number % PER_VERIFICATION,
        "chunk_id": f"chunk-{to_cited(number, chunks)}",
    }


if __name__ == "__main__":
    main()
