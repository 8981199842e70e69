"""What is not judged within its time did not run, says so, and passes nowhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import SpanproofError
from spanproof.operations.assembly import open_context
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.errors import (
    CallerGoneError,
    JobCancelledError,
    RequestTooCostlyError,
)
from spanproof.operations.metrics.counters import Metrics
from spanproof.operations.replay.verification import ReplayStatus, load_stored, replay
from spanproof.operations.settings import Settings
from spanproof.operations.verification.budget import bounded_work
from spanproof.operations.verification.fields import attribute_turn, calibrate_rows
from spanproof.operations.verification.job import verify_item
from spanproof.operations.verification.request import VerificationRequest
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import IntakeError
from tests.builders import ScriptedModel
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.context import Context

ID = "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11"
TEXT = f"{SENTENCE}\nIt is governed by the law of Austria.\n"
PLACED = {"text": SENTENCE, "char_start": 0, "char_end": len(SENTENCE)}
ALTERED = {"text": SENTENCE.replace("the", "this", 1) + " It is governed by the law of Spain."}


@pytest.fixture
def hurried(settings: Settings, warm_parser: Parser) -> Iterator[Context]:
    """A context whose budget is spent at the first checkpoint."""
    hasty = settings.model_copy(update={"budget_seconds": 1e-9})
    with open_context(hasty, parser=warm_parser, model=ScriptedModel()) as context:
        yield _filled(context)


def _filled(context: Context) -> Context:
    ingest_stream(context, [TEXT.encode()], media_type=None, filename="a.txt", doc_id="a")
    return context


def _answer(*spans: dict[str, Any]) -> bytes:
    citations = [
        {"anchor": anchor, "doc_id": "a", "span": span} for anchor, span in enumerate(spans, 1)
    ]
    prose = " ".join(f"Part {each['anchor']} is replaced [{each['anchor']}]." for each in citations)
    return json.dumps({"answer": prose, "citations": citations}).encode()


def test_what_is_left_did_not_run(hurried: Context) -> None:
    made = verify_payload(hurried, _answer(PLACED, {"text": SENTENCE}, ALTERED))
    block = made.response["verification"]
    placed, searched, altered = block["verdicts"]
    # One comparison at the given offsets costs nothing.
    assert placed["existence"]["status"] == "EXACT"
    assert (placed["support"]["status"], placed["support"]["reason"]) == ("NOT_RUN", "budget")
    for verdict in (searched, altered):
        assert verdict["existence"]["status"] == "NOT_RUN"
        assert verdict["support"]["status"] == "NOT_RUN"
        assert "BUDGET_SPENT" in verdict["codes"]
    assert {each["outcome"] for each in block["verdicts"]} == {"error"}
    assert block["result"] == "error"
    assert "BUDGET_SPENT" in block["codes"]
    assert made.receipt is not None


def test_a_judgement_that_was_cut_off_is_not_replayed(hurried: Context) -> None:
    made = verify_payload(hurried, _answer(PLACED))
    report = replay(hurried, load_stored(hurried, made.verification_id))
    assert report.status is ReplayStatus.NOT_CHECKED
    assert report.problem is not None
    assert "cut off by its budget" in report.problem.message


def test_a_job_gives_each_answer_its_budget(hurried: Context) -> None:
    made = verify_item(hurried, _answer({"text": SENTENCE}), {"seed": "s"}, 0)
    block = hurried.store.answers.load(made["verification_id"]).block
    assert "BUDGET_SPENT" in block["codes"]


def test_a_job_that_is_cancelled_ends_within_its_answer(context: Context) -> None:
    def cancel() -> None:
        raise JobCancelledError("Expected a job, got a cancelled one.", hint="Start it again.")

    with pytest.raises(JobCancelledError):
        verify_item(_filled(context), _answer(ALTERED), {"seed": "s"}, 0, cancel)
    assert context.log.open_intakes() == ()
    assert context.store.answers.list().items == ()


def test_fields_and_their_calibration_are_refused_when_their_time_is_spent() -> None:
    settings = Settings(budget_seconds=1e-9)
    context = {"terms": {"fields": {"days": "four"}}}
    turn = {"role": "assistant", "response": "It is four.", "context": context}
    with pytest.raises(RequestTooCostlyError), bounded_work(settings):
        attribute_turn(json.dumps(turn).encode(), Metrics())
    labelled = {"rows": [turn | {"labels": {"terms.days": True}}]}
    with pytest.raises(RequestTooCostlyError), bounded_work(settings):
        calibrate_rows(json.dumps(labelled).encode())
    with bounded_work(Settings(budget_seconds=0)):
        assert attribute_turn(json.dumps(turn).encode(), Metrics()).attributed


def test_no_budget_is_no_limit(context: Context) -> None:
    block = verify_payload(_filled(context), _answer(PLACED, ALTERED)).response["verification"]
    assert "BUDGET_SPENT" not in block["codes"]
    assert [each["existence"]["status"] for each in block["verdicts"]] == ["EXACT", "ALTERED"]


def test_work_ends_when_nobody_waits_and_the_log_says_so(context: Context) -> None:
    def leave() -> None:
        raise CallerGoneError("Expected a caller, got none.", hint="Send it again.")

    wanted = VerificationRequest(verification_id=ID, on_checkpoint=leave)
    with pytest.raises(SpanproofError) as caught:
        verify_payload(_filled(context), _answer(ALTERED), wanted)
    assert isinstance(caught.value, CallerGoneError)
    assert not context.store.answers.has(ID)
    _, closing = context.log.find_statements(ID)
    event = parse_event(closing.statement.payload)
    assert isinstance(event, IntakeError)
    assert event.code == "CLIENT_DISCONNECTED"
