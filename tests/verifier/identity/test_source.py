from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from spanproof.core.citation import Citation, Quote
from spanproof.core.documents.document import IndexFacts, Library
from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.identity.source import check_index
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library

LINE = "Refunds are paid within four days."
TERMS = make_extraction(LINE + "\n")
DOC_HASH = str(TERMS.document.doc_hash)
V1 = IndexFacts(version="v1", embedding_model="minilm")
OTHER = IndexFacts(version="v1", embedding_model="e5")
SILENT = IndexFacts(version="v1", embedding_model=None)


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


def make_citation(**given: Any) -> Citation:
    return Citation(anchor=1, quote=Quote(text="a"), doc_id="d", **given)


@pytest.mark.parametrize(
    ("indexes", "given", "codes"),
    [
        # Where no index is registered nothing can be unknown.
        (None, {"index_version": "v1"}, ()),
        ((), {}, ()),
        ((), {"embedding_model": "minilm"}, ()),
        ((), {"index_version": "v1"}, ("INDEX_UNKNOWN",)),
        ((V1,), {"index_version": "v1"}, ()),
        ((V1,), {"index_version": "v1", "embedding_model": "minilm"}, ()),
        ((V1,), {"index_version": "v1", "embedding_model": "MiniLM"}, ("INDEX_MODEL_MISMATCH",)),
        ((V1,), {"index_version": "v2", "embedding_model": "minilm"}, ("INDEX_UNKNOWN",)),
        ((V1, OTHER), {"index_version": "v1", "embedding_model": "e5"}, ()),
        ((V1, SILENT), {"index_version": "v1", "embedding_model": "x"}, ()),
    ],
)
def test_the_advice_on_an_index(
    indexes: tuple[IndexFacts, ...] | None, given: dict[str, Any], codes: tuple[str, ...]
) -> None:
    assert check_index(make_citation(**given), Library(indexes=indexes)) == codes
