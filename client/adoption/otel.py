"""OpenTelemetry GenAI telemetry → answers: spans and events of the GenAI semantic conventions.

Source: open-telemetry/semantic-conventions-genai, ``gen_ai.input.messages``,
``gen_ai.output.messages``, ``gen_ai.retrieval.documents``, and the event
``gen_ai.client.inference.operation.details``; OTLP/JSON as the collector's file exporter writes it.
Instrumentation records the messages only if content capture is switched on: without them this
module has nothing to verify. The documents come from the retrieval spans of the same trace.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.client.adoption.submission import Submission, name_documents
from spanproof.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Operations whose output a person may read; an agent's own span repeats its last model call.
OPERATIONS = frozenset({"chat", "generate_content", "text_completion"})
DETAILS = "gen_ai.client.inference.operation.details"
_OUTPUT, _INPUT = "gen_ai.output.messages", "gen_ai.input.messages"
_DOCUMENTS = "gen_ai.retrieval.documents"
#: Traces whose retrieved documents are remembered, the newest.
MAX_TRACES = 1000
#: Documents that are remembered of one trace, the newest.
MAX_DOCUMENTS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One span or event: its attributes as JSON values, and where it belongs.

    ``time`` is in nanoseconds since 1970, UTC; 0 where it is not known.
    """

    trace_id: str
    span_id: str
    attributes: Mapping[str, Any]
    time: int = 0


@dataclass(slots=True, kw_only=True)
class AnswerReader:
    """Makes answers of records as they come; retrieval has to come before its answer."""

    operations: frozenset[str] = OPERATIONS
    _retrieved: OrderedDict[str, list[dict[str, Any]]] = field(default_factory=OrderedDict)

    def note(self, record: Record) -> None:
        """Remember the documents of a retrieval; ignore every other record."""
        documents = _to_json(record.attributes.get(_DOCUMENTS))
        if not isinstance(documents, list):
            return
        known = self._retrieved.setdefault(record.trace_id, [])
        known += [each for each in documents if isinstance(each, dict)]
        # An agent may retrieve without end in one trace.
        del known[:-MAX_DOCUMENTS]
        self._retrieved.move_to_end(record.trace_id)
        while len(self._retrieved) > MAX_TRACES:
            self._retrieved.popitem(last=False)

    def read(self, record: Record) -> Submission | None:
        """The answer of a record; None for a record without an answer."""
        attributes = record.attributes
        operation = attributes.get("gen_ai.operation.name", "chat")
        if operation not in self.operations:
            return None
        text = _find_text(_to_json(attributes.get(_OUTPUT)), "assistant", last=False)
        if not text:
            return None
        documents = self._retrieved.get(record.trace_id, [])
        common = _describe(record)
        rows = [_to_row(each) for each in documents]
        whole = [row for row in rows if row is not None]
        if len(whole) == len(rows) and whole:
            response = {"message": text, "documents": whole}
            named = name_documents((row["metadata"], [row["id"]]) for row in whole)
            return Submission.of(
                common | {"response": response, "documents": named}, format="langchain"
            )
        # Ids without words quote nothing: what the prose cites is an orphan, and said to be one.
        retrieved = [{"chunk_id": str(each["id"])} for each in documents if each.get("id")]
        return Submission.of(common | {"answer": text, "citations": [], "retrieved": retrieved})


def read_otlp(
    lines: Iterable[str], *, operations: frozenset[str] = OPERATIONS
) -> Iterator[Submission]:
    """The answers of OTLP/JSON, one document a line, in the order of their end.

    The whole is read before the first answer comes: a retrieval span may stand anywhere. Raises
    InputError for a line that is no OTLP/JSON; empty lines are passed over.
    """
    reader = AnswerReader(operations=operations)
    records: list[Record] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            records += _read_line(line, number)
    for record in records:
        reader.note(record)
    seen: set[tuple[str, str]] = set()
    for record in sorted(records, key=lambda each: each.time):
        submission = reader.read(record)
        # A span and the event beside it may both hold the messages.
        if submission is not None and (record.trace_id, record.span_id) not in seen:
            seen.add((record.trace_id, record.span_id))
            yield submission


