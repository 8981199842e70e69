"""How the slot layer fares on one-slot mutations and format changes: ``python -m training.slots``.

Every entailed row of a labelled file is changed by the rules of ``mutations`` and ``reformats``.
The combined check is the model at its threshold, no veto and no likely doubt. A mutated claim that
it calls ENTAILED is a miss; a claim that was ENTAILED and is not after a format change is a loss.
Without ``--model`` only vetoes and doubts are counted, in seconds. ``--policy`` counts what that
policy calls ENTAILED: its threshold, and the doubts that it asks for.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spanproof.verifier.policies import NAMES, load_policy
from spanproof.verifier.scope.doubts import doubt_scope
from spanproof.verifier.slots import compare_slots, doubt_slots
from training.evaluation.metrics import half_of
from training.pairs import LABEL_IDS, read_pairs
from training.variants.mutations import mutate
from training.variants.reformats import reformat

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanproof.core.verdicts.policy import Policy, ReviewLevel
    from training.pairs import Pair
    from training.variants.mutations import Mutation

#: A format change that fits every claim (a doubled space) needs no more rows than this.
MAX_FORMAT_ROWS = 150
_CHUNK = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """One changed claim and the pair that it was made from."""

    pair: Pair
    kind: str
    claim: str
    original: str
    new: str
    half: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts of one kind: changed rows, vetoed rows, and the verdicts of the combined check."""

    rows: int
    vetoed: int
    called: int
    rows_of_entailed: int
    called_of_entailed: int


def change_rows(pairs: Sequence[Pair]) -> tuple[list[Changed], list[Changed]]:
    """Mutations and format changes of the entailed rows; the same file gives the same ones."""
    mutated: list[Changed] = []
    formats: dict[str, list[Changed]] = defaultdict(list)
    for pair in sorted(pairs, key=_order):
        if pair.label != LABEL_IDS["entailment"]:
            continue
        made = mutate(pair.premise, pair.hypothesis, random.Random(_order(pair)))
        mutated.extend(_to_changed(pair, mutation) for mutation in made)
        for change in reformat(pair.hypothesis, random.Random(_order(pair))):
            if len(formats[change.kind]) < MAX_FORMAT_ROWS:
                formats[change.kind].append(_to_changed(pair, change))
    return mutated, [row for rows in formats.values() for row in rows]


def _to_changed(pair: Pair, change: Mutation) -> Changed:
    return Changed(
        pair=pair,
        kind=change.kind,
        claim=change.text,
        original=change.original,
        new=change.changed,
        half=half_of(pair.doc),
    )


def _order(pair: Pair) -> str:
    return hashlib.sha256(f"{pair.premise}\0{pair.hypothesis}".encode()).hexdigest()


