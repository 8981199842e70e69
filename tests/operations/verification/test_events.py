"""Verdicts as events of the real OpenTelemetry SDK; without it nothing happens."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry import _logs
from opentelemetry._logs import _internal
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider

from spanproof.operations.verification.verify import verify_payload
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.operations.context import Context

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemoryLogRecordExporter]:
    """The SDK as an application sets it up; taken away again after the test."""
    exporter, provider = InMemoryLogRecordExporter(), LoggerProvider()  # type: ignore[no-untyped-call]
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    monkeypatch.setattr(_internal, "_LOGGER_PROVIDER", provider)
    yield exporter
    provider.shutdown()


@pytest.fixture
def answer(context: Context) -> dict[str, Any]:
    from spanproof.operations.documents.ingest import ingest_stream

    report = ingest_stream(
        context,
        [SENTENCE.encode()],
        filename=None,
        media_type="text/plain",
        doc_id="terms",
        title=None,
    )
    span = {"text": SENTENCE, "char_start": 0, "char_end": len(SENTENCE)}
    return {
        "answer": f"{SENTENCE} [1]. Freight is free [2].",
        "citations": [
            {"anchor": 1, "doc_hash": str(report.doc_hash), "span": span},
            {
                "anchor": 2,
                "doc_hash": str(report.doc_hash),
                "span": {"text": "Xyzzy plugh qwerty."},
            },
        ],
    }


def verify(context: Context, answer: dict[str, Any], **changes: Any) -> str:
    raw = json.dumps(answer | changes).encode()
    return verify_payload(context, raw).verification_id


def test_each_verdict_is_two_events_of_the_answers_trace(
    context: Context, answer: dict[str, Any], exporter: InMemoryLogRecordExporter
) -> None:
    labels = {"span_id": SPAN, "response_id": "chatcmpl-1"}
    verification_id = verify(context, answer, trace_id=TRACE, labels=labels)
    records = [each.log_record for each in exporter.get_finished_logs()]
    assert len(records) == 4
    for record in records:
        assert record.event_name == "gen_ai.evaluation.result"
        assert record.trace_id == int(TRACE, 16)
        assert record.span_id == int(SPAN, 16)
        assert record.attributes is not None
        assert record.attributes["gen_ai.response.id"] == "chatcmpl-1"
        assert record.attributes["spanproof.verification.id"] == verification_id
    told: list[dict[str, Any]] = [dict(record.attributes or {}) for record in records]
    names = [each["gen_ai.evaluation.name"] for each in told]
    assert names == ["citation.span", "citation.entailment"] * 2
    assert told[0]["gen_ai.evaluation.score.value"] == 1.0
    assert told[0]["gen_ai.evaluation.score.label"] == "pass"
    assert told[0]["gen_ai.evaluation.explanation"] == "IDENTITY_MATCH EXISTENCE_EXACT"
    assert 0 < told[1]["gen_ai.evaluation.score.value"] <= 1
    assert told[2]["gen_ai.evaluation.score.label"] == "fail"
    assert told[2]["gen_ai.evaluation.score.value"] == 0.0
    # The model did not run: no score, and never a pass.
    assert "gen_ai.evaluation.score.value" not in told[3]
    assert told[3]["gen_ai.evaluation.score.label"] == "error"
    assert told[3]["error.type"] == "SUPPORT_NOT_RUN"


def test_no_word_of_answer_or_document_is_in_an_event(
    context: Context, answer: dict[str, Any], exporter: InMemoryLogRecordExporter
) -> None:
    verify(context, answer, question="A question?", trace_id=TRACE)
    told = "".join(each.to_json() for each in exporter.get_finished_logs())
    for words in (SENTENCE[:20], "Freight", "Xyzzy", "question?"):
        assert words not in told


@pytest.mark.parametrize("trace_id", ["0" * 32, "no trace", "４" * 32, TRACE.upper(), None])
def test_without_a_trace_of_its_own_it_belongs_to_what_runs_here(
    context: Context,
    answer: dict[str, Any],
    exporter: InMemoryLogRecordExporter,
    trace_id: str | None,
) -> None:
    with TracerProvider().get_tracer("test").start_as_current_span("verify") as span:
        verify(context, answer, trace_id=trace_id)
        expected = span.get_span_context().trace_id
    assert {each.log_record.trace_id for each in exporter.get_finished_logs()} == {expected}


def test_a_trace_without_a_span_gets_no_other_span(
    context: Context, answer: dict[str, Any], exporter: InMemoryLogRecordExporter
) -> None:
    with TracerProvider().get_tracer("test").start_as_current_span("verify"):
        verify(context, answer, trace_id=TRACE, labels={"span_id": "no span"})
    (first, *_) = exporter.get_finished_logs()
    assert (first.log_record.trace_id, first.log_record.span_id) == (int(TRACE, 16), 0)


def test_without_an_sdk_nothing_happens(context: Context, answer: dict[str, Any]) -> None:
    assert not isinstance(_logs.get_logger_provider(), LoggerProvider)
    assert verify(context, answer, trace_id=TRACE)


def test_a_pipeline_that_fails_fails_nothing_else(
    context: Context,
    answer: dict[str, Any],
    exporter: InMemoryLogRecordExporter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(exporter, "export", fail)
    verification_id = verify(context, answer, trace_id=TRACE)
    assert context.store.answers.has(verification_id)
