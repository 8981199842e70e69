"""A version that was replaced since is told, whatever the answer cites it by."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.documents.document import DocumentName, Library
from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.identity.document import SUPERSEDED_NOW
from spanproof.verifier.policies import NAMES, load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library

if TYPE_CHECKING:
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verdict import Verdict

VECTORS = Path(__file__).parents[2] / "vectors"
RULE = "Refunds are paid within four business days."
OLD = make_extraction(f"{RULE}\nNotices are sent by post.")
NEW = make_extraction("Refunds are paid within nine business days.")
THEN, LATER = MOMENT - timedelta(days=20), MOMENT - timedelta(days=10)
OLD_HASH, NEW_HASH = OLD.document.doc_hash, NEW.document.doc_hash


def name(doc_id: str, *versions: Any) -> tuple[DocumentName, ...]:
    """A name that stood for these versions, each from its moment on."""
    moments = (THEN, LATER)
    return tuple(
        DocumentName(doc_id=doc_id, doc_hash=version, since=since)
        for version, since in zip(versions, moments, strict=False)
    )


HISTORY = name("policy", OLD_HASH, NEW_HASH)


def judge(
    policy: Policy,
    *,
    names: tuple[DocumentName, ...] = HISTORY,
    generated_at: str | None = None,
    **cited: Any,
) -> Verdict:
    citation = {"anchor": 1, "span": {"text": RULE}} | cited
    answer = {"answer": f"{RULE.rstrip('.')} [1].", "citations": [citation]}
    given = {} if generated_at is None else {"generated_at": generated_at}
    own = tuple(
        DocumentName(doc_id=str(each), doc_hash=each, since=THEN) for each in (OLD_HASH, NEW_HASH)
    )
    block = verify(
        parse_answer(json.dumps(answer | given).encode()).answer,
        Library(sources=make_library(OLD, NEW).sources, names=(*names, *own)),
        ScriptedModel(),
        policy,
        verified_at=MOMENT,
    )
    return block.verdicts[0]


EARLY = (THEN + timedelta(days=1)).isoformat()
#: Each of these passed every policy.
ATTACKS = sorted(path.parent for path in VECTORS.glob("superseded/*/case.json"))


@pytest.mark.parametrize("policy", NAMES)
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_a_version_that_was_replaced_since_goes_to_a_person(attack: Path, policy: str) -> None:
    case = json.loads((attack / "case.json").read_text(encoding="utf-8"))
    assert (attack / "README").read_text(encoding="utf-8").strip()
    cited = {"doc_id": case["doc_id"]} if "doc_id" in case else {}
    if case.get("doc_hash"):
        cited["doc_hash"] = str(OLD_HASH)
    more = tuple(each for doc_id in case.get("names", ()) for each in name(doc_id, OLD_HASH))
    verdict = judge(
        load_policy(policy),
        names=(*HISTORY, *more),
        generated_at=EARLY if case.get("early") else None,
        **cited,
    )
    assert SUPERSEDED_NOW in verdict.codes
    assert verdict.outcome is Outcome.REVIEW


@pytest.mark.parametrize(
    "cited",
    [
        {"doc_hash": str(OLD_HASH), "names": ()},
        {"doc_hash": str(OLD_HASH), "names": name("policy", OLD_HASH)},
        # The older version was put back.
        {"doc_hash": str(OLD_HASH), "names": name("policy", NEW_HASH, OLD_HASH)},
        # A name of the other document says nothing of this one.
        {"doc_hash": str(OLD_HASH), "names": name("terms", NEW_HASH)},
    ],
)
def test_the_newest_version_of_all_its_names_passes(cited: dict[str, Any]) -> None:
    verdict = judge(load_policy("balanced"), **cited)
    assert SUPERSEDED_NOW not in verdict.codes
    assert verdict.outcome is Outcome.PASS


def test_a_policy_that_lets_it_pass_does_not_hide_it() -> None:
    shipped = load_policy("balanced")
    effects = dict(shipped.effects) | {SUPERSEDED_NOW: "pass"}
    lenient = replace(shipped, effects=tuple(effects.items()))
    verdict = judge(lenient, doc_hash=str(OLD_HASH))
    assert verdict.outcome is Outcome.PASS
    assert SUPERSEDED_NOW in verdict.codes
    assert "newer version" in verdict.notes
