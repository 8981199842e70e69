"""The long run: mutations of valid inputs at every parser, and how long the slowest took."""

from __future__ import annotations

import gc
import random
import time
from collections import Counter
from typing import TYPE_CHECKING

from tests.faults.fuzz.mutate import mutate
from tests.faults.fuzz.parsers import PARSERS
from tests.faults.report import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.faults.fuzz.parsers import Parser

#: Seconds of this process's own time that no input may take.
MOST_SECONDS = 0.1


def run(
    *, mutations: int, seed: int, parsers: Sequence[Parser] = PARSERS, share: float = 0.8
) -> list[Tally]:
    """So many mutations in all, of which the first parser (receipts, checked) gets its share."""
    others = max(1, len(parsers) - 1)
    tallies = []
    for number, parser in enumerate(parsers):
        part = share if number == 0 else (1 - share) / others
        count = round(mutations * part) if len(parsers) > 1 else mutations
        tallies.append(_try(parser, count, f"{seed} {parser.name}"))
    return tallies


def _try(parser: Parser, count: int, seed: str) -> Tally:
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    tally = Tally(name=f"fuzzing: {parser.name}")
    found: Counter[str] = Counter()
    slowest = 0.0
    for seed_input in parser.seeds:
        parser.read(seed_input)
    gc.collect()
    for _ in range(count):
        raw = mutate(rng.choice(parser.seeds), rng)
        begun = time.process_time()
        try:
            word = parser.read(raw)
            found[word if isinstance(word, str) else "accepted"] += 1
        except parser.refusals:
            found["refused"] += 1
        except BaseException as error:  # noqa: BLE001 - whatever gets out is what is looked for
            tally.violations.append(f"{type(error).__name__}: {error!s:.200}, for {raw[:300]!r}")
        slowest = max(slowest, time.process_time() - begun)
    tally.counts = {"inputs": count, **found, "ms the slowest": round(slowest * 1000)}
    tally.demand(slowest <= MOST_SECONDS, f"an input took {slowest * 1000:.0f} ms")
    return tally
