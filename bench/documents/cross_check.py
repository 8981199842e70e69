"""Two engines on the same real PDFs: how often they agree on random spans, and on whole documents.

``python -m bench.documents.cross_check`` prints the figures of docs/explanation/cross-check.md and
writes bench/results/cross_check.json. It needs SPANPROOF_TEST_DATA. Every document is read in the
cage by both engines; spans are 40 to 300 characters, ten a document, from a fixed seed.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.report import write_report
from spanproof.core.errors import SpanproofError
from spanproof.core.span import Span
from spanproof.ingest.cross_check import MOST_MOVED, check_span, compare
from spanproof.ingest.cross_check.check import pair_pages
from spanproof.ingest.limits import Limits
from spanproof.ingest.sandbox import Parser

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

DOCUMENTS = 200
SPANS = 10
SHORTEST, LONGEST = 40, 300
#: Enough for all but the largest of the files; a benchmark should end.
LIMITS = Limits(seconds=30.0)


def choose_files(folder: Path) -> list[Path]:
    """The same sample every time."""
    files = sorted(folder.rglob("*.pdf"))
    return sorted(random.Random(11).sample(files, min(DOCUMENTS, len(files))))  # noqa: S311


def choose_spans(extraction: Extraction, rng: random.Random) -> list[Span]:
    """Random spans with at least 20 characters that are no white space."""
    length = len(extraction.text)
    if length < 2 * SHORTEST:
        return []
    spans = []
    for _ in range(SPANS):
        start = rng.randrange(length - SHORTEST)
        span = Span(start, min(length, start + rng.randint(SHORTEST, LONGEST)))
        if len("".join(extraction.text.slice(span).split())) >= SHORTEST // 2:
            spans.append(span)
    return spans


def count_origins(extraction: Extraction, other: Extraction) -> tuple[int, int]:
    """Mapped glyphs of the document, and those with one of the other engine at their origin."""
    glyphs = met = 0
    for _, pair in pair_pages(extraction, other, Span(0, len(extraction.text))):
        ours = pair.ours
        counted = ours.compared & ours.first & ours.boxed & ~pair.is_unread
        glyphs += int(counted.sum())
        met += int((counted & pair.is_met).sum())
    return glyphs, met


def measure(folder: Path) -> dict[str, Any]:
    """Results of the spans, by text source and reason, and of the whole documents."""
    spans: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    characters = agreeing = documents = clean = glyphs = met = 0
    refused: Counter[str] = Counter()
    rng = random.Random(5)  # noqa: S311 - the same spans every time
    with Parser(LIMITS) as first, Parser(LIMITS, engine="pdfium") as second:
        for path in choose_files(folder):
            data = path.read_bytes()
            try:
                extraction = first.extract(data, filename=path.name)
                other = second.extract(data, filename=path.name)
            except SpanproofError as error:
                refused[error.code] += 1
                continue
            whole = compare(extraction, other)
            documents += 1
            characters += whole.characters
            agreeing += whole.agreeing
            clean += not whole.disagreements
            counts = count_origins(extraction, other)
            glyphs, met = glyphs + counts[0], met + counts[1]
            for span in choose_spans(extraction, rng):
                reading = check_span(extraction, span, other)
                spans[reading.status] += 1
                source = extraction.page_at(span.start).text_source
                sources[f"{source} {reading.status}"] += 1
                if reading.status == "DISAGREES":
                    causes["place" if (reading.moved or 0) > MOST_MOVED else "words alone"] += 1
                elif reading.status == "NOT_RUN":
                    reasons[str(reading.reason)] += 1
    asked = spans["AGREES"] + spans["DISAGREES"]
    return {
        "documents": documents,
        "refused": dict(refused),
        "spans": dict(spans),
        "share_of_spans_agreeing": round(spans["AGREES"] / asked, 4) if asked else None,
        "by_text_source": dict(sorted(sources.items())),
        "disagreements": dict(causes),
        "not_run": dict(reasons),
        "documents_without_disagreement": clean,
        "characters": characters,
        "glyphs": glyphs,
        "share_of_glyphs_at_the_same_origin": round(met / glyphs, 4) if glyphs else None,
        "share_of_characters_agreeing": round(agreeing / characters, 4) if characters else None,
    }


def main() -> None:
    """Measure and print."""
    named = os.environ.get("SPANPROOF_TEST_DATA")
    if not named:
        sys.exit("SPANPROOF_TEST_DATA is not set: it names a folder with documents/")
    figures = measure(Path(named) / "documents" / "pdf")
    for name, value in figures.items():
        print(f"{name}: {value}")
    print(write_report("cross_check", figures))


if __name__ == "__main__":
    main()
