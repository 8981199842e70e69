"""I14: the work of reading grows with the characters only."""

from __future__ import annotations

import gc
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from bench.invariants.finding import Finding, Violation
from bench.invariants.resave import repeat_pages
from spanproof.core.digest import Digest
from spanproof.core.documents.document import Document
from spanproof.core.errors import ExtractionError
from spanproof.ingest.media_type import PDF

if TYPE_CHECKING:
    from bench.invariants.reader import Reader
    from spanproof.ingest.limits import Limits

#: The same pages so many times over; the first is large enough to hide what opening costs.
TIMES = (10, 100)
#: How much longer a character may take in the longest document than in the shortest. Processors
#: shared with others make it 1.3 at times; work that grows with the square would make it 10.
MOST_GROWTH = 2.0
_ROUNDS = 3


def check_i14(
    data: bytes, engine: Reader, limits: Limits, *, times: tuple[int, ...] = TIMES
) -> Finding:
    """A document of ten times the pages takes ten times as long: time per character is bounded."""
    try:
        longer = [repeat_pages(data, count) for count in times]
        costs = [_nanoseconds(one, engine, limits) for one in longer]
    except ExtractionError as error:
        return Finding.skip("I14", "documents", error.message)
    counts = {f"ns a character, {n} times": round(c) for n, c in zip(times, costs, strict=True)}
    broken = []
    if costs[-1] > MOST_GROWTH * costs[0]:
        detail = f"{costs[0]:.0f} ns a character at {times[0]} times the pages, {costs[-1]:.0f} at"
        broken.append(Violation(invariant="I14", detail=f"{detail} {times[-1]} times"))
    return Finding.of("documents", len(times), broken, invariant="I14", counts=counts)


def _nanoseconds(data: bytes, engine: Reader, limits: Limits) -> float:
    """Processor time a character, the best of some rounds: what else runs is not our work."""
    document = Document(doc_hash=Digest.of(data), media_type=PDF, byte_length=len(data))
    wide = replace(limits, max_pages=1_000_000, max_bytes=1 << 40, max_characters=1 << 31)
    taken = []
    characters = 1
    for _ in range(_ROUNDS):
        gc.collect()
        start = time.process_time_ns()
        characters = max(1, len(engine.read(document, data, wide).text))
        taken.append(time.process_time_ns() - start)
    return min(taken) / characters
