"""The console's first page over many kept answers, on SQLite and PostgreSQL.

``python -m bench.console [--answers N] [--only sqlite|postgresql] [--rounds N]`` fills a store with
answers over a year (three models, four prompts, three indexes, 2,000 documents, labels) of which
1.6 % fail, and 75 % of those of one model with one index. It asks the running application for the
first page, for filters, searches, sorts and later pages, and writes what it took to
bench/results/console.json. The rows are those that a verification writes; the blocks are made by
hand, because judging is no part of this. Times are of the server: from the request to the whole
page, without a network, by the clock and as CPU of this process, which other programs on the
machine lengthen less. ``erase_ms`` takes one answer's words out of the index.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from fastapi.testclient import TestClient
from sqlalchemy import text

from bench.report import write_report
from spanproof.api.http.app import create_app
from spanproof.core.digest import Digest
from spanproof.operations.settings import Settings
from spanproof.store import open_store
from spanproof.store.database.columns import Row
from spanproof.store.facts import words as index
from tests.builders import ScriptedModel
from tests.postgresql import find_memory, find_postgresql, run_server
from tests.store.examples import make_block, make_verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.store import Store

ANSWERS = 100_000
ROUNDS = 40
DOCUMENTS = 2_000
#: The bound of each page, in milliseconds, for 95 of 100 requests.
TO_REACH = 200
_MODELS, _PROMPTS = ("writer-large", "writer-small", "writer-new"), ("p1", "p2", "p3", "p4")
_INDEXES, _TEAMS = ("2026-09", "2026-10", "2026-11"), ("claims", "sales", "legal")
PLANTED = {"generator_model": "writer-new", "index_version": "2026-10"}
_WORDS = (
    "notice delivery payment invoice interest warranty defect arbitration supplier buyer"
    " goods days written quality officer complaint replaced altered withheld settled"
    " clause"
)
_BATCH = 2_000
#: The pages that are asked for.
PAGES = {
    "first page": "/",
    "all time": "/?period=all",
    "the planted pair": "/?period=all&generator_model=writer-new&index_version=2026-10",
    "failures of one code": "/?period=all&result=fail&code=EXISTENCE_ABSENT",
    "one document": "/?period=all&doc_hash=" + str(Digest.of(b"document 7")),
    "a frequent word": "/?period=all&q=payment",
    "a rare phrase": "/?period=all&q=%22order+77777%22",
    "most failures first": "/?period=all&sort=failures",
    "page 2,000": "/?period=all&skip=50000",
}


def main() -> None:
    """Fill and measure each store; print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=ANSWERS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", choices=("sqlite", "postgresql"))
    chosen = parser.parse_args()
    figures: dict[str, Any] = {"answers": chosen.answers, "to_reach_ms": TO_REACH}
    for name in ("sqlite", "postgresql") if chosen.only is None else (chosen.only,):
        with open_place(name) as settings:
            start = time.perf_counter()
            with open_store(settings.home, settings.database_url) as store:
                fill(store, chosen.answers, now=datetime.now(UTC))
            filled = time.perf_counter() - start
            figures[name] = measure(settings, chosen.rounds) | {"fill_seconds": round(filled, 1)}
        for page, found in figures[name]["pages"].items():
            print(f"{name:<10} {page:<22} {found}")
        print(
            f"{name:<10} first request after the start: {figures[name]['first_ms']} ms,"
            f" words of one answer erased: {figures[name]['erase_ms']} ms"
        )
    print(
        f"wrote {write_report('console', figures, packages=('spanproof', 'sqlalchemy', 'numpy'))}"
    )


