"""What the mechanical half of a verification costs on extracted documents: no model, all the rest.

``python -m bench.mechanical --data DIR`` prints a table and writes bench/results/mechanical.json.
Documents are drawn with a fixed seed and extracted beforehand; their quotes are cut at true offsets
(5 to 60 words). In bulk: identity, existence, locator and cross-check of each citation, as
``verify`` does them. For one: a whole ``verify`` of an answer with one citation, from its bytes,
with a model that only says NOT_RUN. The naive loop, in the same rounds over the same citations, is
the code that people write first: ``str.find``, and difflib's ratio over a window for a quote that
it does not find. Alternating rounds, CPU time of one process; on a shared machine only ratios mean
much.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import statistics
import time
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.mutations.fuzz import draw_mutations
from bench.mutations.texts import draw_paths, load_extraction
from bench.report import write_report
from spanproof.core.citation import Answer, Citation, Quote
from spanproof.core.documents.document import Library, Source
from spanproof.verifier.entailment import NullEntailment
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.quotes.existence import AT_SPAN
from spanproof.verifier.quotes.locator import check_locator
from spanproof.verifier.span_check import check_span
from spanproof.verifier.verify import verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.core.documents.document import Extraction

SEED = 20261122
ROUNDS = 7
#: Characters about the place a quote's offsets name that difflib compares it with.
WINDOW = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A citation of one document at its true offsets."""

    extraction: Extraction
    citation: Citation


def draw_citations(folder: Path, documents: int, each: int) -> tuple[Library, list[Drawn]]:
    """So many documents, so many citations of each, in an order that the seed decides."""
    sources, drawn = [], []
    for path in draw_paths(folder, SEED):
        extraction = load_extraction(path)
        if extraction is None:
            continue
        sources.append(Source(document=extraction.document, extractions=(extraction,)))
        drawn += [
            Drawn(
                extraction=extraction,
                citation=Citation(
                    anchor=1,
                    doc_hash=extraction.document.doc_hash,
                    quote=Quote(text=found.quote, start=found.span.start, end=found.span.end),
                ),
            )
            for found in draw_mutations(extraction, f"{SEED}:{path.name}", each)
        ]
        if len(sources) == documents:
            break
    random.Random(SEED).shuffle(drawn)  # noqa: S311 - a repeatable order, no secret
    return Library(sources=tuple(sources)), drawn


def cpu_seconds(run: Callable[[], object]) -> float:
    """CPU time of one call: the machine may be shared."""
    started = time.process_time()
    run()
    return time.process_time() - started


def check_all(library: Library, drawn: list[Drawn], *, places: bool) -> None:
    """Identity, existence and cross-check of every citation; with ``places`` its place too."""
    answer = Answer(prose="", anchors=(), citations=tuple(one.citation for one in drawn))
    for citation in answer.citations:
        found = check_span(citation, answer, library, None)
        _expect(found.existence.status)
        if places:
            span = found.existence.span if found.existence.status in AT_SPAN else None
            check_locator(citation.locator, found.extraction, span)


