"""A rehearsal judges kept answers anew, says which flip and why, and keeps nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import UnknownPolicyError
from spanproof.operations.erasing import erase
from spanproof.operations.replay.rehearsal import rehearse
from spanproof.operations.verification.verify import verify_payload
from tests.builders import ScriptedModel
from tests.contexts import with_parts
from tests.operations.audited import take_document, verify_answer
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from spanproof.operations.context import Context


@pytest.fixture
def ids(context: Context) -> list[str]:
    """Two answers that pass, and one whose citation names its document by name alone."""
    doc_hash = take_document(context)
    plain = [verify_answer(context, doc_hash) for _ in range(2)]
    span = {"text": SENTENCE, "char_start": 0, "char_end": len(SENTENCE)}
    answer = {
        "answer": "Defective goods are replaced within four business days [1].",
        "citations": [{"anchor": 1, "doc_id": "agreement", "span": span}],
    }
    named = verify_payload(context, json.dumps(answer).encode())
    return [*plain, named.verification_id]


def test_the_same_policy_and_model_flip_nothing(context: Context, ids: list[str]) -> None:
    before = context.log.head()
    found = rehearse(context, policy=None)
    assert (found.kept, found.judged, found.flips) == (len(ids), len(ids), ())
    rates = found.to_json()["rates"]
    assert rates["flipped"]["count"] == 0
    assert 0 < rates["flipped"]["high"] < 1
    assert context.log.head() == before
    assert len(context.store.answers.list_ids()) == len(ids)


def test_a_stricter_policy_flips_an_answer_and_says_why(context: Context, ids: list[str]) -> None:
    found = rehearse(context, policy="strict")
    (flip,) = found.flips
    assert (flip.verification_id, flip.before, flip.now) == (ids[2], "pass", "review")
    assert flip.is_worse
    (reason,) = flip.reasons
    assert reason.startswith("[1] pass -> review: weighed otherwise: ")
    assert "HASH_NOT_GIVEN" in reason
    body = found.to_json()
    assert body["policy"]["name"].startswith("strict ")
    assert body["rates"]["worse"]["count"] == 1
    assert (body["rates"]["pass_before"]["count"], body["rates"]["pass_now"]["count"]) == (3, 2)


def test_another_model_flips_by_its_probabilities(context: Context, ids: list[str]) -> None:
    other = with_parts(context, model=ScriptedModel({SENTENCE: (0.01, 0.02, 0.97)}))
    found = rehearse(other, policy=None)
    assert {flip.verification_id for flip in found.flips} == set(ids)
    assert all("p_entailment" in flip.reasons[0] for flip in found.flips)


def test_what_was_erased_is_left_out_and_counted(context: Context, ids: list[str]) -> None:
    erase(context, ids[0], reason="asked for")
    found = rehearse(context, policy=None)
    assert found.judged == 2
    assert found.left_out == {"VERIFICATION_ERASED": 1}


def test_a_limit_draws_by_chance_and_always_the_same(context: Context, ids: list[str]) -> None:
    del ids
    assert rehearse(context, policy=None, limit=2).judged == 2
    with pytest.raises(UnknownPolicyError):
        rehearse(context, policy="lenient")
