"""What a job has verified may be erased before the job is over: that is told, and stops nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spanproof.operations.erasing import erase
from spanproof.operations.jobs import KINDS
from spanproof.operations.verification.job import name_verification
from tests.operations.jobs.test_drift import HASH, SENTENCES, context

if TYPE_CHECKING:
    from spanproof.operations.context import Context

__all__ = ["context"]


def make_answer(sentence: str) -> dict[str, Any]:
    citation = {"anchor": 1, "doc_hash": HASH, "span": {"text": sentence}}
    return {"answer": f"{sentence} [1].", "citations": [citation]}


def test_a_run_after_an_erasure_names_it_and_goes_on(context: Context) -> None:
    raw = json.dumps([make_answer(each) for each in SENTENCES]).encode()
    given = {"seed": "seven", "input": context.jobs.inputs.add(raw)}

    def run() -> list[dict[str, Any]]:
        found = KINDS["verification"].load()(context, given, lambda *_: None)
        return list(found["verifications"])

    first, second = run()
    assert first["verification_id"] == name_verification("seven", 0)
    erase(context, first["verification_id"], reason="asked for")
    gone, kept = run()
    assert kept == second
    assert (gone["index"], gone["verification_id"], gone["result"]) == (0, None, None)
    assert gone["problem"]["code"] == "VERIFICATION_ERASED"
    # It was not verified a second time: its words do not come back.
    assert len(context.store.answers.list().items) == 2
