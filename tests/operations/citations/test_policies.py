"""Two keys pin a policy or a model to a grammar, one takes it back, the log knows each step."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError, SettingsError, UnknownPolicyError
from spanproof.operations.access.keys import KeyRequest, create_key, revoke_key
from spanproof.operations.citations.policies import (
    approve_model,
    approve_policy,
    find_policy,
    read_pin,
    require_admin,
    roll_back,
)
from spanproof.operations.context import Part
from spanproof.operations.errors import ScopeMissingError, UnauthenticatedError
from spanproof.operations.receipts.issuing import CONFIGURATION
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import ConfigChange
from spanproof.verifier.policies import load_policy
from tests.builders import ScriptedModel
from tests.operations.audited import take_document
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from spanproof.operations.citations.policies import Pin, PinKind
    from spanproof.operations.context import Context

NOW = datetime.now(UTC)


def make_key(context: Context, *scopes: str) -> str:
    wanted = KeyRequest(scopes=scopes or ("admin",), expires_at=NOW + timedelta(days=1))
    text = create_key(context, context, wanted, now=NOW).text
    assert text is not None
    return text


def approve(context: Context, policy: str, key: str) -> Any:
    key_id = require_admin(context, context, key, NOW)
    return approve_policy(context, "numbered", policy, key_id=key_id, now=NOW)


def take_back(context: Context, key: str, kind: PinKind = "policy") -> Pin:
    key_id = require_admin(context, context, key, NOW)
    return roll_back(context, "numbered", kind, key_id=key_id, now=NOW)


def list_changes(context: Context) -> list[str]:
    """The names of the settings that leaves say were changed by a key."""
    found = []
    for stored in context.log.find_statements(CONFIGURATION):
        event = parse_event(stored.statement.payload)
        if isinstance(event, ConfigChange) and event.actor.key_id is not None:
            found += [change.name for change in event.changes]
    return found


def test_the_second_key_lets_it_hold_and_one_takes_it_back(context: Context) -> None:
    alice, bob = make_key(context), make_key(context)
    first = approve(context, "strict", alice)
    assert (first.name, first.proposed) == (None, "strict")
    assert find_policy(context, "native", None).name == "balanced"
    with pytest.raises(ConflictError, match="other than"):
        approve(context, "strict", alice)
    pin = approve(context, "strict", bob)
    assert (pin.name, pin.proposed, len(set(pin.approved_by))) == ("strict", None, 2)
    assert find_policy(context, "native", None).name == "strict"
    # What an answer names stays its own, and other grammars are not meant.
    assert find_policy(context, "native", "review").name == "review"
    assert find_policy(context, "chunk", None).name == "balanced"
    span = {"text": SENTENCE, "char_start": 0, "char_end": len(SENTENCE)}
    citation = {"anchor": 1, "doc_hash": str(take_document(context)), "span": span}
    answer = {"answer": "Defective goods are replaced [1].", "citations": [citation]}
    done = verify_payload(context, json.dumps(answer).encode())
    assert done.block.policy.name == "strict"
    back = take_back(context, alice)
    assert (back.name, back.proposed) == (None, None)
    assert find_policy(context, "native", None).name == "balanced"
    with pytest.raises(ConflictError):
        take_back(context, alice)
    names = ["policy-proposal", "policy", "policy"]
    assert list_changes(context) == [f"{each}.numbered@production" for each in names]
    # The same again needs two keys again.
    assert approve(context, "strict", bob).proposed == "strict"


def test_another_proposal_replaces_the_first(context: Context) -> None:
    alice, bob = make_key(context), make_key(context)
    approve(context, "strict", alice)
    assert approve(context, "review", bob).proposed == "review"
    assert read_pin(context, "numbered").name is None
    assert approve(context, "review", alice).name == "review"
    approve(context, "strict", alice)
    approve(context, "strict", bob)
    assert take_back(context, bob).name == "review"


def test_only_administrators_of_the_tenant_approve(context: Context) -> None:
    with pytest.raises(UnauthenticatedError):
        approve(context, "strict", "sp_0000.nothing")
    with pytest.raises(ScopeMissingError):
        approve(context, "strict", make_key(context, "read", "verify"))
    key = make_key(context)
    with pytest.raises(UnknownPolicyError):
        approve(context, "lenient", key)
    wrong = key[:-1] + ("A" if key[-1] != "A" else "B")
    with pytest.raises(UnauthenticatedError):
        approve(context, "strict", wrong)
    revoke_key(context, context, key.split(".")[0], now=NOW)
    with pytest.raises(UnauthenticatedError):
        approve(context, "strict", key)
    assert list_changes(context) == []


def test_a_pinned_policy_that_a_release_changed_is_refused(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    approve(context, "strict", make_key(context))
    approve(context, "strict", make_key(context))
    monkeypatch.setattr(
        "spanproof.operations.citations.policies.load_policy",
        lambda name: load_policy("review" if name == "strict" else name),
    )
    with pytest.raises(SettingsError, match="pinned policy"):
        find_policy(context, "native", None)


def test_no_other_model_judges_where_one_is_pinned(context: Context) -> None:
    alice, bob = make_key(context), make_key(context)
    name = context.model.identity.name
    span = {"text": SENTENCE, "char_start": 0, "char_end": len(SENTENCE)}
    citation = {"anchor": 1, "doc_hash": str(take_document(context)), "span": span}
    answer = {"answer": "Defective goods are replaced [1].", "citations": [citation]}
    raw = json.dumps(answer).encode()

    def approve_it(other: Context, key: str) -> Pin:
        key_id = require_admin(other, other, key, NOW)
        return approve_model(other, "numbered", key_id=key_id, now=NOW)

    def judge_by(model: ScriptedModel) -> Context:
        return replace(context, parts=replace(context.parts, model=Part.of(model)))

    first = approve_it(context, alice)
    assert (first.name, first.proposed) == (None, name)
    model = ScriptedModel()
    model.identity = replace(model.identity, weights_digest=Digest.of(b"other weights"))
    changed = judge_by(model)
    verify_payload(changed, raw)
    assert approve_it(context, bob).name == name
    verify_payload(context, raw)
    before = len(context.store.answers.list_ids())
    with pytest.raises(SettingsError, match="Expected the pinned model"):
        verify_payload(changed, raw)
    assert len(context.store.answers.list_ids()) == before
    assert read_pin(context, "numbered").name is None
    # Two keys let the other one in, and the first one judges no more; one key takes that back.
    approve_it(changed, alice)
    approve_it(changed, bob)
    verify_payload(changed, raw)
    with pytest.raises(SettingsError):
        verify_payload(context, raw)
    take_back(context, alice, "model")
    verify_payload(context, raw)
    take_back(context, alice, "model")
    verify_payload(changed, raw)
    names = ["model-proposal", "model"] * 2 + ["model"] * 2
    assert list_changes(context) == [f"{each}.numbered@production" for each in names]
