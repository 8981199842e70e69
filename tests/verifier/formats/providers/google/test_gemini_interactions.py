"""Interactions by the SDK's own types, and by its stream."""

from __future__ import annotations

import json
from typing import Any

from google.genai import interactions

from spanproof.verifier.formats.registry import parse_payload

FIRST = "Zürich’s café 👩‍👩‍👧‍👦 opens at nine. "
SECOND = "价格 rose 5 %."
PROSE = FIRST + SECOND
START, END = len(FIRST.encode()), len(PROSE.encode())


def parse(payload: Any) -> Any:
    documents = [{"doc_id": "a", "uri": "files/a"}]
    raw = json.dumps({"response": payload, "documents": documents}).encode()
    return parse_payload(raw, "gemini-interactions")


def file_citation() -> Any:
    return interactions.FileCitation(
        document_uri="files/a", file_name="a.txt", start_index=START, end_index=END, page_number=4
    )


def dump(value: Any) -> Any:
    return value.model_dump(mode="json", exclude_none=True)


def assert_read(parsed: Any) -> None:
    (citation,) = parsed.answer.citations
    assert parsed.answer.prose == PROSE
    assert PROSE[citation.segment.start : citation.segment.end] == SECOND
    assert (citation.doc_id, citation.locator, citation.quote) == ("a", None, None)
    assert [remark.code for remark in parsed.imported.remarks] == ["PAGES_UNDOCUMENTED"]


def test_the_sdk_types_are_read() -> None:
    step = interactions.ModelOutputStep(
        content=[interactions.TextContent(text=PROSE, annotations=[file_citation()])]
    )
    assert_read(parse({"status": "completed", "steps": [dump(step)]}))


def test_the_sdk_stream_is_read() -> None:
    deltas = [
        interactions.TextDelta(text=PROSE[:9]),
        interactions.TextDelta(text=PROSE[9:]),
        interactions.TextAnnotationDelta(annotations=[file_citation()]),
    ]
    events = [
        {"event_type": "step.start", "index": 0, "step": dump(interactions.ModelOutputStep())},
        *({"event_type": "step.delta", "index": 0, "delta": dump(delta)} for delta in deltas),
        {"event_type": "interaction.completed", "interaction": {}},
    ]
    assert_read(parse(events))
