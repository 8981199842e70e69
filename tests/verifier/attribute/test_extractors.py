"""Tool outputs in the shapes in which tools give them; what gives no text is told."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import SettingsError
from spanproof.verifier.attribute.registry import (
    SHIPPED,
    ExtractorRegistry,
    ToolExtractor,
    load_registry,
)
from spanproof.verifier.attribute.sources import AnswerSource, FoundText, ToolResult, Unextracted

ROW = {"url": "https://www.example.com/a", "title": "Terms", "snippet": "Goods are replaced."}


def extract(name: str, output: Any, **parameters: Any) -> tuple[list[FoundText], list[Unextracted]]:
    found, missed = ExtractorRegistry().extract(
        [ToolResult(tool_name=name, tool_request_id="c", parameters=parameters, output=output)]
    )
    return [text for _, text in found], list(missed)


@pytest.mark.parametrize(
    "output",
    [
        [ROW],
        {"results": [ROW]},
        {"organic": [ROW]},
        {"webPages": {"value": [ROW]}},
        {"data": {"web": {"results": [ROW]}}},
        json.dumps({"items": [ROW]}),
    ],
)
def test_a_search_gives_one_snippet_a_result(output: Any) -> None:
    (text,), missed = extract("web_search", output)
    assert (text.data, text.scope, text.type) == (b"Goods are replaced.", "snippet", "web_search")
    assert (text.uri, text.title) == (ROW["url"], ROW["title"])
    assert missed == []


def test_a_search_that_brings_the_page_itself_is_full() -> None:
    (text,), _ = extract("web_search", [ROW | {"raw_content": "The whole page."}])
    assert (text.data, text.scope, text.snippet) == (
        b"The whole page.",
        "full",
        "Goods are replaced.",
    )


def test_a_result_without_text_is_told_with_its_place() -> None:
    found, (missed,) = extract("web_search", {"results": [ROW, {"url": "https://b.org"}]})
    assert len(found) == 1
    assert (missed.reason, missed.pointer) == ("no_text", "/results/1")


def test_a_page_keeps_the_bytes_received_and_the_address_asked_for() -> None:
    (text,), _ = extract("web_scrape", "Zürich 🙂 line\r\n two", url="https://z.ch/x")
    assert text.data == "Zürich 🙂 line\r\n two".encode()
    assert (text.uri, text.scope, text.media_type) == (
        "https://z.ch/x",
        "full",
        "text/plain; charset=utf-8",
    )
    (page,), _ = extract("web_scrape", {"url": "https://q.org", "html": "<html><p>a</p></html>"})
    assert (page.uri, page.media_type) == ("https://q.org", "text/html")


def test_a_chunk_of_a_rag_query_is_a_snippet_with_its_page() -> None:
    node = {"node": {"text": "Chunk.", "metadata": {"file_name": "a.pdf", "page_number": 3}}}
    (text,), _ = extract("query_rag_v2", {"source_nodes": [node]})
    assert (text.data, text.scope, text.title, text.page_number) == (
        b"Chunk.",
        "snippet",
        "a.pdf",
        3,
    )


@pytest.mark.parametrize("page", [0, -1, True, "3", None])
def test_a_page_that_may_count_from_zero_is_not_taken(page: Any) -> None:
    (text,), _ = extract("query_rag", [{"text": "Chunk.", "metadata": {"page_number": page}}])
    assert text.page_number is None


def test_an_extract_of_wikipedia_is_a_snippet_and_its_content_is_not() -> None:
    (short,), _ = extract("wikipedia_search", {"title": "Bern", "extract": "Bern is a city."})
    (whole,), _ = extract("wikipedia_search", {"title": "Bern", "content": "Bern is a city. More."})
    assert (short.scope, whole.scope) == ("snippet", "full")


def test_a_response_that_reports_an_error_is_no_source() -> None:
    found, (missed,) = extract("http_client", {"status_code": 404, "body": "Not found"})
    assert (found, missed.reason) == ([], "http_error")
    (text,), _ = extract(
        "http_client", {"status_code": 200, "body": "Found it."}, url="https://a.b"
    )
    assert (text.data, text.uri) == (b"Found it.", "https://a.b")


def test_the_parts_of_an_mcp_result() -> None:
    blob = base64.b64encode(b"%PDF-1.7 x").decode()
    output = {
        "content": [
            {"type": "text", "text": "First."},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "Second."}},
            {
                "type": "resource",
                "resource": {"uri": "file:///b", "blob": blob, "mimeType": "application/pdf"},
            },
            {"type": "image", "data": "…"},
        ]
    }
    found, (missed,) = extract("mcp.files__read", output)
    assert [text.data for text in found] == [b"First.", b"Second.", b"%PDF-1.7 x"]
    assert found[2].media_type == "application/pdf"
    assert (missed.reason, missed.pointer) == ("no_text", "/content/3")
    failed = {"isError": True, "content": [{"type": "text", "text": "boom"}]}
    assert extract("mcp.files__read", failed)[1][0].reason == "tool_error"


@pytest.mark.parametrize(
    ("name", "extractor"),
    [
        ("web_search", "web_search"),
        ("web_search_2", None),
        ("query_rag_docs", "query_rag"),
        ("mcp.server__tool", "mcp"),
        ("mcp.server", None),
        ("my.mcp.a__b", None),
        ("calculator", None),
    ],
)
def test_the_shipped_patterns(name: str, extractor: str | None) -> None:
    reads = [each.name for each in SHIPPED if each.reads(name)]
    assert reads == ([extractor] if extractor else [])
    if extractor is None:
        assert extract(name, "text")[1][0].reason == "no_extractor"


def test_own_extractors_and_patterns_are_asked_first() -> None:
    def shout(result: ToolResult) -> list[FoundText]:
        return [FoundText.of(str(result.output).upper(), kind="own")]

    registry = load_registry({"^look_up$": "web_search"})
    registry.register(ToolExtractor(name="own", pattern="^web_search$", extract=shout))
    found, _ = registry.extract(
        [
            ToolResult(tool_name="web_search", output="a"),
            ToolResult(tool_name="look_up", output=[ROW]),
        ]
    )
    assert [(text.type, text.data) for _, text in found] == [
        ("own", b"A"),
        ("web_search", b"Goods are replaced."),
    ]


@pytest.mark.parametrize("patterns", [{"(": "web_search"}, {"^a$": "no_such"}])
def test_a_pattern_that_cannot_be_used_is_an_error(patterns: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
        load_registry(patterns)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["results", "content", "text", "url", "metadata", "node", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(
    st.sampled_from(
        ["web_search", "web_scrape", "query_rag", "wikipedia_search", "http_client", "mcp.a__b"]
    ),
    JSON_VALUES,
)
def test_nothing_is_dropped_in_silence(name: str, output: Any) -> None:
    found, missed = extract(name, output)
    assert found or missed
    assert all(text.data.strip() for text in found)


@pytest.mark.parametrize(
    ("uri", "domain"),
    [
        ("https://www.example.com/a", "example.com"),
        ("ftp://example.com", None),
        ("http://[broken", None),
        (None, None),
    ],
)
def test_the_domain_is_that_of_a_web_address(uri: str | None, domain: str | None) -> None:
    doc_hash = FoundText.of("a", kind="http").attachment.doc_hash
    assert AnswerSource(id="s1", type="http", doc_hash=doc_hash, uri=uri).domain == domain
