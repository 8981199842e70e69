"""Answers made to exhaust the service, as folders: what each asks for, and how it is met."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import MalformedAnswerError
from spanproof.core.json_reader.object_reader import MOST_PROBLEMS
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.verification.request import Deadline, VerificationRequest
from spanproof.operations.verification.verify import verify_payload
from spanproof.verifier.extent import measure, most_response_bytes
from tests.contexts import with_settings
from tests.spread import thin_out

if TYPE_CHECKING:
    from spanproof.operations.context import Context

CASES = sorted(path.parent for path in (Path(__file__).parent / "exhaustion").glob("*/attack.json"))
MECHANICAL = VerificationRequest(deadline=Deadline.of("mechanical", None))


def _join(pieces: list[tuple[str, int]]) -> str:
    return "".join(words * times for words, times in pieces)


def _send(context: Context, attack: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    ingest_stream(
        context,
        [_join(attack["document"]).encode()],
        media_type=None,
        filename="a.txt",
        doc_id="a",
    )
    citations = [
        {"anchor": each["anchor"], "doc_id": "a", "span": {"text": each["text"]}}
        if "text" in each
        else {}
        for each in attack["citations"]
        for _ in range(each["times"])
    ]
    more = {
        name: [value for value, times in attack.get(name, ()) for _ in range(times)]
        for name in ("documents", "retrieved")
    }
    answer = {"answer": _join(attack["answer"]), "citations": citations}
    raw = json.dumps(answer | more).encode()
    if "budget_seconds" in attack:
        context = with_settings(context, budget_seconds=attack["budget_seconds"])
    return len(raw), verify_payload(context, raw, MECHANICAL).response


@pytest.mark.parametrize("case", thin_out(CASES, every=3), ids=lambda case: case.name)
def test_attack_is_met(case: Path, context: Context) -> None:
    attack = json.loads((case / "attack.json").read_text(encoding="utf-8"))
    expected = attack["expected"]
    assert (case / "README").read_text(encoding="utf-8").strip()
    if case.name.endswith("_fail"):
        size = context.log.head().size
        with pytest.raises(MalformedAnswerError) as caught:
            _send(context, attack)
        assert caught.value.code == expected["code"]
        assert caught.value.problems[0].pointer == expected["pointer"]
        assert len(caught.value.problems) <= MOST_PROBLEMS
        assert context.store.answers.list().items == ()
        # It was counted before the intake: the log knows nothing of it.
        assert context.log.head().size == size
        return
    size, response = _send(context, attack)
    block = response["verification"]
    assert len(block["verdicts"]) == expected["verdicts"]
    assert measure(response) <= most_response_bytes(size)
    assert response["receipt_url"]
    if expected.get("receipt_is_left_out"):
        assert response["receipt"] is None
    codes = {*block["codes"], *(code for each in block["verdicts"] for code in each["codes"])}
    assert set(expected.get("codes", ())) <= codes
