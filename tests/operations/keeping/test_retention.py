"""A plan lets go by age, label and tenant; the dry run tells it first, and a hold wins."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import InputError, SettingsError, VerificationErasedError
from spanproof.operations.fsck.store import check_store
from spanproof.operations.keeping.holds import place_hold
from spanproof.operations.keeping.plan import RetentionPlan, load_plan, parse_plan
from spanproof.operations.keeping.retention import apply_plan, list_due
from tests.contexts import with_settings
from tests.operations.audited import codes, take_document
from tests.operations.keeping.test_holds import verify_labelled

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context

LATER = datetime.now(UTC) + timedelta(days=400)
ANSWERS = {"name": "support", "of": "answers", "older_than_days": 30, "labels": {"team": "support"}}
DOCUMENTS = {"name": "papers", "of": "documents", "older_than_days": 300}


def make_plan(*rules: dict[str, Any]) -> RetentionPlan:
    return parse_plan(json.dumps({"rule": rules}).encode(), is_toml=False)


def test_what_is_due_is_listed_then_goes_behind_tombstones(kept_context: Context) -> None:
    context = kept_context
    doc_hash = take_document(context)
    due = verify_labelled(context, doc_hash, team="support")
    held = verify_labelled(context, doc_hash, team="support", matter="4711")
    other = verify_labelled(context, doc_hash, team="sales")
    hold = place_hold(context, "label", "matter=4711", reason="matter 4711")
    plan = make_plan(ANSWERS, DOCUMENTS)
    assert list_due(context, plan).due == ()
    listed = list_due(context, plan, now=LATER)
    assert {(each.subject, each.fate) for each in listed.due} == {
        (due, "due"),
        (held, "held"),
        (str(doc_hash), "held"),
    }
    assert hold.hold_id in {each.subject: each.why for each in listed.due}[held]
    # The dry run changed nothing.
    assert context.store.answers.load(due).raw
    done = apply_plan(context, plan, now=LATER)
    assert [each.subject for each in done.erased] == [due]
    with pytest.raises(VerificationErasedError, match="retention rule 'support'"):
        context.store.answers.load(due)
    for each in (held, other):
        assert context.store.answers.load(each).raw
    assert apply_plan(context, plan, now=LATER).erased == ()
    assert codes(check_store(context, None)) == []


def test_a_document_stays_while_a_kept_answer_cites_it(context: Context) -> None:
    doc_hash = take_document(context)
    citing = verify_labelled(context, doc_hash, team="sales")
    plan = make_plan(DOCUMENTS)
    (row,) = list_due(context, plan, now=LATER).due
    assert (row.fate, row.subject) == ("cited", str(doc_hash))
    both = make_plan({"name": "all", "of": "answers", "older_than_days": 1}, DOCUMENTS)
    done = apply_plan(context, both, now=LATER, limit=1)
    assert ([each.subject for each in done.erased], len(done.due)) == ([citing], 1)
    # The next call goes on: nothing cites it any more.
    done = apply_plan(context, both, now=LATER, limit=1)
    assert [each.subject for each in done.erased] == [str(doc_hash)]


def test_a_rule_is_for_its_tenants(context: Context) -> None:
    verify_labelled(context, take_document(context), team="support")
    assert list_due(context, make_plan(ANSWERS | {"tenants": ["other"]}), now=LATER).due == ()
    assert list_due(context, make_plan(ANSWERS | {"tenants": ["default"]}), now=LATER).due != ()


def test_the_log_names_the_plan_before_anything_goes(context: Context) -> None:
    take_document(context)
    plan = make_plan(DOCUMENTS)
    assert len(apply_plan(context, plan, now=LATER).erased) == 1
    (named,) = (
        each
        for each in context.log.list_statements(["config-change"])
        if str(plan.digest).encode() in each.statement.payload
    )
    (tombstone,) = context.log.list_statements(["erasure"])
    assert named.index < tombstone.index


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b'{"rule": [{"name": "a"}]}',
        b'{"rules": []}',
        json.dumps({"rule": [DOCUMENTS | {"of": "keys"}]}).encode(),
        json.dumps({"rule": [DOCUMENTS | {"older_than_days": -1}]}).encode(),
        json.dumps({"rule": [DOCUMENTS | {"older_than_days": 10**9}]}).encode(),
        json.dumps({"rule": [DOCUMENTS | {"labels": {"a": 1}}]}).encode(),
        json.dumps({"rule": [DOCUMENTS, DOCUMENTS]}).encode(),
    ],
)
def test_a_malformed_plan_is_refused(wrong: bytes) -> None:
    with pytest.raises(InputError):
        parse_plan(wrong, is_toml=False)


def test_a_plan_of_toml_says_the_same(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('[[rule]]\nname = "papers"\nof = "documents"\nolder_than_days = 300\n')
    settings = with_settings(context, retention_plan=path).settings
    assert load_plan(settings).digest == make_plan(DOCUMENTS).digest
    assert load_plan(context.settings).rules == ()
    path.write_text("[[rule")
    with pytest.raises(SettingsError):
        load_plan(settings)
