"""Gemini by the SDK's own types: a name that changes upstream breaks a test here."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.formats.registry import parse_payload
from tests.strategies import unhurried

FIRST = "Zürich’s café 👩‍👩‍👧‍👦 opens at nine. "
SECOND = "价格 rose 5 %."
PROSE = FIRST + SECOND


def response(*, text: str | None = SECOND, scores: list[float] | None = None) -> Any:
    """A response as the SDK holds it: one segment, one retrieved chunk."""
    return types.GenerateContentResponse(
        candidates=[
            types.Candidate(
                content=types.Content(role="model", parts=[types.Part(text=PROSE)]),
                finish_reason=types.FinishReason.STOP,
                grounding_metadata=types.GroundingMetadata(
                    grounding_chunks=[
                        types.GroundingChunk(
                            retrieved_context=types.GroundingChunkRetrievedContext(
                                uri="gs://bucket/a.txt",
                                title="A",
                                rag_chunk=types.RagChunk(
                                    text=SECOND,
                                    chunk_id="c1",
                                    page_span=types.RagChunkPageSpan(first_page=2, last_page=3),
                                ),
                            )
                        )
                    ],
                    grounding_supports=[
                        types.GroundingSupport(
                            segment=types.Segment(
                                start_index=len(FIRST.encode()),
                                end_index=len(PROSE.encode()),
                                text=text,
                            ),
                            grounding_chunk_indices=[0],
                            confidence_scores=scores,
                        )
                    ],
                ),
            )
        ]
    )


def parse(payload: Any, name: str = "gemini") -> Any:
    documents = [{"doc_id": "a", "uri": "gs://bucket/a.txt"}]
    return parse_payload(json.dumps({"response": payload, "documents": documents}).encode(), name)


@pytest.mark.parametrize("by_alias", [True, False], ids=["rest", "sdk"])
@pytest.mark.parametrize("text", [SECOND, None], ids=["text", "no text"])
def test_the_sdk_payload_is_read_in_both_spellings(*, by_alias: bool, text: str | None) -> None:
    payload = response(text=text, scores=[0.9]).model_dump(
        mode="json", exclude_none=True, by_alias=by_alias
    )
    parsed = parse(payload)
    (citation,) = parsed.answer.citations
    assert parsed.answer.prose[citation.segment.start : citation.segment.end] == SECOND
    assert citation.quote.text == SECOND
    assert (citation.locator.page, citation.locator.last_page) == (2, 3)
    assert (citation.doc_id, citation.chunk_id, citation.retrieval_score) == ("a", "c1", None)
    assert [remark.code for remark in parsed.imported.remarks] == ["PROVIDER_CONFIDENCE"]
    assert parsed.imported.observed_unit == ("utf8" if text else None)


def test_nulls_of_the_sdk_are_as_good_as_nothing() -> None:
    parsed = parse(response().model_dump(mode="json"))
    assert len(parsed.answer.citations) == 1
    assert parsed.imported.remarks == ()


@unhurried
@given(st.text(max_size=30), st.text(min_size=1, max_size=30), st.text(max_size=30))
def test_no_wrong_slice_of_any_text(before: str, words: str, after: str) -> None:
    prose = before + words + after
    segment = {
        "startIndex": len(before.encode()),
        "endIndex": len((before + words).encode()),
        "text": words,
    }
    candidate = {
        "content": {"parts": [{"text": prose}]},
        "groundingMetadata": {
            "groundingChunks": [{"web": {"uri": "u"}}],
            "groundingSupports": [{"segment": segment, "groundingChunkIndices": [0]}],
        },
    }
    (citation,) = parse({"candidates": [candidate]}).answer.citations
    if citation.segment is not None:
        assert prose[citation.segment.start : citation.segment.end] == words


@unhurried
@given(cuts=st.lists(st.integers(0, len(PROSE)), max_size=5))
def test_a_stream_says_what_the_whole_says(cuts: list[int]) -> None:
    whole = response().model_dump(mode="json", exclude_none=True, by_alias=True)
    edges = [0, *sorted(cuts), len(PROSE)]
    messages: list[dict[str, Any]] = [
        {"candidates": [{"content": {"parts": [{"text": PROSE[start:end]}]}}]}
        for start, end in pairwise(edges)
    ]
    last = {k: v for k, v in whole["candidates"][0].items() if k != "content"}
    streamed, at_once = parse([*messages, {"candidates": [last]}]), parse(whole)
    assert streamed.answer.prose == at_once.answer.prose
    assert streamed.answer.citations == at_once.answer.citations
