from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from training.pairs import LABEL_IDS, Pair, read_pairs
from training.slots import Tally, change_rows, is_vetoed, tally

if TYPE_CHECKING:
    from pathlib import Path

_PREMISE = "The notice period is 30 days, and Anna Schmidt must sign it."


def _pair(claim: str, label: str = "entailment") -> Pair:
    return Pair(
        premise=_PREMISE, hypothesis=claim, label=LABEL_IDS[label], source="made", doc="made/1"
    )


def test_the_same_rows_are_changed_alike_and_only_entailed_ones() -> None:
    pairs = [_pair("The notice period is 30 days."), _pair("It is 30 days.", "neutral")]
    assert change_rows(pairs) == change_rows(pairs[::-1])
    mutated, formats = change_rows(pairs)
    assert {row.pair.hypothesis for row in [*mutated, *formats]} == {pairs[0].hypothesis}


def test_counts_say_what_was_vetoed_and_what_would_pass() -> None:
    mutated, formats = change_rows([_pair("The notice period is 30 days.")])
    counts = tally(mutated, None)
    assert counts["number"] == Tally(
        rows=1, vetoed=1, called=0, rows_of_entailed=1, called_of_entailed=0
    )
    assert tally(formats, None)["digits_to_words"] == Tally(
        rows=1, vetoed=0, called=1, rows_of_entailed=1, called_of_entailed=1
    )


@pytest.mark.long
def test_slots_see_most_changed_figures_of_dev_and_no_change_of_format(test_data: Path) -> None:
    pairs = [
        pair
        for pair in read_pairs(test_data / "nli" / "dev.jsonl.gz", shippable_only=False)
        if len(pair.premise) < 1_500
    ]
    mutated, formats = change_rows(pairs)
    counts = tally([row for row in mutated if row.kind in {"year", "ordinal", "currency"}], None)
    assert counts["all"].vetoed >= 0.6 * counts["all"].rows
    unchanged = [row for row in formats if not is_vetoed(row.pair.premise, row.pair.hypothesis)]
    lost = sum(is_vetoed(row.pair.premise, row.claim) for row in unchanged)
    assert lost <= 0.01 * len(unchanged)