def find_all(drawn: list[Drawn], *, compare: bool) -> None:
    """The naive loop: search the text; with ``compare`` difflib's ratio at the place as well."""
    for one in drawn:
        text, quote = one.extraction.text.text, _quote(one)
        place = text.find(quote.text)
        if place < 0:
            _expect("ABSENT")
        if compare:
            window = text[max(0, place - WINDOW // 2) : place + WINDOW // 2]
            difflib.SequenceMatcher(None, window, quote.text, autojunk=False).ratio()


def measure_bulk(library: Library, drawn: list[Drawn], rounds: int) -> dict[str, Any]:
    """Citations a second of CPU, by way, and the ratio to the naive loop of the same round."""
    # difflib takes milliseconds a quote, so it gets a share of them.
    few = drawn[::100]
    ways: dict[str, tuple[Callable[[], None], int]] = {
        "identity, existence, cross-check": (
            lambda: check_all(library, drawn, places=False),
            len(drawn),
        ),
        "the same and the place on the page": (
            lambda: check_all(library, drawn, places=True),
            len(drawn),
        ),
        "str.find": (lambda: find_all(drawn, compare=False), len(drawn)),
        "str.find and difflib": (lambda: find_all(few, compare=True), len(few)),
    }
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, (run, count) in ways.items():
            rates[name].append(count / cpu_seconds(run))
    return {name: _spread(values, rates) for name, values in rates.items()}


def _expect(status: str) -> None:
    if status != "EXACT":
        msg = f"Expected EXACT, got {status}."
        raise SystemExit(msg)


def _spread(values: list[float], rates: dict[str, list[float]]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "citations_a_second": round(statistics.median(values)),
        "lowest": round(min(values)),
        "highest": round(max(values)),
    }
    for base in ("str.find", "str.find and difflib"):
        ratios = [mine / theirs for mine, theirs in zip(values, rates[base], strict=True)]
        row[f"times {base}"] = round(statistics.median(ratios), 2)
    return row


def measure_one(library: Library, drawn: list[Drawn], count: int) -> dict[str, Any]:
    """Milliseconds of CPU of one ``verify`` with one citation, from the answer's bytes."""
    policy = load_policy("balanced")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = NullEntailment("bench")
    times = []
    for one in drawn[:count]:
        raw = _to_bytes(one)
        source = library.find(one.extraction.document.doc_hash)
        assert source is not None  # noqa: S101 - it was drawn from there
        only = Library(sources=(source,))
        started = time.process_time()
        parsed = parse_answer(raw)
        block = verify(parsed.answer, only, model, policy, verified_at=datetime.now(UTC))
        times.append(1000 * (time.process_time() - started))
        (verdict,) = block.verdicts
        _expect(verdict.existence.status)
    times.sort()
    return {
        "verifications": len(times),
        "p50_ms": round(statistics.median(times), 3),
        "p95_ms": round(times[int(0.95 * len(times))], 3),
    }


def _quote(one: Drawn) -> Quote:
    quote = one.citation.quote
    assert quote is not None  # noqa: S101 - every drawn citation has one
    return quote


def _to_bytes(one: Drawn) -> bytes:
    quote = _quote(one)
    citation = {
        "anchor": 1,
        "doc_hash": str(one.extraction.document.doc_hash),
        "span": {"text": quote.text, "char_start": quote.start, "char_end": quote.end},
    }
    return json.dumps({"answer": "The document says so [1].", "citations": [citation]}).encode()


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.mechanical")
    parser.add_argument("--data", default=os.environ.get("SPANPROOF_TEST_DATA"))
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--each", type=int, default=250, help="citations of a document")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args(arguments)
    if options.data is None:
        print("Expected a folder of documents. Give --data DIR or set SPANPROOF_TEST_DATA.")
        return 2
    library, drawn = draw_citations(
        Path(options.data) / "documents", options.documents, options.each
    )
    bulk = measure_bulk(library, drawn, options.rounds)
    one = measure_one(library, drawn, min(500, len(drawn)))
    print(f"{len(drawn):,} citations of {len(library.sources)} documents, one process, CPU time")
    print("| way | citations a second | × str.find | × str.find and difflib |")
    print("|---|---|---|---|")
    for name, row in bulk.items():
        print(
            f"| {name} | {row['citations_a_second']:,} ({row['lowest']:,} to {row['highest']:,}) "
            f"| {row['times str.find']:.2f} | {row['times str.find and difflib']:.1f} |"
        )
    print(f"one verify of one citation: p50 {one['p50_ms']} ms, p95 {one['p95_ms']} ms of CPU")
    figures = {"seed": SEED, "documents": len(library.sources), "citations": len(drawn)}
    write_report("mechanical", figures | {"rounds": options.rounds, "bulk": bulk, "one": one})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
