"""The LLM judge of the documentation, run as it stands there, with a scripted local callable."""

from __future__ import annotations

import json
import re
import types
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import ModelUnavailableError
from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.entailment.examination.canary import (
    CONTRADICTED,
    ENTAILED,
    NEUTRAL,
    check_canary,
)
from spanproof.verifier.entailment.plugins import GuardedModel
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import NAMES, load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, make_extraction, make_library
from tests.pages import find_page

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.verdicts.verification_block import VerificationBlock

PAGE = find_page("llm-judge.md")
SOURCE = "The fee is 30 pounds a year."


def run_example(name: str) -> dict[str, Any]:
    """The names that an example of the page defines."""
    found = re.search(
        rf"<!-- example: {name} -->\n```python\n(.*?)```\n<!-- /example -->",
        PAGE.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert found, name
    module = types.ModuleType(f"docs_{name}")
    exec(compile(found.group(1), str(PAGE), "exec"), module.__dict__)  # noqa: S102 - our own page
    return vars(module)


def ask(prompt: str) -> str:
    """A language model whose answers are written down."""
    claim = prompt.rpartition("Claim: ")[2].strip()
    shares = {
        CONTRADICTED[1]: (0.0, 0.1, 0.9),
        NEUTRAL[1]: (0.1, 0.8, 0.1),
        "Say it in words.": None,
    }.get(claim, (0.96, 0.03, 0.01))
    if shares is None:
        return "Yes, I think so."
    return json.dumps(dict(zip(("entailed", "neutral", "contradicted"), shares, strict=True)))


@pytest.fixture(scope="module")
def judge() -> GuardedModel:
    return GuardedModel(run_example("judge")["LlmJudge"](ask, name="our-llm"), entry="our-llm")


def block_of(model: GuardedModel, policy: str) -> VerificationBlock:
    extraction = make_extraction(SOURCE)
    payload = {
        "answer": "The fee is 30 pounds a year [1].",
        "citations": [
            {
                "anchor": 1,
                "doc_hash": str(extraction.document.doc_hash),
                "span": {"text": SOURCE, "char_start": 0, "char_end": len(SOURCE)},
            }
        ],
    }
    answer = parse_answer(json.dumps(payload).encode()).answer
    library = make_library(extraction)
    return verify(answer, library, model, load_policy(policy), verified_at=MOMENT)


def test_it_passes_the_canary_and_says_that_it_cannot_be_replayed(judge: GuardedModel) -> None:
    check_canary(judge, knows_contradiction=True)
    (entailment,) = judge.judge([ENTAILED])
    assert entailment.p_entailment == 0.96
    assert judge.identity.replayable is False
    assert "non_replayable" in judge.identity.runtime


def test_an_answer_in_words_is_an_error(judge: GuardedModel) -> None:
    with pytest.raises(ModelUnavailableError, match="Yes, I think so"):
        judge.judge([(SOURCE, "Say it in words.")])


@pytest.mark.parametrize("policy", NAMES)
def test_nothing_that_it_judges_passes_under_any_policy(judge: GuardedModel, policy: str) -> None:
    block = block_of(judge, policy)
    (verdict,) = block.verdicts
    assert verdict.support.status.value == "ENTAILED"
    assert "MODEL_NON_REPLAYABLE" in verdict.codes
    assert block.result in {Outcome.REVIEW, Outcome.FAIL}
    assert block.model.replayable is False


def test_the_comparison_counts_agreement(tmp_path: Path) -> None:
    compare = run_example("agreement")["compare"]
    labels = {
        "model": ["ENTAILED", "NEUTRAL", "NEUTRAL", "NOT_RUN", "CONTRADICTED"],
        "judge": ["ENTAILED", "NEUTRAL", "ENTAILED", "NEUTRAL", "CONTRADICTED"],
    }
    for name, said in labels.items():
        lines = [json.dumps({"label": label}) for label in said]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    result = compare(tmp_path / "model", tmp_path / "judge")
    assert result == {
        "pairs": 4,
        "agreement": 0.75,
        "kappa": pytest.approx((0.75 - 0.3125) / (1 - 0.3125)),
    }
    (tmp_path / "none").write_text(json.dumps({"label": "NOT_RUN"}))
    assert compare(tmp_path / "none", tmp_path / "none") == {"pairs": 0}
