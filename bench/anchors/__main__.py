"""What is accepted, and is it true: ``python -m bench.anchors [--rounds 40]``.

Each round changes a text of 120 clauses in one way and asks for every clause. A false accept is a
place that is accepted and is not the clause's. Beside it a fuzzy quote as annotation tools use it:
the most similar window by ``difflib``, accepted from a ratio of 0.8. Then 1,000 spans are looked
for in a megabyte, most of them unchanged, some altered.
"""

from __future__ import annotations

import argparse
import difflib
import json
import random
import time
from pathlib import Path

from bench.anchors.mutations import KINDS, Clauses, Mutated, mutate
from spanproof.core.digest import Digest
from spanproof.core.documents.document import CharacterCounts, Document, Extraction, Page, Pipeline
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.verifier.quotes.reanchor import reanchor

_CLAUSES, _ACCEPTED_RATIO = 120, 0.8
#: Clauses of one changed text that the slow baseline is asked for.
_SAMPLED = 4


def to_extraction(text: str) -> Extraction:
    """A plain text as the store has it."""
    content = text.encode("utf-8")
    page = Page(
        number=1,
        label=None,
        span=Span(0, len(text)),
        frame=None,
        text_source="born_digital",
        counts=CharacterCounts(characters=len(text)),
    )
    return Extraction(
        document=Document(
            doc_hash=Digest.of(content), media_type="text/plain", byte_length=len(content)
        ),
        pipeline=Pipeline(name="plain@1", config_json='{"name":"plain@1"}'),
        text=CanonicalText.of(text),
        pages=(page,),
        layout=None,
    )


def find_fuzzily(quote: str, text: str) -> Span | None:
    """The paragraph most like the quote, accepted from a ratio of 0.8; None below."""
    best, place, at = _ACCEPTED_RATIO, None, 0
    for paragraph in text.split("\n\n"):
        ratio = difflib.SequenceMatcher(None, quote, paragraph, autojunk=False).ratio()
        if ratio > best:
            best, place = ratio, Span(at, at + len(paragraph))
        at += len(paragraph) + 2
    return place


def count(kind: str, rounds: int, seed: int) -> dict[str, float | int | str]:
    """Accepts, false ones and recall over the rounds of one kind of change."""
    rng = random.Random(f"{seed} {kind}")  # noqa: S311 - drawn examples
    figures = dict.fromkeys(("asked", "true", "false", "fuzzy_asked", "fuzzy_false"), 0)
    for number in range(rounds):
        clauses = Clauses.draw(_CLAUSES, seed + number)
        mutated = mutate(clauses, kind, rng)
        source, target = to_extraction(clauses.text), to_extraction(mutated.text)
        for clause, truth in mutated.truth.items():
            found = reanchor(source, clauses.spans[clause], target)
            figures["asked"] += truth is not None
            if found.is_accepted:
                figures["true" if found.span == truth else "false"] += 1
        for clause in _choose(mutated, rng):
            span = clauses.spans[clause]
            place = find_fuzzily(clauses.text[span.start : span.end], mutated.text)
            figures["fuzzy_asked"] += 1
            figures["fuzzy_false"] += place is not None and place != mutated.truth[clause]
    return {"kind": kind, **figures, "recall": figures["true"] / max(figures["asked"], 1)}


def _choose(mutated: Mutated, rng: random.Random) -> list[int]:
    """The clauses that were changed or lost, and some others."""
    gone = [clause for clause, truth in mutated.truth.items() if truth is None]
    return gone + rng.sample(sorted(mutated.truth), _SAMPLED - len(gone))


def measure_time(seed: int) -> tuple[int, float, int]:
    """Characters of text, CPU seconds for 1,000 spans, and how many were accepted."""
    clauses = Clauses.draw(8_000, seed)
    rng = random.Random(seed)  # noqa: S311 - drawn examples
    chosen = rng.sample(range(len(clauses.spans)), 1000)
    changed = clauses.text
    # One in twenty of the spans has another number now.
    for clause in chosen[::20]:
        span = clauses.spans[clause]
        changed = (
            changed[: span.start]
            + clauses.text[span.start : span.end].replace(" days ", " DAYS ")
            + changed[span.end :]
        )
    source, target = to_extraction(clauses.text), to_extraction("New heading.\n\n" + changed)
    started = time.process_time()
    accepted = sum(reanchor(source, clauses.spans[each], target).is_accepted for each in chosen)
    return len(changed), time.process_time() - started, accepted


def main() -> None:
    """Count, measure, print the table, write JSON where a path is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    rows = []
    print(f"{arguments.rounds} texts of {_CLAUSES} clauses a kind, seed {arguments.seed}")
    for kind in KINDS:
        row = count(kind, arguments.rounds, arguments.seed)
        rows.append(row)
        print(
            f"{kind:30} asked {row['asked']:5}  recall {row['recall']:.4f}  false {row['false']}"
            f"  | fuzzy quote: {row['fuzzy_false']} false of {row['fuzzy_asked']}",
            flush=True,
        )
    characters, seconds, accepted = measure_time(arguments.seed)
    print(f"1,000 spans in {characters:,} characters: {seconds:.2f} CPU s, {accepted} accepted")
    if arguments.output is not None:
        figures = {"kinds": rows, "characters": characters, "seconds": seconds}
        arguments.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