def _read_line(line: str, number: int) -> list[Record]:
    try:
        document = json.loads(line)
        return [*_read_spans(document), *_read_events(document)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        msg = f"Expected OTLP/JSON in line {number}, got {type(error).__name__}."
        hint = "Give what the collector's file exporter wrote, with format json."
        raise InputError(msg, hint=hint) from error


def _read_spans(document: Mapping[str, Any]) -> Iterator[Record]:
    for resource in document.get("resourceSpans", ()):
        for scope in resource.get("scopeSpans", ()):
            for span in scope.get("spans", ()):
                attributes = _read_attributes(span.get("attributes", ()))
                events = [each for each in span.get("events", ()) if each.get("name") == DETAILS]
                for event in events:
                    attributes |= _read_attributes(event.get("attributes", ()))
                yield Record(
                    trace_id=span["traceId"].lower(),
                    span_id=span["spanId"].lower(),
                    attributes=attributes,
                    time=int(span.get("endTimeUnixNano", 0)),
                )


def _read_events(document: Mapping[str, Any]) -> Iterator[Record]:
    for resource in document.get("resourceLogs", ()):
        for scope in resource.get("scopeLogs", ()):
            for record in scope.get("logRecords", ()):
                attributes = _read_attributes(record.get("attributes", ()))
                if DETAILS in (record.get("eventName"), attributes.get("event.name")):
                    yield Record(
                        trace_id=record.get("traceId", "").lower(),
                        span_id=record.get("spanId", "").lower(),
                        attributes=attributes,
                        time=int(record.get("timeUnixNano") or 0),
                    )


def _read_attributes(pairs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {pair["key"]: _read_value(pair.get("value") or {}) for pair in pairs}


def _read_value(value: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    """An AnyValue of OTLP as the JSON value that it means."""
    if "kvlistValue" in value:
        return _read_attributes(value["kvlistValue"].get("values", ()))
    if "arrayValue" in value:
        return [_read_value(each) for each in value["arrayValue"].get("values", ())]
    if "intValue" in value:
        return int(value["intValue"])
    return next(iter(value.values()), None)


def _describe(record: Record) -> dict[str, Any]:
    """What the native format and the envelope have in common."""
    attributes = record.attributes
    generator = {
        "model": attributes.get("gen_ai.response.model") or attributes.get("gen_ai.request.model"),
        "prompt_id": attributes.get("gen_ai.prompt.name"),
    }
    moment = datetime.fromtimestamp(record.time / 10**9, UTC) if record.time else None
    response_id = attributes.get("gen_ai.response.id")
    labels = {"span_id": record.span_id, "response_id": response_id}
    return {
        # The same telemetry read twice is the same answer.
        "answer_id": response_id or f"{record.trace_id}-{record.span_id}",
        "question": _find_text(_to_json(attributes.get(_INPUT)), "user", last=True) or None,
        "generator": {name: str(value) for name, value in generator.items() if value} or None,
        "generated_at": None if moment is None else moment.isoformat().replace("+00:00", "Z"),
        "session_id": attributes.get("gen_ai.conversation.id"),
        "trace_id": record.trace_id or None,
        "labels": {name: str(value) for name, value in labels.items() if value},
    }


def _find_text(messages: Any, role: str, *, last: bool) -> str:  # noqa: ANN401 - another's JSON
    """The text parts of the first or last message of a role; several choices have one each."""
    wanted = [
        each
        for each in (messages if isinstance(messages, list) else ())
        if isinstance(each, dict) and each.get("role") == role
    ]
    texts = [_join(each.get("parts")) for each in wanted]
    found = [text for text in texts if text]
    if not found:
        return ""
    return found[-1] if last else found[0]


def _join(parts: Any) -> str:  # noqa: ANN401 - another's JSON
    listed = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    if any(part.get("type") == "tool_call" for part in listed):
        # What a model says beside a call of a tool is on the way to an answer.
        return ""
    return "".join(str(part.get("content") or "") for part in listed if part.get("type") == "text")


def _to_row(document: Mapping[str, Any]) -> dict[str, Any] | None:
    """A retrieved document in LangChain's shape; None where its words were not recorded."""
    content = document.get("content")
    if not isinstance(content, str):
        return None
    metadata = document.get("metadata")
    fields = dict(metadata) if isinstance(metadata, dict) else {}
    named = {name: document[name] for name in ("source", "title", "doc_hash") if name in document}
    given = document.get("id")
    return {
        "id": None if given is None else str(given),
        "page_content": content,
        "metadata": named | fields,
    }


def _to_json(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Structured values may come as their JSON text, where attributes cannot hold them."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return None
    return _to_plain(value)


def _to_plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    # The SDK keeps sequences as tuples and mappings as read-only ones.
    if isinstance(value, Mapping):
        return {str(name): _to_plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_to_plain(each) for each in value]
    return value
