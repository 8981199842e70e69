"""Span checks: what the mechanical part costs, against str.find and difflib in the same run.

``python -m bench.span_checks`` prints two tables and writes bench/results/span_checks.json. The
text is made here (about 1 MB, a fixed seed). Alternating rounds, CPU time, median and range.
"""

from __future__ import annotations

import difflib
import random
import statistics
import time
from typing import TYPE_CHECKING, Any

from bench.report import write_report
from spanproof.core.citation import Quote
from spanproof.core.digest import Digest
from spanproof.core.documents.document import CharacterCounts, Document, Extraction, Page, Pipeline
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.verifier.quotes.existence import check_existence

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 1_000_000
QUOTE = 200
CITATIONS = 2_000
ROUNDS = 7
#: difflib takes seconds a quote on this text, so it is timed on a window of it only.
DIFFLIB_WINDOW = 2_000


def make_text(seed: int = 7) -> str:
    """About 1 MB of sentences over a Zipf-like vocabulary, with the commonest English words."""
    rng = random.Random(seed)  # noqa: S311 - the same text every time
    common = ["the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "was", "not"]
    rare = [
        "".join(rng.choices("abcdefghiklmnoprstuvw", k=rng.randint(3, 10))) for _ in range(9000)
    ]
    words: list[str] = []
    size = 0
    while size < SIZE:
        word = rng.choice(common) if rng.random() < 0.4 else rng.choice(rare)
        word += ".\n" if rng.random() < 0.02 else ". " if rng.random() < 0.05 else " "
        words.append(word)
        size += len(word)
    return "".join(words)[:SIZE]


def make_extraction(text: str) -> Extraction:
    """An extraction of one page without layout."""
    content = text.encode()
    page = Page(
        number=1,
        label=None,
        span=Span(0, len(text)),
        frame=None,
        text_source="born_digital",
        counts=CharacterCounts(characters=len(text)),
    )
    document = Document(
        doc_hash=Digest.of(content), media_type="text/plain", byte_length=len(content)
    )
    return Extraction(
        document=document,
        pipeline=Pipeline(name="bench@1", config_json="{}"),
        text=CanonicalText.of(text),
        pages=(page,),
        layout=None,
    )


def make_quotes(text: str) -> dict[str, Quote]:
    """One quote of 200 characters for each rung of the ladder."""
    rng = random.Random(11)  # noqa: S311 - the same quotes every time
    at = 600_000
    cut = text[at : at + QUOTE]
    words = cut.split()
    altered = " ".join([*words[:8], "seventeen", *words[9:]])
    foreign = " ".join(
        "".join(rng.choices("abcdefghiklmnoprstuvw", k=7)) for _ in range(QUOTE // 8)
    )
    pieces = " ".join(text[100_000:100_100].split()[1:-1] + text[800_000:800_100].split()[1:-1])
    spaced = cut.replace(" ", "  ", 1)
    return {
        "EXACT": Quote(text=cut, start=at, end=at + QUOTE),
        "FOLD_EQUAL": Quote(text=spaced, start=at, end=at + QUOTE),
        "MOVED": Quote(text=cut, start=at + 9, end=at + QUOTE + 9),
        "STITCHED": Quote(text=pieces, start=0, end=len(pieces)),
        "ALTERED": Quote(text=altered, start=at, end=at + QUOTE),
        "ABSENT": Quote(text=foreign, start=0, end=len(foreign)),
    }


def cpu_seconds(run: Callable[[], object]) -> float:
    """CPU time of one call: the machine may be shared."""
    started = time.process_time()
    run()
    return time.process_time() - started


def measure_bulk(extraction: Extraction) -> dict[str, Any]:
    """Citations a second, exact with offsets, against a search and a ratio for each quote."""
    rng = random.Random(3)  # noqa: S311 - the same places every time
    text = extraction.text.text
    starts = [rng.randrange(len(text) - QUOTE) for _ in range(CITATIONS)]
    quotes = [Quote(text=text[s : s + QUOTE], start=s, end=s + QUOTE) for s in starts]

    def ours() -> None:
        for quote in quotes:
            check_existence(quote, extraction, ())

    def find_all() -> None:
        for quote in quotes:
            text.find(quote.text)

    def find_and_compare() -> None:
        for quote in quotes[:100]:
            place = text.find(quote.text)
            window = text[place : place + DIFFLIB_WINDOW]
            difflib.SequenceMatcher(None, window, quote.text, autojunk=False).find_longest_match()

    rates: dict[str, list[float]] = {"check_existence": [], "str.find": [], "find + difflib": []}
    for _ in range(ROUNDS):
        rates["check_existence"].append(CITATIONS / cpu_seconds(ours))
        rates["str.find"].append(CITATIONS / cpu_seconds(find_all))
        rates["find + difflib"].append(100 / cpu_seconds(find_and_compare))
    return {
        name: {
            "citations_per_second": round(statistics.median(values)),
            "lowest": round(min(values)),
            "highest": round(max(values)),
        }
        for name, values in rates.items()
    }


def measure_rungs(text: str) -> dict[str, Any]:
    """Milliseconds of the ladder down to each rung, the first time and with the views built."""
    quotes = make_quotes(text)
    cold: dict[str, list[float]] = {name: [] for name in quotes}
    warm: dict[str, list[float]] = {name: [] for name in quotes}
    for _ in range(ROUNDS):
        for name, quote in quotes.items():
            extraction = make_extraction(text)
            status = check_existence(quote, extraction, ())[0].status.value
            if status != name:
                msg = f"Expected {name}, got {status}."
                raise SystemExit(msg)
            fresh = make_extraction(text)
            cold[name].append(
                cpu_seconds(lambda q=quote, e=fresh: check_existence(q, e, ()))  # type: ignore[misc]
            )
            warm[name].append(
                cpu_seconds(lambda q=quote, e=fresh: check_existence(q, e, ()))  # type: ignore[misc]
            )
    return {
        name: {
            "first_ms": round(1000 * statistics.median(cold[name]), 3),
            "first_highest_ms": round(1000 * max(cold[name]), 3),
            "again_ms": round(1000 * statistics.median(warm[name]), 3),
        }
        for name in quotes
    }


def main() -> None:
    """Measure, print, write."""
    text = make_text()
    extraction = make_extraction(text)
    bulk = measure_bulk(extraction)
    rungs = measure_rungs(text)
    base = bulk["find + difflib"]["citations_per_second"]
    print(f"{CITATIONS} citations of {QUOTE} characters, {SIZE} characters of text, one core")
    for name, row in bulk.items():
        rate = row["citations_per_second"]
        print(f"  {name:16} {rate:>10,} /s  ({row['lowest']:,}..{row['highest']:,})"
              f"  {rate / base:8.1f}x")  # fmt: skip
    print("the ladder down to each rung (ms of CPU)")
    for name, row in rungs.items():
        print(f"  {name:12} first {row['first_ms']:8.3f}  again {row['again_ms']:8.3f}")
    write_report(
        "span_checks",
        {
            "characters": SIZE,
            "quote_characters": QUOTE,
            "citations": CITATIONS,
            "rounds": ROUNDS,
            "bulk": bulk,
            "ladder": rungs,
        },
    )


if __name__ == "__main__":
    main()
