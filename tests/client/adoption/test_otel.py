"""GenAI telemetry → answers: OTLP/JSON, and spans of the real SDK."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace import TracerProvider

from spanproof.client.adoption import QueueCounts
from spanproof.client.adoption.otel import (
    MAX_DOCUMENTS,
    MAX_TRACES,
    AnswerReader,
    Record,
    read_otlp,
)
from spanproof.client.adoption.otel_processor import AnswerSpanProcessor
from spanproof.core.errors import InputError
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.client.adoption import AnswerQueue
    from tests.client.adoption.conftest import Collector

HASH = "sha256:" + "3f" * 32
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PROSE = "Goods are replaced within four days [1]."
INPUT = [
    {"role": "system", "parts": [{"type": "text", "content": "Cite."}]},
    {"role": "user", "parts": [{"type": "text", "content": "When?"}]},
]
OUTPUT = [
    {
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "content": "not said"},
            {"type": "text", "content": PROSE},
        ],
        "finish_reason": "stop",
    }
]
DOCUMENTS = [{"id": "c1", "score": 0.9, "content": "Goods …", "metadata": {"doc_hash": HASH}}]


def to_value(value: Any) -> dict[str, Any]:
    """A JSON value as OTLP's AnyValue."""
    if isinstance(value, dict):
        pairs = [{"key": name, "value": to_value(each)} for name, each in value.items()]
        return {"kvlistValue": {"values": pairs}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [to_value(each) for each in value]}}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def to_pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": to_value(value)} for name, value in attributes.items()]


def make_span(attributes: dict[str, Any], *, span_id: str = "00f067aa0ba902b7") -> str:
    span = {
        "traceId": TRACE.upper(),
        "spanId": span_id,
        "endTimeUnixNano": "1780000000000000000",
        "attributes": to_pairs(attributes),
    }
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})


def make_event(attributes: dict[str, Any], *, span_id: str = "00f067aa0ba902b7") -> str:
    record = {
        "traceId": TRACE,
        "spanId": span_id,
        "timeUnixNano": "1780000000000000000",
        "eventName": "gen_ai.client.inference.operation.details",
        "attributes": to_pairs(attributes),
    }
    return json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]})


CHAT: dict[str, Any] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-4",
    "gen_ai.response.model": "gpt-4-0613",
    "gen_ai.response.id": "chatcmpl-1",
    "gen_ai.conversation.id": "s1",
    "gen_ai.usage.input_tokens": 52,
}
RETRIEVAL = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": DOCUMENTS}


@pytest.mark.parametrize("form", ["structured", "text"])
@pytest.mark.parametrize("make", [make_span, make_event])
def test_a_chat_and_its_retrieval_become_an_answer(make: Any, form: str) -> None:
    messages: dict[str, Any] = {"gen_ai.input.messages": INPUT, "gen_ai.output.messages": OUTPUT}
    if form == "text":
        messages = {name: json.dumps(value) for name, value in messages.items()}
    lines = [make(CHAT | messages), "", make_span(RETRIEVAL, span_id="b" * 16)]
    (submission,) = read_otlp(lines)
    assert submission.format == "langchain"
    answer = parse_payload(submission.payload, submission.format).answer
    assert answer.prose == PROSE
    assert answer.question == "When?"
    assert answer.trace_id == TRACE
    assert answer.answer_id == "chatcmpl-1"
    assert answer.session_id == "s1"
    assert answer.generated_at is not None
    assert answer.generated_at.year == 2026
    assert answer.generator is not None
    assert answer.generator.model == "gpt-4-0613"
    assert dict(answer.labels)["span_id"] == "00f067aa0ba902b7"
    assert str(answer.citations[0].doc_hash) == HASH


def test_documents_without_words_leave_the_anchors_orphans() -> None:
    bare = RETRIEVAL | {"gen_ai.retrieval.documents": [{"id": "c1", "score": 0.9}]}
    lines = [
        make_span(bare, span_id="b" * 16),
        make_span(CHAT | {"gen_ai.output.messages": OUTPUT}),
    ]
    (submission,) = read_otlp(lines)
    assert submission.format == "native"
    answer = parse_payload(submission.payload).answer
    assert answer.citations == ()
    assert [chunk.chunk_id for chunk in answer.retrieved] == ["c1"]