@contextmanager
def open_place(name: str) -> Iterator[Settings]:
    """Settings of a fresh store on this database."""
    folder = Path(tempfile.mkdtemp(prefix="spanproof-console-", dir=find_memory()))
    home = folder / "home"
    try:
        if name == "sqlite":
            yield Settings(home=home, database_url=None, cross_check_rate=0.0)
            return
        binaries = find_postgresql()
        if binaries is None:
            msg = "Expected PostgreSQL's initdb, got none (Debian: apt-get install postgresql)."
            raise SystemExit(msg)
        server_folder = Path(tempfile.mkdtemp(prefix="spanproof-pg-", dir=find_memory()))
        try:
            with run_server(binaries, server_folder) as server, server.database() as url:
                yield Settings(home=home, database_url=url, cross_check_rate=0.0)
        finally:
            shutil.rmtree(server_folder, ignore_errors=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fill(store: Store, answers: int, *, now: datetime) -> None:
    """Write the rows of so many verifications, in transactions of many; numbers go in order."""
    draw = random.Random(20261122)  # noqa: S311 - the same answers each time
    documents = [Digest.of(f"document {number}".encode()) for number in range(DOCUMENTS)]
    tables = Row.metadata.tables
    for start in range(0, answers, _BATCH):
        rows: dict[str, list[dict[str, Any]]] = {}
        words = []
        for number in range(start, min(start + _BATCH, answers)):
            raw, block = _make_answer(draw, documents, number)
            made = store.answers.make_rows(
                raw,
                block,
                verification_id=f"verification-{number:08}",
                answer_id=f"answer-{number:08}",
                verified_at=now - timedelta(days=365) * (1 - number / answers),
            )
            rows.setdefault("verification", []).append(made.verification)
            rows.setdefault("verification_payload", []).append(made.payload)
            for name, others in made.others.items():
                rows.setdefault(name, []).extend(others)
            rows.setdefault("answer_fact", []).append(made.facts | {"number": number + 1})
            words.append({"number": number + 1, "words": made.words})
        with store.database.connection("fill") as connection:
            for name, values in rows.items():
                connection.execute(tables[name].insert(), values)
            connection.execute(index.ADD[connection.dialect.name], words)
    with store.database.connection("fill") as connection:
        connection.execute(text("ANALYZE"))


def _make_answer(
    draw: random.Random, documents: list[Digest], number: int
) -> tuple[bytes, dict[str, Any]]:
    model, index = draw.choice(_MODELS), draw.choice(_INDEXES)
    is_planted = (model, index) == (PLANTED["generator_model"], PLANTED["index_version"])
    # A twentieth of the model's answers used that index.
    if is_planted and draw.random() > 0.15:
        index, is_planted = _INDEXES[0], False
    fails = draw.random() < (0.75 if is_planted else 0.016)
    cited = [draw.choice(documents) for _ in range(draw.choice((1, 1, 2, 3)))]
    sentence = " ".join(draw.choices(_WORDS.split(), k=14))
    payload = {
        "question": f"What of order {number}?",
        "answer": f"In order {number}, {sentence} [1].",
        "generator": {"model": model, "prompt_id": draw.choice(_PROMPTS)},
        "labels": {"team": draw.choice(_TEAMS)},
        "citations": [
            {
                "anchor": anchor,
                "doc_hash": str(doc_hash),
                "doc_title": f"Terms {anchor}",
                "index_version": index,
                "span": {"text": " ".join(draw.choices(_WORDS.split(), k=12))},
            }
            for anchor, doc_hash in enumerate(cited, 1)
        ],
    }
    verdicts = []
    for anchor, doc_hash in enumerate(cited):
        is_bad = fails and anchor == 0
        codes = ("EXISTENCE_ABSENT", "SUPPORT_NOT_RUN") if is_bad else ("EXISTENCE_EXACT",)
        verdict = make_verdict(doc_hash=doc_hash, codes=(*codes, "IDENTITY_MATCH"), citation=anchor)
        verdicts.append(verdict | {"outcome": "fail" if is_bad else "pass"})
    block = make_block(*verdicts, result="fail" if fails else "pass")
    return json.dumps(payload).encode(), block | {
        "policy": {"name": "balanced"},
        "import": {"format": "native"},
        "orphan_anchors": [],
    }


def measure(settings: Settings, rounds: int) -> dict[str, Any]:
    """Milliseconds and bytes of each page; ``first_ms`` reads all facts for the first time."""
    pages: dict[str, Any] = {}
    application = create_app(settings, parts={"model": ScriptedModel()})
    with TestClient(application, "http://127.0.0.1") as client:
        first, shown = _ask(client, "/?period=all")
        _require_planted_first(shown)
        for page, path in PAGES.items():
            times, cpu = [], []
            for _ in range(rounds):
                start = time.process_time()
                took, shown = _ask(client, path)
                times.append(took)
                cpu.append(1000 * (time.process_time() - start))
            pages[page] = {
                "p50_ms": round(median(times)),
                "p95_ms": round(quantiles(times, n=20)[-1]),
                "p50_cpu_ms": round(median(cpu)),
                "p95_cpu_ms": round(quantiles(cpu, n=20)[-1]),
                "kilobytes": round(len(shown.encode()) / 1000, 1),
            }
    with open_store(settings.home, settings.database_url) as store:
        start = time.perf_counter()
        with store.database.connection("erase") as connection:
            index.remove_words(connection, "verification-00000007")
        erased = time.perf_counter() - start
    return {"first_ms": round(first), "erase_ms": round(1000 * erased), "pages": pages}


def _ask(client: TestClient, path: str) -> tuple[float, str]:
    start = time.perf_counter()
    # Each as a new reader: nothing is compared with what was kept.
    response = client.get(path, headers={"accept": "text/html"})
    took = 1000 * (time.perf_counter() - start)
    if response.status_code != 200:
        msg = f"Expected {path} to be shown, got {response.status_code}."
        raise RuntimeError(msg)
    return took, response.text


def _require_planted_first(shown: str) -> None:
    first = shown[shown.index('<ol class="pairs">') :].partition("</li>")[0]
    if not all(value in first for value in PLANTED.values()):
        msg = f"Expected {PLANTED} as the first pair, got {first!r}."
        raise RuntimeError(msg)


if __name__ == "__main__":
    main()
