"""The fuzzer: true quotes, one protected token changed, judged with true, wrong and no offsets.

A false accept is a mutated quote that the ladder calls EXACT, FOLD_EQUAL, EDITORIAL or MOVED,
unless the mutated words truly stand in the text: verbatim (``str.find``), or but for the length and
kind of its white space. Those are counted apart, and what was accepted must be just that text.
"""

from __future__ import annotations

import bisect
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bench.mutations.mutators import MUTATORS
from spanproof.core.citation import Quote
from spanproof.core.span import Span
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.language.protected import find_protected
from spanproof.verifier.quotes.existence import check_existence, check_places

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.verifier.language.protected import ProtectedToken

ACCEPTED = frozenset(
    {
        ExistenceStatus.EXACT,
        ExistenceStatus.FOLD_EQUAL,
        ExistenceStatus.EDITORIAL,
        ExistenceStatus.MOVED,
    }
)
OFFSETS = ("true", "wrong", "none")
LEAST_WORDS, MOST_WORDS = 5, 60
#: One mutation in so many may be at the very edge of its quote.
_EDGE_SHARE = 10
#: Draws for each wanted mutation: a draw may yield none.
_PATIENCE = 20
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A quote of a text at its true span, and the same with one token changed."""

    kind: str
    quote: str
    mutated: str
    span: Span


@dataclass(slots=True)
class Tally:
    """Counts of the mutations of one kind."""

    mutations: int = 0
    stands_verbatim: int = 0
    stands_spaced: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    altered: int = 0
    named: int = 0
    false_accepts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseAccept:
    """An accepted lie, with all that is needed to reproduce it."""

    document: str
    kind: str
    offsets: str
    status: str
    folds: tuple[str, ...]
    quote: str
    mutated: str
    source: str


def draw_mutations(extraction: Extraction, seed: str, count: int) -> Iterator[Mutation]:
    """So many mutations of one document's quotes, kinds in turn; fewer if it has too few tokens."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    text = extraction.text.text
    words = [match.span() for match in _WORD.finditer(text)]
    tokens: dict[str, list[ProtectedToken]] = {}
    for found in find_protected(text):
        tokens.setdefault(found.kind, []).append(found)
    kinds = [kind for kind, (wanted, _) in MUTATORS.items() if wanted & tokens.keys()]
    if not kinds or len(words) < LEAST_WORDS:
        return
    starts = [start for start, _ in words]
    drawn = 0
    for turn in range(_PATIENCE * count):
        kind = kinds[turn % len(kinds)]
        wanted, mutate = MUTATORS[kind]
        pool = tokens[rng.choice(sorted(wanted & tokens.keys()))]
        token = rng.choice(pool).span
        span = _draw_quote(rng, words, starts, token)
        if span is None:
            continue
        quote = text[span.start : span.end]
        mutated = mutate(rng, quote, token.shift(-span.start))
        if mutated is None or mutated.split() == quote.split():
            continue
        yield Mutation(kind=kind, quote=quote, mutated=mutated, span=span)
        drawn += 1
        if drawn == count:
            return


def _draw_quote(
    rng: random.Random, words: Sequence[tuple[int, int]], starts: Sequence[int], token: Span
) -> Span | None:
    """Five to sixty whole words about a token; mostly with a word before and one behind it."""
    first = bisect.bisect_right(starts, token.start) - 1
    last = bisect.bisect_left(starts, token.end) - 1
    size = rng.randint(LEAST_WORDS, MOST_WORDS)
    margin = 0 if rng.randrange(_EDGE_SHARE) == 0 else 1
    low = max(0, last + 1 + margin - size)
    high = min(first - margin, len(words) - size)
    if first < 0 or high < low:
        return None
    start = rng.randint(low, high)
    span = Span(words[start][0], words[start + size - 1][1])
    return span if span.contains(token) else None


class Fuzzer:
    """Runs the mutations of one document after the other and keeps count.

    Every mutation meets the rungs that can accept it (``check_places``, the first part of
    ``check_existence``); one in ``whole_every`` goes down the whole ladder.
    """

    def __init__(self, seed: int, *, whole_every: int = 1) -> None:
        self.seed = seed
        self.whole_every = whole_every
        self.tallies: dict[str, Tally] = {kind: Tally() for kind in MUTATORS}
        self.false_accepts: list[FalseAccept] = []

    @property
    def mutations(self) -> int:
        """How many were judged, each with true, wrong and no offsets."""
        return sum(tally.mutations for tally in self.tallies.values())

    def run(self, extraction: Extraction, count: int) -> list[Mutation]:
        """Judge so many mutations of one document; return those whose words it does not contain."""
        name = str(extraction.document.doc_hash)
        text = extraction.text.text
        spaced = " ".join(text.split())
        rng = random.Random(f"{self.seed}:offsets:{name}")  # noqa: S311 - repeatable, no secret
        lies = []
        for mutation in draw_mutations(extraction, f"{self.seed}:{name}", count):
            tally = self.tallies[mutation.kind]
            tally.mutations += 1
            # This order is the faster one: most matches are verbatim.
            verbatim = text.find(mutation.mutated) >= 0
            stands = verbatim or " ".join(mutation.mutated.split()) in spaced
            tally.stands_verbatim += verbatim
            tally.stands_spaced += stands and not verbatim
            if not stands:
                lies.append(mutation)
            whole = self.mutations % self.whole_every == 0
            for offsets in OFFSETS:
                quote = _to_quote(mutation, offsets, rng, len(text))
                if whole:
                    existence = check_existence(quote, extraction, ())[0]
                    tally.statuses[existence.status.value] += 1
                else:
                    found = check_places(quote, extraction)
                    if found is None:
                        continue
                    existence = found
                if existence.difference is not None:
                    tally.altered += 1
                    tally.named += any(edit.protected for edit in existence.difference.edits)
                if existence.status not in ACCEPTED or existence.span is None:
                    continue
                source = extraction.text.slice(existence.span)
                if stands and source.split() == mutation.mutated.split():
                    continue
                tally.false_accepts += 1
                self.false_accepts.append(
                    FalseAccept(
                        document=name,
                        kind=mutation.kind,
                        offsets=offsets,
                        status=existence.status.value,
                        folds=existence.folds,
                        quote=mutation.quote,
                        mutated=mutation.mutated,
                        source=source,
                    )
                )
        return lies


def _to_quote(mutation: Mutation, offsets: str, rng: random.Random, length: int) -> Quote:
    if offsets == "none":
        return Quote(text=mutation.mutated)
    start, end = mutation.span.start, mutation.span.end
    if offsets == "wrong":
        # Near, as after an edit further up, or anywhere.
        near = rng.random() < 0.5
        start = start + rng.choice([-40, -3, -1, 1, 2, 17]) if near else rng.randrange(length)
        start = min(max(start, 0), length)
        end = start + len(mutation.mutated)
    return Quote(text=mutation.mutated, start=start, end=end)
