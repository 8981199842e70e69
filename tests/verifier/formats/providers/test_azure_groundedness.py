from __future__ import annotations

from typing import Any

import pytest

from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.formats.registry import parse_payload
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library
from tests.verifier.formats.providers.payloads import read

TEXT = "Zürich’s rent is due on Monday [citation:lease:1]. It is paid by card [citation:lease:1]."
SOURCE = "It is paid by card."


def detection(*, ungrounded: bool) -> dict[str, Any]:
    details = [
        {
            "text": "Monday",
            "offset": {"utf8": 27, "utf16": 24, "codePoint": 24},
            "length": {"utf8": 6, "utf16": 6, "codePoint": 6},
        }
    ]
    return {
        "text": TEXT,
        "groundingSources": [SOURCE],
        "ungroundedDetected": ungrounded,
        "ungroundedDetails": details if ungrounded else [],
    }


def test_the_three_units_name_one_place() -> None:
    parsed = read("azure-groundedness", detection(ungrounded=True))
    (remark,) = parsed.imported.remarks
    assert remark.code == "UNGROUNDED"
    start = TEXT.index("Monday")
    assert f"characters {start} to {start + 6}" in remark.detail


@pytest.mark.parametrize("ungrounded", [True, False])
def test_nothing_cited_is_no_pass(*, ungrounded: bool) -> None:
    parsed = read("azure-groundedness", detection(ungrounded=ungrounded))
    block = judge(parsed)
    assert parsed.answer.citations == ()
    assert block.result is Outcome.FAIL


def judge(parsed: Any) -> Any:
    lease = make_extraction(SOURCE)
    return verify(
        parsed.answer,
        make_library(lease, names={"lease": lease, "report": lease}),
        ScriptedModel(),
        load_policy("balanced"),
        verified_at=MOMENT,
        imported=parsed.imported,
    )


@pytest.mark.parametrize(("ungrounded", "result"), [(True, Outcome.REVIEW), (False, Outcome.PASS)])
def test_what_the_provider_calls_ungrounded_keeps_good_citations_from_a_pass(
    *, ungrounded: bool, result: Outcome
) -> None:
    import json

    retrieved = {"chunk_id": "1", "doc_id": "lease", "text": SOURCE}
    envelope = {"response": detection(ungrounded=ungrounded), "retrieved": [retrieved]}
    parsed = parse_payload(json.dumps(envelope).encode(), "azure-groundedness,chunk")
    assert len(parsed.answer.citations) == 1
    assert judge(parsed).result is result