def test_a_span_and_its_event_are_one_answer() -> None:
    messages = CHAT | {"gen_ai.output.messages": OUTPUT}
    assert len(list(read_otlp([make_span(messages), make_event(messages)]))) == 1


def test_what_is_no_answer_gives_none() -> None:
    call = {"type": "tool_call", "id": "1", "name": "look", "arguments": {}}
    said = {"type": "text", "content": "Let me look."}
    tools = [{"role": "assistant", "parts": [said, call], "finish_reason": "tool_call"}]
    lines = [
        make_span(CHAT),
        make_span(CHAT | {"gen_ai.output.messages": tools}),
        make_span(CHAT | {"gen_ai.output.messages": "no JSON"}),
        make_span({"gen_ai.operation.name": "invoke_agent", "gen_ai.output.messages": OUTPUT}),
        make_span({"http.route": "/chat"}),
        "{}",
    ]
    assert list(read_otlp(lines)) == []
    agents = read_otlp(lines, operations=frozenset({"invoke_agent"}))
    assert len(list(agents)) == 1


@pytest.mark.parametrize(
    "line", ["{", "[1]", "3", '{"resourceSpans": 3}', '{"resourceSpans": [{"scopeSpans": [1]}]}']
)
def test_another_file_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(InputError, match="line 2"):
        list(read_otlp(["{}", line]))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(_JSON, _JSON, _JSON)
def test_any_value_under_the_known_names_is_read_or_passed_over(
    output: Any, documents: Any, question: Any
) -> None:
    attributes = {
        "gen_ai.output.messages": output,
        "gen_ai.retrieval.documents": documents,
        "gen_ai.input.messages": question,
    }
    reader, record = AnswerReader(), Record(trace_id="t", span_id="s", attributes=attributes)
    reader.note(record)
    submission = reader.read(record)
    assert submission is None or json.loads(submission.payload)


def test_old_traces_are_forgotten() -> None:
    reader = AnswerReader()
    for number in range(MAX_TRACES + 5):
        reader.note(Record(trace_id=str(number), span_id="s", attributes=RETRIEVAL))
    assert len(reader._retrieved) == MAX_TRACES
    assert "0" not in reader._retrieved


def test_one_trace_without_end_is_bounded() -> None:
    reader = AnswerReader()
    documents = [{"id": str(number)} for number in range(400)]
    for _ in range(4):
        reader.note(
            Record(trace_id="t", span_id="s", attributes={"gen_ai.retrieval.documents": documents})
        )
    kept = reader._retrieved["t"]
    assert len(kept) == MAX_DOCUMENTS
    assert kept[-1] == {"id": "399"}


@pytest.fixture
def provider(queue: AnswerQueue) -> Iterator[TracerProvider]:
    provider = TracerProvider()
    provider.add_span_processor(AnswerSpanProcessor(queue))
    yield provider
    provider.shutdown()


def test_spans_of_the_sdk_become_answers(
    provider: TracerProvider, queue: AnswerQueue, collector: Collector
) -> None:
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("ask") as outer:
        with tracer.start_as_current_span("retrieval") as span:
            span.set_attribute("gen_ai.operation.name", "retrieval")
            span.set_attribute("gen_ai.retrieval.documents", json.dumps(DOCUMENTS))
        with tracer.start_as_current_span("chat gpt-4") as span:
            span.set_attributes(CHAT)
            span.set_attribute("gen_ai.input.messages", json.dumps(INPUT))
            span.set_attribute("gen_ai.output.messages", json.dumps(OUTPUT))
        trace_id = f"{outer.get_span_context().trace_id:032x}"
    assert provider.force_flush()
    ((name, fields),) = collector.taken
    answer = parse_payload(json.dumps(fields).encode(), name).answer
    assert answer.trace_id == trace_id
    assert str(answer.citations[0].doc_hash) == HASH
    assert queue.counts == QueueCounts(submitted=1)


def test_the_end_of_the_provider_sends_what_waits(
    provider: TracerProvider, queue: AnswerQueue, collector: Collector
) -> None:
    with provider.get_tracer("test").start_as_current_span("chat") as span:
        span.set_attribute("gen_ai.output.messages", json.dumps(OUTPUT))
    provider.shutdown()
    assert len(collector.taken) == 1
    assert not queue.put_deferred(lambda: None, size=1)
