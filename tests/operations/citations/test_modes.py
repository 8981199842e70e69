from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError, MalformedAnswerError, UnknownGrammarError
from spanproof.operations.assembly import open_context
from spanproof.operations.citations.grammars import make_prompt
from spanproof.operations.citations.modes import (
    DEFAULT,
    MODES,
    describe_mode,
    digest_mode,
    find_mode,
    list_modes,
    set_mode,
)
from spanproof.operations.receipts.issuing import CONFIGURATION
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import ConfigChange
from spanproof.receipt.statement.predicate import Actor
from spanproof.verifier.formats.grammars.table import GRAMMARS

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.operations.settings import Settings

NOW = datetime(2026, 11, 20, 14, tzinfo=UTC)
ACTOR = Actor(key_id="sp_k3v7m2qhx4za")


def leaves(context: Context) -> list[ConfigChange]:
    """The changes of modes that the log tells of, in their order."""
    found = [
        parse_event(stored.statement.payload)
        for stored in context.log.find_statements(CONFIGURATION)
    ]
    return [
        each
        for each in found
        if isinstance(each, ConfigChange)
        and any(change.name.startswith("citations.") for change in each.changes)
    ]


def test_without_a_change_every_grammar_is_enforced(context: Context) -> None:
    rows = list_modes(context)
    assert [row.grammar for row in rows] == list(GRAMMARS)
    assert {row.mode for row in rows} == {DEFAULT}
    assert {row.since for row in rows} == {None}


def test_each_change_is_a_leaf_with_its_actor(context: Context) -> None:
    for mode in ("observe", "off", "off", "enforce"):
        found = set_mode(context, "chunk", mode, now=NOW, actor=ACTOR)
        assert (found.mode, found.actor_key_id) == (mode, ACTOR.key_id)
    events = leaves(context)
    assert [event.actor for event in events] == [ACTOR] * 3
    changes = [change for event in events for change in event.changes]
    assert {change.name for change in changes} == {"citations.chunk@production"}
    said = [(change.old, change.new) for change in changes]
    observe, off, enforce = map(digest_mode, ("observe", "off", "enforce"))
    assert said == [(None, observe), (observe, off), (off, enforce)]


def test_a_change_holds_at_once_in_another_process_of_the_store(
    context: Context, settings: Settings
) -> None:
    with open_context(settings) as other:
        assert find_mode(other, "ref").mode == DEFAULT
        set_mode(context, "ref", "off", now=NOW)
        assert find_mode(other, "ref").mode == "off"
        assert find_mode(other, "chunk").mode == DEFAULT


def test_each_environment_has_its_own(context: Context, settings: Settings) -> None:
    set_mode(context, "chunk", "off", now=NOW)
    with open_context(settings.model_copy(update={"environment": "staging"})) as staging:
        assert find_mode(staging, "chunk").mode == DEFAULT
        set_mode(staging, "chunk", "observe", now=NOW)
    assert find_mode(context, "chunk").mode == "off"


@pytest.mark.parametrize("grammar", ["numbered", "chunk", "ref", "field"])
def test_off_empties_the_instructions(context: Context, grammar: str) -> None:
    def find(name: str) -> str:
        return find_mode(context, name).mode

    for mode in MODES:
        set_mode(context, grammar, mode, now=NOW)
        prompt = make_prompt({"grammar": grammar}, find)
        assert prompt["mode"] == mode
        assert bool(prompt["instructions"]) == (mode != "off")
        assert prompt["prompt_sha256"] == str(Digest.of(prompt["instructions"].encode()))
        assert prompt["reference_list"] is None


def test_a_receipt_signs_the_mode_and_the_verdict_does_not_hang_on_it(context: Context) -> None:
    raw = json.dumps({"answer": "It is so [1].", "citations": []}).encode()
    blocks = []
    for mode in MODES:
        set_mode(context, "numbered", mode, now=NOW)
        assert describe_mode(context, "native") == f"numbered@production={mode}"
        done = verify_payload(context, raw)
        blocks.append((done.block.result, done.block.verdicts_digest))
        assert signed_toggles(done.receipt)["citations"] == f"numbered@production={mode}"
    assert len(set(blocks)) == 1
    # A mode is told by a leaf of its own: the settings of the verifier did not change.
    names = [
        change.name
        for stored in context.log.find_statements(CONFIGURATION)
        if isinstance(event := parse_event(stored.statement.payload), ConfigChange)
        for change in event.changes
    ]
    assert names.count("settings") == 1


def signed_toggles(receipt: dict[str, object] | None) -> dict[str, str]:
    import base64

    assert receipt is not None
    envelope = receipt["dsseEnvelope"]
    assert isinstance(envelope, dict)
    predicate = json.loads(base64.b64decode(envelope["payload"]))["predicate"]
    toggles: dict[str, str] = predicate["request"]["toggles"]
    return toggles


def test_a_providers_own_citations_have_no_mode(context: Context) -> None:
    assert describe_mode(context, "anthropic") is None
    assert describe_mode(context, "anthropic,field") == "field@production=enforce"


@pytest.mark.parametrize("mode", ["on", "", "OFF", "enforce "])
def test_another_word_is_refused_and_changes_nothing(context: Context, mode: str) -> None:
    with pytest.raises(MalformedAnswerError):
        set_mode(context, "chunk", mode, now=NOW)
    with pytest.raises(UnknownGrammarError):
        set_mode(context, "anthropic", "off", now=NOW)
    assert leaves(context) == []
    assert find_mode(context, "chunk").since is None


def test_what_is_logged_before_a_crash_changes_nothing(context: Context) -> None:
    """The leaf comes first: without it there is no row."""

    def fail(before: str | None) -> None:
        assert before is None
        raise ConflictError("no leaf", hint="none")

    with pytest.raises(ConflictError):
        context.store.configuration.set(
            "citations.chunk@production",
            "off",
            actor_key_id=None,
            actor_sub=None,
            since=NOW,
            announce=fail,
        )
    assert find_mode(context, "chunk").mode == DEFAULT
