"""``entail --policy``: a pair has the outcome that a verification of it has."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from spanproof.core.documents.document import Library, Source
from spanproof.core.verdicts.status import Outcome
from spanproof.ingest import extract
from spanproof.operations.entailment.pair_file import entail_file
from spanproof.operations.entailment.pairs import judge_outcomes
from spanproof.verifier.entailment.loading import load_model
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import ScriptedModel
from tests.contexts import with_parts

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.ports import EntailmentModel
    from spanproof.operations.context import Context

PREMISE = "Approved invoices are paid within four business days of their receipt."
HYPOTHESES = (
    PREMISE,
    "Approved invoices are paid within five business days of their receipt.",
    "Invoices are never paid.",
    "The tenant owns a boat in Marseille.",
    'The rules say "invoices are paid in gold".',
    PREMISE.replace("Approved", "Approved &#110;&#111;&#116;"),
)


@pytest.fixture(scope="module")
def model() -> EntailmentModel:
    return load_model()


@pytest.mark.model
@pytest.mark.parametrize("policy", ["balanced", "strict", "review"])
def test_the_outcome_is_that_of_a_verification(model: EntailmentModel, policy: str) -> None:
    pairs = [(PREMISE, hypothesis) for hypothesis in HYPOTHESES]
    outcomes = judge_outcomes(model, pairs, load_policy(policy))
    verified = [_verify(model, hypothesis, policy) for hypothesis in HYPOTHESES]
    assert list(outcomes.values()) == verified
    assert Outcome.PASS not in verified[1:]


def _verify(model: EntailmentModel, hypothesis: str, policy: str) -> Outcome:
    extraction = extract(PREMISE.encode(), filename="premise.txt")
    citation = {
        "anchor": 1,
        "doc_hash": str(extraction.document.doc_hash),
        "span": {"text": PREMISE, "char_start": 0, "char_end": len(PREMISE)},
    }
    answer = {"answer": f"{hypothesis[:-1]} [1].", "citations": [citation]}
    source = Source(document=extraction.document, extractions=(extraction,))
    (verdict,) = verify(
        parse_answer(json.dumps(answer).encode()).answer,
        Library(sources=(source,)),
        model,
        load_policy(policy),
        verified_at=datetime.now(UTC),
    ).verdicts
    return verdict.outcome


def test_what_cannot_be_judged_is_an_error_never_a_pass() -> None:
    sure = ScriptedModel({PREMISE: (0.99, 0.005, 0.005)})
    pairs = [("", "Anything."), ("Half a letter \ud800.", "Anything."), (PREMISE, "")]
    outcomes = judge_outcomes(sure, pairs, load_policy("balanced"))
    assert set(outcomes.values()) == {Outcome.ERROR}


def test_every_line_of_a_file_has_an_outcome(context: Context, tmp_path: Path) -> None:
    rows = [{"premise": PREMISE, "hypothesis": PREMISE}, {"premise": 1}]
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    judged = with_parts(context, model=ScriptedModel({PREMISE: (0.99, 0.005, 0.005)}))
    for _ in entail_file(judged, pairs, tmp_path / "out.jsonl", load_policy("balanced")):
        pass
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["outcome"] for line in lines] == ["pass", "error"]
