from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.outcome import MAX_CITATIONS
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library

if TYPE_CHECKING:
    from spanproof.core.verdicts.verification_block import VerificationBlock

LINES = [f"Clause {name} says that refunds are paid." for name in "ABCDEFGH"]
TERMS = make_extraction("\n".join(LINES) + "\n")
YES, NO, AGAINST = (0.97, 0.02, 0.01), (0.05, 0.9, 0.05), (0.01, 0.04, 0.95)


def check(
    prose: str, *lines: int, script: dict[str, tuple[float, float, float]] | None = None
) -> VerificationBlock:
    citations: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        text = LINES[line]
        start = TERMS.text.text.index(text)
        span = {"text": text, "char_start": start, "char_end": start + len(text)}
        citations.append({"anchor": number, "doc_hash": str(TERMS.document.doc_hash), "span": span})
    parsed = parse_answer(json.dumps({"answer": prose, "citations": citations}).encode())
    model = ScriptedModel(script)
    return verify(
        parsed.answer, make_library(TERMS), model, load_policy("balanced"), verified_at=MOMENT
    )


def anchors(count: int) -> str:
    return "".join(f"[{number}]" for number in range(1, count + 1))


def test_several_that_each_entail_are_no_fault() -> None:
    block = check(f"Refunds are paid {anchors(3)}.", 0, 1, 2)
    assert block.over_cited == ()
    assert block.result is Outcome.PASS


def test_more_than_the_limit_are_reported_and_change_no_outcome() -> None:
    count = MAX_CITATIONS + 1
    block = check(f"Refunds are paid {anchors(count)}.", *range(count))
    (found,) = block.over_cited
    assert found.anchors == tuple(range(1, count + 1))
    assert found.redundant == ()
    assert block.result is Outcome.PASS
    assert block_to_json(block)["over_cited"] == [
        {"start": 0, "end": len(block.answer.prose), "anchors": list(found.anchors), "idle": []}
    ]


def test_the_same_words_cited_again_are_one_citation() -> None:
    count = MAX_CITATIONS + 1
    block = check(f"Refunds are paid {anchors(count)}.", *([0] * count))
    assert block.over_cited == ()


@pytest.mark.parametrize("idle", [NO, AGAINST])
def test_one_that_supports_nothing_beside_one_that_does_is_idle(
    idle: tuple[float, float, float],
) -> None:
    script = {LINES[0]: YES, LINES[1]: idle}
    block = check("Refunds are paid [1][2].", 0, 1, script=script)
    (found,) = block.over_cited
    assert found.anchors == (1, 2)
    assert found.redundant == (2,)


def test_where_nothing_entails_nothing_is_idle() -> None:
    block = check("Refunds are paid [1][2].", 0, 1, script={LINES[0]: NO, LINES[1]: NO})
    assert block.over_cited == ()


def test_members_of_a_joint_set_are_not_idle() -> None:
    joint = f"{LINES[0]}\n{LINES[1]}"
    script = {LINES[0]: NO, LINES[1]: NO, LINES[2]: NO, joint: YES}
    block = check("Refunds are paid [1][2][3].", 0, 1, 2, script=script)
    assert [verdict.support.reason for verdict in block.verdicts[:2]] == ["joint", "joint"]
    (found,) = block.over_cited
    assert found.redundant == (3,)
