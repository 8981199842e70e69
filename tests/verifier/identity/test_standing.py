"""A source that is withdrawn, amended or not in force is told by code, under every policy."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest

from spanproof.core.documents.document import Library, Source
from spanproof.core.documents.source_state import SourceState
from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import NAMES, load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction

RULE = "Refunds are paid within four business days."
TEXT = make_extraction(f"{RULE}\nNotices are sent by post.")
DAY = timedelta(days=1)
BEFORE, AFTER = MOMENT - 10 * DAY, MOMENT + 10 * DAY


def judge(
    state: SourceState | None, policy: str, generated_at: datetime | None = None
) -> tuple[set[str], Outcome, str]:
    citation = {"anchor": 1, "doc_hash": str(TEXT.document.doc_hash), "span": {"text": RULE}}
    answer = {"answer": f"{RULE.rstrip('.')} [1].", "citations": [citation]}
    if generated_at is not None:
        answer["generated_at"] = generated_at.isoformat()
    source = Source(document=TEXT.document, extractions=(TEXT,), state=state)
    (verdict,) = verify(
        parse_answer(json.dumps(answer).encode()).answer,
        Library(sources=(source,)),
        ScriptedModel(),
        load_policy(policy),
        verified_at=MOMENT,
    ).verdicts
    return (
        {code for code in verdict.codes if code.startswith("SOURCE_")},
        (verdict.outcome),
        verdict.notes,
    )


@pytest.mark.parametrize("policy", NAMES)
@pytest.mark.parametrize(
    ("code", "state", "generated_at"),
    [
        ("SOURCE_WITHDRAWN", SourceState(withdrawn_from=MOMENT), None),
        # The answer's own moment, which its author writes, changes nothing.
        ("SOURCE_WITHDRAWN", SourceState(withdrawn_from=MOMENT), BEFORE),
        ("SOURCE_AMENDED", SourceState(amended_from=BEFORE), BEFORE - DAY),
        ("SOURCE_NOT_IN_FORCE", SourceState(valid_from=AFTER), None),
        ("SOURCE_NOT_IN_FORCE", SourceState(valid_until=MOMENT), None),
        ("SOURCE_NOT_IN_FORCE", SourceState(valid_from=MOMENT - DAY), BEFORE),
        # Out of force now: an old moment in the answer does not make it pass.
        ("SOURCE_NOT_IN_FORCE_NOW", SourceState(valid_until=MOMENT), BEFORE),
        ("SOURCE_NOT_IN_FORCE", SourceState(valid_until=BEFORE), MOMENT - DAY),
    ],
)
def test_what_holds_of_a_source_is_a_code_and_no_pass(
    code: str, state: SourceState, generated_at: datetime | None, policy: str
) -> None:
    codes, outcome, note = judge(state, policy, generated_at)
    assert codes == {code}
    fails = policy == "strict" and code in {"SOURCE_WITHDRAWN", "SOURCE_NOT_IN_FORCE"}
    assert outcome is (Outcome.FAIL if fails else Outcome.REVIEW)
    assert "document" in note


@pytest.mark.parametrize(
    "state",
    [
        None,
        SourceState(withdrawn_from=AFTER, amended_from=AFTER),
        SourceState(valid_from=MOMENT, valid_until=AFTER),
        SourceState(licence="CC-BY-4.0", confidentiality="internal"),
    ],
)
def test_what_does_not_count_yet_and_labels_change_nothing(state: SourceState | None) -> None:
    assert judge(state, "strict")[:2] == judge(None, "strict")[:2] == (set(), Outcome.PASS)
