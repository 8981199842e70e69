"""Pairs that the model cannot read, through ``entail`` and ``verify``: not run, never a pass."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.verification.verify import verify_payload
from tests.contexts import with_settings
from tests.operations.entailment.lines import entail_lines
from tests.verifier.entailment.foreign import FOREIGN, OTHER_SCRIPTS
from tests.verifier.entailment.tiny_models import build_folder, edit_json, teach_canary

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context

ENGLISH = "A man is playing a guitar on a stage."
GERMAN = FOREIGN["German"][0]


@pytest.fixture(scope="module")
def english_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that passes the canary and whose card declares English."""
    folder = teach_canary(build_folder(tmp_path_factory.mktemp("english") / "model"))
    edit_json(folder / "model_card.json", languages=["en"])
    return folder


@pytest.fixture
def judging(context: Context, english_model: Path) -> Context:
    return with_settings(context, model=english_model)


CASES = [
    (ENGLISH, GERMAN, "claim_language"),
    (GERMAN, ENGLISH, "premise_language"),
    (ENGLISH, OTHER_SCRIPTS["Chinese"], "claim_language"),
    (ENGLISH, "\x00\x01\x02\x03\x04", "claim_not_text"),
    ("\x89PNG\x00\x00\x1a\x0b\x00", ENGLISH, "premise_not_text"),
    (ENGLISH, "Zyx qwv plugh xyzzy.", "claim_unknown_tokens"),
    (ENGLISH, " \n ", "no_claim"),
    ("", ENGLISH, "no_premise"),
    (ENGLISH, "A man " * 600, "claim_too_long"),
    (ENGLISH, "A man\ud800", "claim_not_text"),
]


def test_entail_says_why_a_pair_was_not_run(judging: Context) -> None:
    lines = [json.dumps({"premise": p, "hypothesis": h}) for p, h, _ in CASES]
    rows = list(entail_lines(judging, lines))
    assert [row["reason"] for row in rows] == [reason for *_, reason in CASES]
    for row in rows:
        assert row["label"] == "NOT_RUN"
        assert row["supported"] is False
        assert row["p_entailment"] is None


def _verify(context: Context, document: str, claim: str) -> dict[str, Any]:
    ingest_stream(context, [document.encode()], media_type=None, filename="a.txt", doc_id="given")
    answer = {
        "answer": f"{claim.rstrip('.')} [1].",
        "citations": [{"anchor": 1, "doc_id": "given", "span": {"text": document}}],
    }
    response = verify_payload(context, json.dumps(answer).encode()).response
    block: dict[str, Any] = response["verification"]
    return block


@pytest.mark.parametrize(
    ("document", "claim", "reason"),
    [
        (ENGLISH, GERMAN, "claim_language"),
        (GERMAN, ENGLISH, "premise_language"),
        (ENGLISH, OTHER_SCRIPTS["Russian"], "claim_language"),
        (ENGLISH, "Zyx qwv plugh xyzzy.", "claim_unknown_tokens"),
        (ENGLISH, "Goods \ufffd\ufffd\ufffd\ufffd are shipped.", "claim_not_text"),
    ],
)
def test_verify_ends_in_an_error_and_says_why(
    judging: Context, document: str, claim: str, reason: str
) -> None:
    block = _verify(judging, document, claim)
    (verdict,) = block["verdicts"]
    assert (verdict["support"]["status"], verdict["support"]["reason"]) == ("NOT_RUN", reason)
    assert verdict["outcome"] == block["result"] == "error"
    assert reason in verdict["notes"]
    assert block["all_claims_entailed"] is False


def test_the_same_model_judges_what_it_can_read(judging: Context) -> None:
    (verdict,) = _verify(judging, ENGLISH, "A man is playing a guitar.")["verdicts"]
    assert verdict["support"]["status"] != "NOT_RUN"
