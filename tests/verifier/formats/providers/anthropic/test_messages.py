from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from anthropic import types as sdk
from anthropic.types.text_citation import TextCitation
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedAnswerError
from spanproof.verifier.formats.providers.anthropic.messages import LEAKED
from tests.strategies import unhurried
from tests.verifier.formats.providers.payloads import codes_of, list_kinds, read, segment_of

CHAR = sdk.CitationCharLocation(
    type="char_location",
    cited_text="The sky is blue.",
    document_index=0,
    document_title="Report",
    file_id=None,
    start_char_index=20,
    end_char_index=36,
)
CITATIONS: list[TextCitation] = [
    CHAR,
    sdk.CitationPageLocation(
        type="page_location",
        cited_text="The sky is blue.",
        document_index=0,
        document_title=None,
        file_id=None,
        start_page_number=5,
        end_page_number=6,
    ),
    sdk.CitationContentBlockLocation(
        type="content_block_location",
        cited_text="The sky is blue.",
        document_index=0,
        document_title=None,
        file_id=None,
        start_block_index=0,
        end_block_index=1,
    ),
    sdk.CitationsSearchResultLocation(
        type="search_result_location",
        cited_text="The sky is blue.",
        search_result_index=3,
        source="https://example.com/report",
        title=None,
        start_block_index=0,
        end_block_index=1,
    ),
    sdk.CitationsWebSearchResultLocation(
        type="web_search_result_location",
        cited_text="The sky is blue.",
        url="https://example.com/report",
        title="Report",
        encrypted_index="x",
    ),
]


def message(*content: sdk.TextBlock) -> sdk.Message:
    return sdk.Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude",
        content=list(content),
        stop_reason="end_turn",
        stop_sequence=None,
        usage=sdk.Usage(input_tokens=1, output_tokens=1),
    )


def text(words: str, *citations: TextCitation) -> sdk.TextBlock:
    return sdk.TextBlock(type="text", text=words, citations=list(citations) or None)


def dump(model: Any) -> Any:
    return model.model_dump(mode="json")


def test_every_type_of_location_that_the_sdk_knows_is_read() -> None:
    assert {citation.type for citation in CITATIONS} == list_kinds(
        TextCitation.__origin__  # type: ignore[attr-defined]
    )
    parsed = read("anthropic", dump(message(text("It is blue.", *CITATIONS))))
    assert parsed.imported.remarks == ()
    assert [citation.anchor for citation in parsed.answer.citations] == [1, 2, 3, 4, 5]
    for citation in parsed.answer.citations:
        assert citation.doc_id == "report"
        assert citation.quote is not None
        assert citation.quote.text == "The sky is blue."
        assert citation.quote.unit is None
        assert segment_of(parsed, citation) == "It is blue."
    quotes = [citation.quote for citation in parsed.answer.citations]
    assert [quote.start for quote in quotes if quote] == [20, None, None, None, None]
    pages = [c.locator and (c.locator.page, c.locator.last_page) for c in parsed.answer.citations]
    assert pages == [None, (5, 5), None, None, None]


def test_every_block_of_the_sdk_is_prose_or_known_to_be_none() -> None:
    kinds = list_kinds(sdk.ContentBlock.__origin__)  # type: ignore[attr-defined]
    assert {"text", "thinking", "tool_use"} <= kinds
    for kind in kinds - {"text"}:
        assert codes_of(read("anthropic", {"content": [{"type": kind}]})) == [], kind


def stream(*blocks: tuple[list[str], list[TextCitation]]) -> list[Any]:
    start = message().model_copy(update={"stop_reason": None})
    events: list[Any] = [sdk.RawMessageStartEvent(type="message_start", message=start)]
    for index, (pieces, citations) in enumerate(blocks):
        deltas: list[Any] = [sdk.TextDelta(type="text_delta", text=piece) for piece in pieces]
        # Citations may come before, between and after the pieces of their text.
        for place, citation in enumerate(citations):
            delta = sdk.CitationsDelta(type="citations_delta", citation=citation)
            deltas.insert(2 * place, delta)
        events.append(
            sdk.RawContentBlockStartEvent(
                type="content_block_start", index=index, content_block=text("")
            )
        )
        events += [
            sdk.RawContentBlockDeltaEvent(type="content_block_delta", index=index, delta=delta)
            for delta in deltas
        ]
        events.append(sdk.RawContentBlockStopEvent(type="content_block_stop", index=index))
    events.append(sdk.RawMessageStopEvent(type="message_stop"))
    return [dump(event) for event in events]


@unhurried
@given(
    words=st.text(st.characters(codec="utf-8"), max_size=12),
    cuts=st.lists(st.integers(0, 12), max_size=4),
    chosen=st.lists(st.sampled_from(CITATIONS), max_size=3),
)
def test_a_stream_comes_to_what_the_whole_message_says(
    words: str, cuts: list[int], chosen: list[TextCitation]
) -> None:
    edges = [0, *sorted(min(cut, len(words)) for cut in cuts), len(words)]
    pieces = [words[start:end] for start, end in pairwise(edges)]
    streamed = read("anthropic", stream((["So: "], []), (pieces, chosen), (["."], [])))
    whole = read("anthropic", dump(message(text("So: "), text(words, *chosen), text("."))))
    assert streamed.answer == whole.answer
    assert codes_of(streamed) == codes_of(whole)


@unhurried
@given(kept=st.integers(1, 7))
def test_a_stream_that_was_cut_anywhere_says_so(kept: int) -> None:
    events = stream((["The sky ", "is blue."], [CHAR]), (["."], []))
    parsed = read("anthropic", events[:kept])
    assert "CITATION_UNMAPPED" in codes_of(parsed)
    assert "/response" in parsed.imported.unmapped


@pytest.mark.parametrize("tag", ['(cite index="1-1,1-2">', "<cite index='0'>", '<cite index="3">'])
def test_a_leaked_tag_is_seen(tag: str) -> None:
    assert LEAKED.search(f"The sky {tag}is blue</cite>.")


@pytest.mark.parametrize("words", ["(cite the index)", "cite index 3", "<cite>Nature</cite>"])
def test_words_about_citing_are_no_tag(words: str) -> None:
    assert not LEAKED.search(words)


@pytest.mark.parametrize(
    "change",
    [
        {"start_char_index": None},
        {"end_char_index": "36"},
        {"start_char_index": -1},
        {"end_char_index": 3},
        {"document_index": None},
        {"cited_text": 7},
    ],
)
def test_a_broken_location_is_no_citation(change: dict[str, Any]) -> None:
    payload = dump(message(text("Blue.", CHAR)))
    payload["content"][0]["citations"][0] |= change
    with pytest.raises(MalformedAnswerError) as caught:
        read("anthropic", payload)
    pointers = [problem.pointer for problem in caught.value.problems]
    assert pointers == [f"/response/content/0/citations/0/{next(iter(change))}"]


def test_a_location_without_its_text_quotes_nothing() -> None:
    payload = dump(message(text("Blue.", CHAR)))
    del payload["content"][0]["citations"][0]["cited_text"]
    (citation,) = read("anthropic", payload).answer.citations
    assert citation.quote is None
