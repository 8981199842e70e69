from __future__ import annotations

from typing import Any, get_args

import cohere
import pytest
from cohere.types.citation_type import CitationType
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.span import OffsetUnit, from_codepoint
from spanproof.verifier.formats.providers.cohere.source import read_text
from tests.strategies import unhurried
from tests.verifier.formats.providers.payloads import codes_of, list_kinds, read, segment_of


def citation(start: int, end: int, text: str, **more: Any) -> cohere.Citation:
    source = cohere.DocumentSource(id="f-1", document={"id": "f-1", "text": "The sky is blue."})
    fields: dict[str, Any] = {"start": start, "end": end, "text": text, "sources": [source]}
    return cohere.Citation(**(fields | more))


def response(words: str, *citations: cohere.Citation) -> Any:
    content = cohere.TextAssistantMessageResponseContentItem(text=words)
    message = cohere.AssistantMessageResponse(content=[content], citations=list(citations))
    whole = cohere.V2ChatResponse(id="r", finish_reason="COMPLETE", message=message)
    return whole.model_dump(mode="json")


def test_a_response_of_the_sdk_is_read() -> None:
    parsed = read("cohere-v2", response("It is blue.", citation(6, 10, "blue", content_index=0)))
    (cited,) = parsed.answer.citations
    assert segment_of(parsed, cited) == "blue"
    assert cited.doc_id == "report"
    assert cited.quote is not None
    assert cited.quote.text == "The sky is blue."
    assert codes_of(parsed) == []


def test_every_kind_and_source_of_the_sdk_is_known() -> None:
    kinds = set(get_args(get_args(CitationType)[0]))
    assert "TEXT_CONTENT" in kinds
    for kind in kinds:
        parsed = read("cohere-v2", response("It is blue.", citation(6, 10, "blue", type=kind)))
        found = ["CITATION_NOT_IN_ANSWER"] if kind != "TEXT_CONTENT" else []
        assert codes_of(parsed) == found, kind
    assert list_kinds(get_args(cohere.Source)[0]) == {"document", "tool"}


def test_a_tool_is_a_source() -> None:
    tool = cohere.ToolSource(id="f-1", tool_output={"content": "The sky is blue."})
    parsed = read("cohere-v2", response("It is blue.", citation(6, 10, "blue", sources=[tool])))
    (cited,) = parsed.answer.citations
    assert cited.quote is not None
    assert cited.quote.text == "The sky is blue."


@unhurried
@given(
    before=st.text(st.sampled_from("aé価🎉 "), max_size=8),
    words=st.text(st.sampled_from("bü売🎈"), min_size=1, max_size=5),
    unit=st.sampled_from(["codepoint", "utf16", "utf8"]),
    is_inclusive=st.booleans(),
)
def test_whatever_the_unit_a_placed_segment_has_the_words_of_the_payload(
    before: str, words: str, unit: OffsetUnit, *, is_inclusive: bool
) -> None:
    prose = f"{before}{words} end"
    start = from_codepoint(prose, len(before), unit)
    end = from_codepoint(prose, len(before) + len(words), unit) - is_inclusive
    parsed = read("cohere-v2", response(prose, citation(start, end, words)))
    (cited,) = parsed.answer.citations
    assert segment_of(parsed, cited) in {words, None}
    if not is_inclusive:
        # Given honestly in any unit the words are found, or two units disagree and none is taken.
        assert segment_of(parsed, cited) == words or "SEGMENT_MISMATCH" in codes_of(parsed)


def test_the_documents_of_v1_are_read_by_their_ids() -> None:
    cited = cohere.ChatCitation(start=6, end=10, text="blue", document_ids=["f-1", "gone"])
    whole = cohere.NonStreamedChatResponse(
        text="It is blue.",
        citations=[cited],
        documents=[{"id": "f-1", "snippet": "The sky is blue.", "title": "Report"}],
    )
    parsed = read("cohere-v1", whole.model_dump(mode="json"))
    first, second = parsed.answer.citations
    assert first.quote is not None
    assert first.quote.text == "The sky is blue."
    assert second.quote is None
    assert second.doc_id == "gone"
    assert codes_of(parsed) == ["DOCUMENT_NOT_LISTED"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"text": "a", "snippet": "b"}, "a"),
        ({"snippet": "b"}, "b"),
        ({"data": {"text": "c"}}, "c"),
        ({"data": "d"}, "d"),
        ({"title": "e", "text": 3}, None),
        ({}, None),
    ],
)
def test_the_text_of_a_document(fields: dict[str, Any], expected: str | None) -> None:
    assert read_text(fields) == expected
