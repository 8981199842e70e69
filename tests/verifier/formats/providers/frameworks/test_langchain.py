"""LangChain by its own messages and translators, whose published fault this import undoes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.documents import Document
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, messages_to_dict

from tests.verifier.formats.providers.payloads import codes_of, read, segment_of

if TYPE_CHECKING:
    from collections.abc import Callable

PROSE = "Zürich’s café served 1 200 guests. Prices rose 5 %."
SEGMENT = "Prices rose 5 %."
#: In bytes, as Gemini gives them and langchain-core copies them; in characters it is 35 to 51.
OFFSETS = (39, 55)
GROUNDING = {
    "grounding_chunks": [
        {"retrieved_context": {"uri": "gs://a", "title": "A", "text": "Prices rose 5 % in May."}}
    ],
    "grounding_supports": [
        {
            "segment": {"start_index": OFFSETS[0], "end_index": OFFSETS[1], "text": SEGMENT},
            "grounding_chunk_indices": [0],
        }
    ],
}
SOURCE = {"doc_id": "a", "uri": "gs://a", "index": 0}


def from_gemini() -> AIMessage:
    return AIMessage(
        content=PROSE,
        response_metadata={"model_provider": "google_genai", "grounding_metadata": GROUNDING},
    )


def wrap(message: AIMessage, way: str) -> dict[str, Any]:
    """A message as applications keep it."""
    ways: dict[str, Callable[[], Any]] = {
        "dump": lambda: {"message": message.model_dump()},
        "dumpd": lambda: {"message": dumpd(message)},
        "dict": lambda: {"message": messages_to_dict([message])[0]},
        "blocks": lambda: {
            "message": message.model_dump() | {"content_blocks": message.content_blocks}
        },
        "alone": message.model_dump,
    }
    found: dict[str, Any] = ways[way]()
    return found


@pytest.mark.parametrize("way", ["dump", "dumpd", "dict", "blocks", "alone"])
def test_gemini_bytes_that_langchain_copied_are_read_as_bytes(way: str) -> None:
    (annotation,) = from_gemini().content_blocks[0]["annotations"]  # type: ignore[typeddict-item]
    # The fault: these are not characters.
    wrong = PROSE[annotation["start_index"] : annotation["end_index"]]  # type: ignore[typeddict-item]
    assert wrong == "es rose 5 %."
    parsed = read("langchain", wrap(from_gemini(), way), SOURCE)
    (citation,) = parsed.answer.citations
    assert segment_of(parsed, citation) == SEGMENT
    assert parsed.imported.observed_unit == "utf8"
    # The chunk, which the translator loses, is found beside the message.
    assert (citation.doc_id, citation.doc_url) == ("a", "gs://a")
    assert citation.quote is not None
    assert citation.quote.text == "Prices rose 5 % in May."


@pytest.mark.parametrize("translated", [True, False])
def test_anthropic_places_without_their_type(*, translated: bool) -> None:
    citation = {"cited_text": "Guests came.", "document_index": 0, "document_title": "A"}
    content: list[str | dict[Any, Any]] = [
        {
            "type": "text",
            "text": PROSE,
            "citations": [
                citation | {"type": "char_location", "start_char_index": 3, "end_char_index": 15},
                citation | {"type": "page_location", "start_page_number": 5, "end_page_number": 7},
            ],
        }
    ]
    message = AIMessage(content=content, response_metadata={"model_provider": "anthropic"})
    blocks: Any = message.content_blocks if translated else content
    parsed = read("langchain", {"message": {"content": blocks}}, SOURCE)
    chars, pages = parsed.answer.citations
    assert chars.quote is not None
    assert (chars.quote.start, chars.quote.end, chars.quote.unit) == (3, 15, None)
    assert pages.locator is not None
    assert (pages.locator.page, pages.locator.last_page) == (5, 6)
    assert segment_of(parsed, pages) == PROSE
    assert codes_of(parsed) == []


@pytest.mark.parametrize("translated", [True, False])
def test_openai_annotations(*, translated: bool) -> None:
    link = "[A](https://a.example/x)"
    text = f"Prices rose {link}. Guests came."
    start = text.index(link)
    content: list[str | dict[Any, Any]] = [
        {
            "type": "text",
            "text": text,
            "annotations": [
                {
                    "type": "url_citation",
                    "url": "https://a.example/x",
                    "title": "A",
                    "start_index": start,
                    "end_index": start + len(link),
                },
                {"type": "file_citation", "file_id": "f", "filename": "a.txt", "index": len(text)},
            ],
        }
    ]
    message = AIMessage(content=content, response_metadata={"model_provider": "openai"})
    blocks: Any = message.content_blocks if translated else content
    documents = {"doc_id": "u", "uri": "https://a.example/x"}, {"doc_id": "f", "file_id": "f"}
    parsed = read("langchain", {"message": {"content": blocks}}, *documents)
    by_link, by_file = parsed.answer.citations
    anchors = {anchor.number: anchor.span for anchor in parsed.answer.anchors}
    assert text[anchors[by_link.anchor].start : anchors[by_link.anchor].end] == link
    assert (by_link.doc_id, by_link.segment) == ("u", None)
    assert (by_file.doc_id, segment_of(parsed, by_file)) == ("f", "Guests came.")


def test_documents_of_the_library_are_cited_by_their_number() -> None:
    documents = [
        Document(page_content="Guests came.", metadata={"source": "b.pdf", "page": 0}, id="x"),
        Document(page_content="Prices rose.", metadata={"source": "a.txt", "start_index": 7}),
    ]
    for dump in (dumpd, Document.model_dump):
        response = {"answer": "Prices rose [2].", "context": [dump(one) for one in documents]}
        parsed = read("langchain", response, {"doc_id": "a", "uri": "a.txt"})
        (citation,) = parsed.answer.citations
        assert (citation.anchor, citation.doc_id, citation.chunk_id) == (2, "a", "documents/1")
        assert citation.quote is not None
        assert (citation.quote.start, citation.quote.end) == (7, 19)
        assert [chunk.chunk_id for chunk in parsed.answer.retrieved] == ["x", "documents/1"]
