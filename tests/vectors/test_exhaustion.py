"""Answers made to exhaust the service, as folders: what each asks for, and how it is met."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import AnswerTooDenseError
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.verification.request import Deadline, VerificationRequest
from spanproof.operations.verification.verify import verify_payload
from spanproof.verifier.extent import measure, most_block_bytes

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
        for each in attack["citations"]
        for _ in range(each["times"])
    ]
    raw = json.dumps({"answer": _join(attack["answer"]), "citations": citations}).encode()
    return len(raw), verify_payload(context, raw, MECHANICAL).response["verification"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_attack_is_met(case: Path, context: Context) -> None:
    attack = json.loads((case / "attack.json").read_text(encoding="utf-8"))
    expected = attack["expected"]
    assert (case / "README").read_text(encoding="utf-8").strip()
    if case.name.endswith("_fail"):
        with pytest.raises(AnswerTooDenseError) as caught:
            _send(context, attack)
        assert caught.value.code == expected["code"]
        assert [problem.pointer for problem in caught.value.problems] == [expected["pointer"]]
        assert context.store.answers.list().items == ()
        return
    size, block = _send(context, attack)
    assert len(block["verdicts"]) == expected["verdicts"]
    assert measure(block) <= most_block_bytes(size)
    codes = {*block["codes"], *(code for each in block["verdicts"] for code in each["codes"])}
    assert set(expected.get("codes", ())) <= codes
