"""Near-verbatim claims of answers: what passes by the source's own words, and what never may."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanproof.core.verdicts.status import Outcome, SupportStatus
from spanproof.ingest import extract
from spanproof.verifier.policies import load_policy
from spanproof.verifier.support.judge import SupportJudge
from spanproof.verifier.verify import verify_pair
from tests.verifier.pair_models import NO, YES, PairModel

_FOLDER = Path(__file__).parent / "prose"


def _read(name: str) -> list[tuple[str, str]]:
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [(source, claim) for source, _, claim in (line.partition(" => ") for line in lines)]


def _judge(source: str, claim: str, says: tuple[float, float, float]) -> tuple[str, str]:
    policy = load_policy("balanced")
    judge = SupportJudge(PairModel(lambda _premise, _claim: says, certified=False), policy)
    premise = extract(source.encode(), media_type="text/plain", filename="source.txt")
    verdict = verify_pair(premise, claim, judge, policy)
    assert verdict is not None
    return verdict.support.status, verdict.outcome


@pytest.mark.parametrize(("source", "claim"), _read("falsehoods.txt"))
def test_a_falsehood_in_the_words_of_its_source_never_passes(source: str, claim: str) -> None:
    assert _judge(source, claim, YES)[1] != Outcome.PASS
    assert _judge(source, claim, NO)[1] != Outcome.PASS


@pytest.mark.parametrize(("source", "claim"), _read("truths.txt"))
def test_what_its_source_says_in_fewer_words_is_entailed(source: str, claim: str) -> None:
    assert _judge(source, claim, NO)[0] == SupportStatus.ENTAILED
