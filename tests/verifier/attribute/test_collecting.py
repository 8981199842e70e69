"""Tool outputs collected while an answer is made, by hand and from the frameworks themselves."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from spanproof.verifier.attribute.collecting import (
    CollectedSources,
    collect_sources,
    record_tool_result,
)
from spanproof.verifier.attribute.registry import ExtractorRegistry


def test_what_is_recorded_inside_is_collected() -> None:
    assert not record_tool_result("web_search", [])
    with collect_sources() as collected:
        assert record_tool_result("web_scrape", "text", parameters={"url": "https://a.b"})
        with collect_sources() as inner:
            record_tool_result("inner", 1, tool_request_id="x")
    assert not record_tool_result("web_search", [])
    assert collected.to_json() == [
        {
            "tool_request_id": "call-1",
            "tool_name": "web_scrape",
            "parameters": {"url": "https://a.b"},
            "output": "text",
        }
    ]
    assert [result.tool_request_id for result in inner.tool_results] == ["x"]


def test_a_later_change_of_an_output_does_not_reach_it() -> None:
    output = {"text": "as it was"}
    with collect_sources() as collected:
        record_tool_result("http_client", output)
        output["text"] = "changed"
    assert collected.tool_results[0].output == {"text": "as it was"}


def test_what_is_no_json_is_refused() -> None:
    with collect_sources() as collected, pytest.raises(TypeError):
        record_tool_result("web_search", object())
    assert collected.tool_results == ()


def test_threads_and_tasks_of_the_context_are_collected() -> None:
    async def search(number: int) -> None:
        await asyncio.sleep(0)
        record_tool_result("web_search", number)

    async def search_all() -> None:
        await asyncio.gather(*(search(number) for number in range(5)))

    with collect_sources() as collected:
        asyncio.run(search_all())
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(record_tool_result, "rag", 9))
        thread.start()
        thread.join()
    assert sorted(result.output for result in collected.tool_results) == [0, 1, 2, 3, 4, 9]
    assert len({result.tool_request_id for result in collected.tool_results}) == 6


def test_langchain_tools_and_retrievers_are_collected() -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import tool

    from spanproof.verifier.attribute.collected_from.langchain import LangChainCollector

    @tool
    def web_scrape(url: str) -> str:
        """Read a page."""
        return f"The page at {url}."

    class Shelf(BaseRetriever):
        def _get_relevant_documents(self, query: str, **_: object) -> list[Document]:
            return [Document(page_content=f"About {query}.", metadata={"source": "https://a.b"})]

    collected = CollectedSources()
    config = RunnableConfig(callbacks=[LangChainCollector(collected)])
    web_scrape.invoke({"url": "https://z.ch"}, config=config)
    Shelf().invoke("goods", config=config)
    call = {"name": "web_scrape", "args": {"url": "https://q"}, "id": "t1", "type": "tool_call"}
    web_scrape.invoke(call, config=config)
    found, missed = ExtractorRegistry().extract(collected.tool_results)
    assert [(text.type, text.data, text.uri) for _, text in found] == [
        ("web_page", b"The page at https://z.ch.", "https://z.ch"),
        ("rag", b"About goods.", "https://a.b"),
        ("web_page", b"The page at https://q.", "https://q"),
    ]
    assert found[2][0].tool_request_id == "t1"
    assert missed == ()


def test_langchain_messages_of_a_finished_run_are_read() -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    from spanproof.verifier.attribute.collected_from.langchain import record_messages

    calls = [
        {"name": "web_scrape", "args": {"url": "https://z.ch"}, "id": "t1"},
        {"name": "web_scrape", "args": {"url": "https://gone"}, "id": "t2"},
    ]
    collected = CollectedSources()
    count = record_messages(
        collected,
        [
            HumanMessage("What?"),
            AIMessage("", tool_calls=calls),
            ToolMessage("The page.", tool_call_id="t1"),
            ToolMessage("Timed out.", tool_call_id="t2", status="error"),
        ],
    )
    assert count == 1
    (result,) = collected.tool_results
    assert (result.tool_name, result.output, result.parameters, result.tool_request_id) == (
        "web_scrape",
        "The page.",
        {"url": "https://z.ch"},
        "t1",
    )


def test_llamaindex_tools_and_nodes_are_collected() -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index.core.tools import FunctionTool, ToolOutput

    from spanproof.verifier.attribute.collected_from.llamaindex import (
        record_nodes,
        record_tool_output,
    )

    def web_scrape(url: str) -> str:
        """Read a page."""
        return f"The page at {url}."

    collected = CollectedSources()
    output = FunctionTool.from_defaults(fn=web_scrape)(url="https://z.ch")
    assert record_tool_output(collected, output)
    failed = ToolOutput(
        tool_name="web_scrape", content="no", raw_input={}, raw_output="no", is_error=True
    )
    assert not record_tool_output(collected, failed)
    node = TextNode(text="About goods.", metadata={"file_name": "a.pdf", "page_number": 2})
    assert record_nodes(collected, [NodeWithScore(node=node, score=0.5)]) == 1
    found, missed = ExtractorRegistry().extract(collected.tool_results)
    assert [(text.type, text.data) for _, text in found] == [
        ("web_page", b"The page at https://z.ch."),
        ("rag", b"About goods."),
    ]
    assert found[1][1].page_number == 2
    assert missed == ()
