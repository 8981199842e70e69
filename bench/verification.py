"""One ``verify`` of ten exact citations with offsets, mechanical part alone, over a 1 MB document.

``python -m bench.verification``: prints p50 and p95 in milliseconds and writes JSON. The model only
says NOT_RUN, the extraction is in memory, a fresh answer is parsed each time.
"""

from __future__ import annotations

import json
import random
import statistics
import time
import warnings
from datetime import UTC, datetime

from bench.report import write_report
from spanproof.core.digest import Digest
from spanproof.core.documents.document import (
    CharacterCounts,
    Document,
    Extraction,
    Library,
    Page,
    Pipeline,
    Source,
)
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.verifier.entailment import NullEntailment
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify

CHARACTERS = 1_000_000
CITATIONS = 10
ROUNDS = 200
WORDS = ("supplier", "shall", "deliver", "goods", "within", "four", "business", "days", "after")


def make_document(rng: random.Random) -> Extraction:
    """A megabyte of sentences, each with its own number, so that every quote is unique."""
    sentences: list[str] = []
    size = 0
    while size < CHARACTERS:
        words = rng.choices(WORDS, k=14)
        sentence = f"Clause {len(sentences)} says {' '.join(words)}."
        sentences.append(sentence)
        size += len(sentence) + 1
    return make_extraction("\n".join(sentences))


def make_extraction(text: str) -> Extraction:
    """An extraction of plain text: one page, no layout."""
    content = text.encode()
    return Extraction(
        document=Document(
            doc_hash=Digest.of(content), media_type="text/plain", byte_length=len(content)
        ),
        pipeline=Pipeline(name="bench@1", config_json="{}"),
        text=CanonicalText.of(text),
        pages=(
            Page(
                number=1,
                label=None,
                span=Span(0, len(text)),
                frame=None,
                text_source="born_digital",
                counts=CharacterCounts(characters=len(text)),
            ),
        ),
        layout=None,
    )


def make_answer(extraction: Extraction, rng: random.Random) -> bytes:
    """Ten sentences, each citing one sentence of the document at its true offsets."""
    text = extraction.text.text
    citations, prose = [], []
    for anchor in range(1, CITATIONS + 1):
        start = text.index("Clause", rng.randrange(CHARACTERS - 1000))
        end = text.index("\n", start)
        prose.append(f"The document says {anchor} [{anchor}].")
        citations.append(
            {
                "anchor": anchor,
                "doc_hash": str(extraction.document.doc_hash),
                "span": {"text": text[start:end], "char_start": start, "char_end": end},
            }
        )
    return json.dumps({"answer": " ".join(prose), "citations": citations}).encode()


def main() -> None:
    """Time the rounds and print the table."""
    rng = random.Random(20261120)  # noqa: S311 - a repeatable document, no secret
    extraction = make_document(rng)
    library = Library(sources=(Source(document=extraction.document, extractions=(extraction,)),))
    policy = load_policy("balanced")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = NullEntailment("bench")
    times: list[float] = []
    for _ in range(ROUNDS):
        raw = make_answer(extraction, rng)
        started = time.perf_counter()
        parsed = parse_answer(raw)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            block = verify(parsed.answer, library, model, policy, verified_at=datetime.now(UTC))
        times.append(1000 * (time.perf_counter() - started))
        statuses = {verdict.existence.status.value for verdict in block.verdicts}
        if statuses != {"EXACT"} or len(block.verdicts) != CITATIONS:
            raise SystemExit(f"Expected {CITATIONS} EXACT verdicts, got {statuses}.")
    times.sort()
    p50, p95 = statistics.median(times), times[int(0.95 * len(times))]
    print(
        f"verify, {CITATIONS} exact citations, 1 MB, mechanical: p50 {p50:.2f} ms, p95 {p95:.2f} ms"
    )
    write_report("verification", {"p50_ms": p50, "p95_ms": p95, "rounds": ROUNDS, "target_ms": 5.0})


if __name__ == "__main__":
    main()
