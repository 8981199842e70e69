from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library

LINE = "Refunds are paid within four days."
TERMS = make_extraction(LINE + "\n")
DOC_HASH = str(TERMS.document.doc_hash)


def check(
    cited: str | None, *retrieved: str | None, policy: str = "balanced", asks: bool = True
) -> tuple[Outcome, bool]:
    span = {"text": LINE, "char_start": 0, "char_end": len(LINE)}
    citation: dict[str, Any] = {"anchor": 1, "doc_hash": DOC_HASH, "span": span}
    payload = {
        "answer": "Refunds are paid within four days [1].",
        "citations": [citation | ({} if cited is None else {"source_tier": cited})],
        "retrieved": [
            {"chunk_id": str(n), "doc_hash": DOC_HASH, "text": LINE, "source_tier": tier}
            for n, tier in enumerate(retrieved)
        ],
    }
    parsed = parse_answer(json.dumps(payload).encode())
    tiers = ("primary", "reviewed") if asks else ()
    asked = replace(load_policy(policy), source_tiers=tiers)
    block = verify(parsed.answer, make_library(TERMS), ScriptedModel(), asked, verified_at=MOMENT)
    return block.result, "SOURCE_UNTRUSTED" in block.verdicts[0].codes


@pytest.mark.parametrize("tiers", [("primary",), ("reviewed", "primary"), (None, "primary")])
def test_a_tier_that_the_policy_accepts_passes(tiers: tuple[str | None, ...]) -> None:
    assert check(*tiers) == (Outcome.PASS, False)


@pytest.mark.parametrize(
    "tiers",
    [
        (None,),
        (None, None),
        ("blog",),
        # Where the citation and the retriever differ, the answer may flatter its source.
        ("primary", "blog"),
    ],
)
def test_another_tier_or_none_does_not(tiers: tuple[str | None, ...]) -> None:
    assert check(*tiers) == (Outcome.REVIEW, True)
    assert check(*tiers, policy="strict") == (Outcome.FAIL, True)


def test_a_policy_that_asks_for_none_takes_all() -> None:
    assert check(None, asks=False) == (Outcome.PASS, False)


def test_the_shipped_policies_ask_for_none() -> None:
    for name in ("balanced", "strict", "review"):
        assert load_policy(name).source_tiers == ()
