"""What the index of texts costs a document and a search: ``python -m bench.contexts.lifting``.

A store in SQLite is filled with texts of random words (2,000 words each), then 40 parts of them and
40 other texts are searched, CPU time. ``--documents N`` sets how many there are.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import text

from bench.report import write_report
from bench.verification import make_extraction
from spanproof.store import open_store
from spanproof.store.documents.text_index import make_rows

if TYPE_CHECKING:
    from spanproof.store import Store

WORDS, SEARCHES = 2_000, 40


def fill(store: Store, texts: list[str]) -> None:
    """Keep each text as a document."""
    for each in texts:
        extraction = make_extraction(each)
        with store.blobs.stage() as staged:
            staged.write(each.encode())
            store.documents.add(
                extraction, staged, doc_id=None, title=None, added_at=datetime.now(UTC)
            )


def search(store: Store, texts: list[str]) -> tuple[float, int]:
    """Median CPU milliseconds of a search, and how many texts were found."""
    times, found = [], 0
    for each in texts:
        start = time.process_time()
        found += store.texts.find_holder(each) is not None
        times.append(1000 * (time.process_time() - start))
    return statistics.median(times), found


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m bench.contexts.lifting", description=__doc__)
    parser.add_argument("--documents", type=int, default=2_000)
    count = parser.parse_args().documents
    rng = random.Random(1)  # noqa: S311 - texts, no secret
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(20_000)]
    texts = [" ".join(rng.choices(words, k=WORDS)) for _ in range(count)]
    start = time.process_time()
    rows = [make_rows(each) for each in texts[:50]]
    making = 1000 * (time.process_time() - start) / len(rows)
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder)) as store:
        fill(store, texts)
        held, parts = search(store, [each[3_000:3_400] for each in rng.sample(texts, SEARCHES)])
        missed, none = search(store, [" ".join(rng.choices(words, k=60)) for _ in range(SEARCHES)])
        with store.database.read_connection() as connection:
            query = "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%text%'"
            size = int(connection.execute(text(query)).scalar_one())
    characters = sum(map(len, texts))
    figures = {
        "documents": count,
        "characters": characters,
        "fingerprints_ms_per_document": making,
        "index_bytes_per_character": size / characters,
        "found": parts,
        "found_ms": held,
        "not_there": SEARCHES - none,
        "not_there_ms": missed,
    }
    for name, value in figures.items():
        print(f"{name}: {value:.3g}" if isinstance(value, float) else f"{name}: {value}")
    write_report("lifting", figures, packages=("spanproof", "numpy"))


if __name__ == "__main__":
    main()
