"""The file of paraphrases, and the count of its outcomes."""

from __future__ import annotations

from bench.trust.paraphrases import count_outcomes, read_paraphrases
from tests.verifier.pair_models import NO, PairModel


def test_each_row_has_its_own_words() -> None:
    rows = read_paraphrases()
    assert len({row.id for row in rows}) == len(rows) > 100
    for row in rows:
        assert len({row.premise, row.claim, row.falsehood}) == 3


def test_every_claim_and_falsehood_has_one_outcome() -> None:
    rows = read_paraphrases()[:4]
    (counts,) = count_outcomes(rows, PairModel(lambda *_: NO), "balanced").values()
    assert {name: row.total() for name, row in counts.items()} == {"claims": 4, "falsehoods": 4}
    assert "pass" not in counts["falsehoods"]
