"""Decisions of people: signed, logged, never instead of the machine's verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import ConflictError, InputError, NotFoundError
from spanproof.operations.decisions import (
    LONGEST_WAIVER,
    DecisionOrder,
    find_standing,
    list_decisions,
    record_decision,
    report_decisions,
)
from spanproof.operations.export.pack import export_pack
from spanproof.operations.fsck.store import check_store
from spanproof.receipt.statement.predicate import NOBODY, Actor
from tests.operations.audited import codes, fill

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context

ANNA, BERT = Actor("sp_anna", None), Actor("sp_bert", None)
ACCEPT = DecisionOrder(action="accept", reason="read on page 1", citation=0)


def word_of(context: Context, verification_id: str, now: datetime | None = None) -> str | None:
    found = list_decisions(context, verification_id)
    standing = find_standing(found, 0, now or datetime.now(UTC))
    return None if standing is None else standing.word


def test_decisions_are_leaves_and_the_verdict_stays(kept_context: Context, tmp_path: Path) -> None:
    context = kept_context
    (answer,) = fill(context, 1)
    before = context.store.answers.load(answer).block
    size = context.log.head().size
    accepted = record_decision(context, answer, ACCEPT, actor=ANNA)
    assert record_decision(context, answer, ACCEPT, actor=ANNA) == accepted
    assert (accepted.log_index, context.log.head().size) == (size, size + 1)
    assert word_of(context, answer) == "accepted"

    until = datetime.now(UTC) + timedelta(days=30)
    order = DecisionOrder(action="waive", reason="next edition", citation=0, expires=until)
    waiver = record_decision(context, answer, order, actor=ANNA)
    assert word_of(context, answer) == "proposed"
    name = waiver.event.event_id
    confirm = DecisionOrder(action="confirm", reason="agreed", about=name)
    with pytest.raises(ConflictError, match="second person"):
        record_decision(context, answer, confirm, actor=ANNA)
    record_decision(context, answer, confirm, actor=BERT)
    assert word_of(context, answer) == "waived"
    assert word_of(context, answer, until) == "expired"
    old = replace(confirm, action="withdraw", about=accepted.event.event_id)
    with pytest.raises(ConflictError, match="earlier one"):
        record_decision(context, answer, old, actor=BERT)

    pack = tmp_path / "pack"
    export_pack(context, [answer], pack)
    said = json.loads((pack / "answers" / answer / "decisions.json").read_text("utf-8"))
    assert [each["action"] for each in said] == ["accept", "waive", "confirm"]
    assert "waived" in (pack / "verdicts.csv").read_text("utf-8")
    assert "people: waived" in (pack / "index.html").read_text("utf-8")
    for each in said:
        assert (pack / "statements" / f"{each['log']['index']}.dsse.json").exists()

    withdraw = DecisionOrder(action="withdraw", reason="too early", about=name)
    record_decision(context, answer, withdraw, actor=BERT)
    # The earlier decision holds again: a record is added, none is removed.
    assert word_of(context, answer) == "accepted"
    report = report_decisions(context, answer)
    assert len(report["decisions"]) == 4
    assert report["standing"][0]["word"] == "accepted"
    assert context.store.answers.load(answer).block == before
    assert codes(check_store(context, None)) == []


def test_what_is_not_whole_is_not_logged(context: Context) -> None:
    (answer,) = fill(context, 1)
    size = context.log.head().size
    now = datetime.now(UTC)
    waive = DecisionOrder(action="waive", reason="r", citation=0)
    for order, error in (
        (replace(ACCEPT, reason=" "), InputError),
        (replace(ACCEPT, reason="x" * 501), InputError),
        (replace(ACCEPT, citation=7), InputError),
        (replace(ACCEPT, citation=None), InputError),
        (replace(ACCEPT, about="x"), InputError),
        (replace(ACCEPT, expires=now + timedelta(days=1)), InputError),
        (waive, InputError),
        (replace(waive, expires=now - timedelta(days=1)), InputError),
        (replace(waive, expires=now + LONGEST_WAIVER + timedelta(days=1)), InputError),
        (DecisionOrder(action="confirm", reason="r", about="x"), NotFoundError),
    ):
        with pytest.raises(error):
            record_decision(context, answer, order, actor=ANNA)
    with pytest.raises(ConflictError, match="by nobody"):
        record_decision(context, answer, ACCEPT, actor=NOBODY)
    with pytest.raises(NotFoundError):
        record_decision(context, "unknown", ACCEPT, actor=ANNA)
    assert context.log.head().size == size
