"""One ``verify`` of ten exact citations with offsets, mechanical part alone, over a 1 MB document.

``python -m bench.verification``: prints p50 and p95 in milliseconds and writes JSON. The model only
says NOT_RUN, the extraction is in memory, a fresh answer is parsed each time. With ``--data DIR``
also ten claims of labelled pairs, each citing its whole premise, on sentences and on passages: by
the rules alone (a model that calls everything entailed at no cost) and with the embedded model, in
CPU time.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import statistics
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

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
from spanproof.core.verdicts.model import Entailment, ModelIdentity
from spanproof.verifier.entailment import NullEntailment, load_model
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.ports import EntailmentModel

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


def make_claims(data: Path, rng: random.Random, words: range) -> list[tuple[str, str]]:
    """Premises of so many words with a claim each, from the rows of dev."""
    with gzip.open(data / "nli" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    fitting = [row for row in rows if len(row["premise"].split()) in words]
    return [(row["premise"], row["hypothesis"]) for row in rng.sample(fitting, len(fitting))]


class RulesAlone:
    """A model that calls everything entailed at no cost: what is left are the rules."""

    identity = ModelIdentity(
        name="bench",
        weights_digest=None,
        runtime="none",
        calibration="none",
        threshold=0.5,
        labels=("entailed", "neutral", "contradicted"),
    )

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Entailed, each of them."""
        return [
            Entailment(
                reason=None,
                p_entailment=0.9,
                p_neutral=0.08,
                p_contradiction=0.02,
                windows=1,
                coverage=1.0,
                evidence=Span(0, len(premise)),
                logits=(3.0, 1.0, 0.0),
            )
            for premise, _ in pairs
        ]

    def confirm(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """As before."""
        return self.judge(pairs)

    def close(self) -> None:
        """It holds nothing."""


def time_answers(
    pairs: Sequence[tuple[str, str]], model: EntailmentModel, rounds: int
) -> list[float]:
    """CPU milliseconds of answers of ten claims, each of which cites a document of its own."""
    policy = load_policy("balanced")
    premises = dict.fromkeys(premise for premise, _ in pairs)
    sources = {premise: make_extraction(premise) for premise in premises}
    library = Library(
        sources=tuple(Source(document=e.document, extractions=(e,)) for e in sources.values())
    )
    times = []
    for index in range(rounds):
        chosen = [pairs[(index * CITATIONS + nth) % len(pairs)] for nth in range(CITATIONS)]
        citations, prose = [], []
        for anchor, (premise, claim) in enumerate(chosen, start=1):
            span = {"text": premise, "char_start": 0, "char_end": len(premise)}
            doc_hash = str(sources[premise].document.doc_hash)
            citations.append({"anchor": anchor, "doc_hash": doc_hash, "span": span})
            prose.append(f"{claim.rstrip('. ')} [{anchor}].")
        raw = json.dumps({"answer": "\n\n".join(prose), "citations": citations}).encode()
        started = time.process_time()
        answer = parse_answer(raw).answer
        verify(answer, library, model, policy, verified_at=datetime.now(UTC))
        times.append(1000 * (time.process_time() - started))
    return sorted(times)


def time_judging(data: Path) -> dict[str, float]:
    """What ten claims cost with the rules that read premise and claim, and with the model."""
    figures: dict[str, float] = {}
    for name, words in (("sentences", range(10, 60)), ("passages", range(100, 300))):
        pairs = make_claims(data, random.Random(20261120), words)  # noqa: S311 - repeatable
        for who, model, rounds in (
            ("rules", RulesAlone(), 60),
            ("embedded", load_model(), 12),
        ):
            times = time_answers(pairs, model, rounds)
            p50, p95 = statistics.median(times), times[int(0.95 * len(times))]
            print(
                f"verify, {CITATIONS} claims on {name}, {who}: p50 {p50:.1f} ms, p95 {p95:.1f} ms"
            )
            figures |= {f"{who}_{name}_p50_ms": p50, f"{who}_{name}_p95_ms": p95}
    return figures


def main() -> None:
    """Time the rounds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="also judge claims of its nli/dev.jsonl.gz")
    chosen = parser.parse_args()
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
    figures = {"p50_ms": p50, "p95_ms": p95, "rounds": ROUNDS, "target_ms": 5.0}
    if chosen.data is not None:
        figures |= time_judging(chosen.data)
    write_report("verification", figures)


if __name__ == "__main__":
    main()