class Readings:
    """p_entailment of pairs, read once by a model and appended to a file; a run resumes."""

    def __init__(self, model: Path, cache: Path, policy: Policy | None = None) -> None:
        from spanproof.verifier.entailment.loading import load_model

        self._model = load_model(model)
        self._cache = cache
        identity = self._model.identity
        self.threshold = identity.threshold or 0.5
        if policy is not None:
            entailed_from = policy.support_edges(identity).entailed_from
            self.threshold = 2.0 if entailed_from is None else entailed_from
        self._version = repr(identity)
        self._known: dict[str, float] = {}
        if cache.is_file():
            with cache.open(encoding="utf-8") as lines:
                for line in lines:
                    version, key, value = json.loads(line)
                    if version == self._version:
                        self._known[key] = value

    def read(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Run the model on the pairs that the file does not hold."""
        missing = {self._key(pair): pair for pair in pairs}
        wanted = [(key, pair) for key, pair in missing.items() if key not in self._known]
        started = time.monotonic()
        with self._cache.open("a", encoding="utf-8") as lines:
            for start in range(0, len(wanted), _CHUNK):
                chunk = wanted[start : start + _CHUNK]
                for (key, _), entailment in zip(
                    chunk, self._model.judge([pair for _, pair in chunk]), strict=True
                ):
                    self._known[key] = entailment.p_entailment or 0.0
                    lines.write(json.dumps([self._version, key, self._known[key]]) + "\n")
                lines.flush()
                seconds = time.monotonic() - started
                done = start + len(chunk)
                print(f"\r{done}/{len(wanted)} pairs, {seconds:.0f} s", end="", file=sys.stderr)
        print(file=sys.stderr)

    def entails(self, premise: str, claim: str) -> bool:
        """Whether the model reaches its threshold."""
        return self._known[self._key((premise, claim))] >= self.threshold

    @staticmethod
    def _key(pair: tuple[str, str]) -> str:
        return hashlib.sha256("\0".join(pair).encode()).hexdigest()


def is_vetoed(premise: str, claim: str, doubts: ReviewLevel | None = None) -> bool:
    """Whether any slot of the claim conflicts with the premise, or is unconfirmed up to a level."""
    return bool(
        compare_slots(claim, premise, premise_start=0)
        or (doubts and doubt_slots(claim, premise, premise_start=0, level=doubts))
        or (doubts and doubt_scope(claim, premise, level=doubts))
    )


def tally(
    rows: Sequence[Changed], readings: Readings | None, doubts: ReviewLevel | None = None
) -> dict[str, Tally]:
    """Counts by kind and ``all``. Without readings the model is taken to entail everything."""
    groups: dict[str, list[Changed]] = {"all": list(rows)}
    for row in rows:
        groups.setdefault(row.kind, []).append(row)
    return {kind: _tally_group(group, readings, doubts) for kind, group in groups.items()}


def _tally_group(
    rows: Sequence[Changed], readings: Readings | None, doubts: ReviewLevel | None
) -> Tally:
    vetoed = [is_vetoed(row.pair.premise, row.claim, doubts) for row in rows]
    called = [
        not veto and (readings is None or readings.entails(row.pair.premise, row.claim))
        for row, veto in zip(rows, vetoed, strict=True)
    ]
    before = [
        (readings is None or readings.entails(row.pair.premise, row.pair.hypothesis))
        and not is_vetoed(row.pair.premise, row.pair.hypothesis, doubts)
        for row in rows
    ]
    return Tally(
        rows=len(rows),
        vetoed=sum(vetoed),
        called=sum(called),
        rows_of_entailed=sum(before),
        called_of_entailed=sum(a and b for a, b in zip(called, before, strict=True)),
    )


def _print_tallies(title: str, tallies: dict[str, Tally]) -> None:
    print(f"{title}: rows, stopped, ENTAILED | of rows ENTAILED before: rows, ENTAILED")
    for kind, count in sorted(tallies.items(), key=lambda item: -item[1].rows):
        print(
            f"  {kind:18} {count.rows:5} {_share(count.vetoed, count.rows)}"
            f" {_share(count.called, count.rows)}"
            f" | {count.rows_of_entailed:5}"
            f" {_share(count.called_of_entailed, count.rows_of_entailed)}"
        )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:6.2f} %" if whole else "     - %"


def _print_precision(pairs: Sequence[Pair], readings: Readings | None, doubts: ReviewLevel) -> None:
    vetoed = [is_vetoed(pair.premise, pair.hypothesis, doubts) for pair in pairs]
    entailed = [pair.label == LABEL_IDS["entailment"] for pair in pairs]
    wrong = sum(v and e for v, e in zip(vetoed, entailed, strict=True))
    print(
        f"unchanged: {len(pairs)} rows; entailed ones stopped {_share(wrong, sum(entailed))}"
        f" ({wrong}); stopped rows {sum(vetoed)}, not entailed"
        f" {_share(sum(vetoed) - wrong, sum(vetoed))}"
    )
    if readings is not None:
        read = [
            not veto and readings.entails(pair.premise, pair.hypothesis)
            for pair, veto, supported in zip(pairs, vetoed, entailed, strict=True)
            if supported
        ]
        print(f"unchanged entailed rows called ENTAILED: {_share(sum(read), len(read))}")


def main() -> None:
    """Read the command line, change the rows, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True, help="labelled *.jsonl.gz")
    parser.add_argument("--model", type=Path, help="model folder; without it vetoes alone")
    parser.add_argument("--cache", type=Path, help="what the model read, a line a pair")
    parser.add_argument("--policy", choices=NAMES, help="default: the model's own threshold")
    arguments = parser.parse_args()
    policy = load_policy(arguments.policy) if arguments.policy else None
    doubts: ReviewLevel = policy.doubts if policy else "likely"
    if arguments.model is not None and arguments.cache is None:
        parser.error("--model needs --cache")
    pairs = list(read_pairs(arguments.pairs, shippable_only=False))
    mutated, formats = change_rows(pairs)
    readings = None
    if arguments.model is not None:
        readings = Readings(arguments.model, arguments.cache, policy)
        entailed = [pair for pair in pairs if pair.label == LABEL_IDS["entailment"]]
        readings.read((pair.premise, pair.hypothesis) for pair in entailed)
        readings.read((row.pair.premise, row.claim) for row in [*mutated, *formats])
    parts = [(f"documents of half {half}", half) for half in (0, 1)] + [("all documents", None)]
    for title, half in parts:
        print(f"== {title}")
        _print_precision(
            [pair for pair in pairs if half in {None, half_of(pair.doc)}], readings, doubts
        )
        for name, changed in (("mutated", mutated), ("format only", formats)):
            rows = [row for row in changed if half in {None, row.half}]
            _print_tallies(name, tally(rows, readings, doubts))


if __name__ == "__main__":
    main()
