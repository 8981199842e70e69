from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library

if TYPE_CHECKING:
    from spanproof.core.verdicts.verification_block import VerificationBlock

LINE = "Refunds are paid within four days."
TERMS = make_extraction(LINE + "\n")
KINDS = ["clarifying_question", "abstention", "refusal"]


def check(kind: str, prose: str) -> VerificationBlock:
    span = {"text": LINE, "char_start": 0, "char_end": len(LINE)}
    citation = {"anchor": 1, "doc_hash": str(TERMS.document.doc_hash), "span": span}
    payload = {
        "answer": prose,
        "answer_kind": kind,
        "citations": [citation] if "[1]" in prose else [],
    }
    parsed = parse_answer(json.dumps(payload).encode())
    return verify(
        parsed.answer,
        make_library(TERMS),
        ScriptedModel(),
        load_policy("balanced"),
        verified_at=MOMENT,
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prose", ["Refunds are paid within four days [1].", "Which lease?"])
def test_what_is_no_answer_never_passes(kind: str, prose: str) -> None:
    block = check(kind, prose)
    assert block.result is Outcome.REVIEW
    assert block.recommended_action == "review"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "prose",
    ["Refunds are paid within four days [1].", "I cannot say. Refunds take 30 days at most."],
)
def test_a_statement_contradicts_the_kind(kind: str, prose: str) -> None:
    block = check(kind, prose)
    assert block.codes == ("KIND_CONTRADICTED",)
    assert block_to_json(block)["codes"] == ["KIND_CONTRADICTED"]


@pytest.mark.parametrize(
    "prose", ["Which lease do you mean?", "I cannot find it in the documents.", "Hello!", ""]
)
def test_what_states_nothing_contradicts_nothing(prose: str) -> None:
    assert check("abstention", prose).codes == ()


def test_an_answer_states_what_it_likes() -> None:
    block = check("answer", "Refunds are paid within four days [1].")
    assert block.codes == ()
    assert block.result is Outcome.PASS
