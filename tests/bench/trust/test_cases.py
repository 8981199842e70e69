"""The hand-made cases: few falsehoods pass, and few true answers are stopped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench.trust.cases import count_wrong, judge_cases, read_cases
from bench.trust.memory import ReadOnce
from spanproof.verifier.entailment.loading import load_model

DATA = os.environ.get("SPANPROOF_TEST_DATA")
#: By policy: falsehoods that may pass, and true answers that may be stopped.
MOST = {"balanced": (5, 15), "strict": (2, 27), "review": (5, 20)}


@pytest.mark.model
@pytest.mark.long
@pytest.mark.skipif(DATA is None, reason="SPANPROOF_TEST_DATA names no folder with verdicts/")
def test_falsehoods_do_not_pass_and_true_answers_do() -> None:
    cases = read_cases(Path(DATA or "") / "verdicts")
    assert len(cases) > 200
    results = judge_cases(cases, ReadOnce(load_model()))
    for policy, categories in count_wrong(results).items():
        false_passes = sum(counts["false_passes"] for counts in categories.values())
        stopped = sum(counts["stopped"] for counts in categories.values())
        wrong = [r.case.id for r in results if r.policy == policy and r.is_wrong]
        assert false_passes <= MOST[policy][0], wrong
        assert stopped <= MOST[policy][1], wrong
