"""The handler in real LlamaIndex query engines."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import Response, StreamingResponse
from llama_index.core.chat_engine.types import AgentChatResponse
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

from spanproof.client.adoption import QueueCounts
from spanproof.client.adoption.llamaindex import AnswerHandler, attach
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.client.adoption import AnswerQueue
    from tests.client.adoption.conftest import Collector

HASH = "sha256:" + "3f" * 32
PROSE = "Goods are replaced within four days [1]."
WORDS = "Goods are replaced within four days."


def make_nodes() -> list[NodeWithScore]:
    source = RelatedNodeInfo(node_id="terms.pdf")
    node = TextNode(
        text=WORDS,
        metadata={"doc_hash": HASH},
        start_char_idx=0,
        end_char_idx=len(WORDS),
        relationships={NodeRelationship.SOURCE: source},
    )
    return [NodeWithScore(node=node, score=0.5)]


class Engine(BaseQueryEngine):  # type: ignore[misc] # the framework ships no types
    """Answers from one node; may ask another engine first, fail, or stream."""

    def __init__(self, inner: BaseQueryEngine | None = None, how: str = "plain") -> None:
        super().__init__(callback_manager=None)
        self._inner, self._how = inner, how

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {}

    def _query(self, query_bundle: Any) -> Any:
        if self._inner is not None:
            self._inner.query("a part of it")
        if self._how == "fail":
            raise ValueError(query_bundle.query_str)
        if self._how == "stream":
            return StreamingResponse(response_gen=iter(PROSE.split(" ")))
        return Response(response=PROSE, source_nodes=make_nodes())

    async def _aquery(self, query_bundle: Any) -> Any:
        await asyncio.sleep(0)
        return self._query(query_bundle)


@pytest.fixture
def handler(queue: AnswerQueue) -> Iterator[AnswerHandler]:
    handler = attach(queue, model="gpt-x", prompt_id="v7")
    yield handler
    get_dispatcher().event_handlers.remove(handler)


def test_a_query_becomes_an_answer_with_citations(
    handler: AnswerHandler, queue: AnswerQueue, collector: Collector
) -> None:
    del handler
    assert str(Engine().query("When?")) == PROSE
    assert queue.flush(60)
    ((name, fields),) = collector.taken
    assert (fields["question"], name) == ("When?", "llamaindex")
    answer = parse_payload(json.dumps(fields).encode(), name).answer
    assert answer.prose == PROSE
    assert answer.generator is not None
    assert answer.generator.model == "gpt-x"
    (citation,) = answer.citations
    assert str(citation.doc_hash) == HASH
    assert citation.quote is not None
    assert (citation.quote.text, citation.quote.start) == (WORDS, 0)


def test_an_awaited_query_gives_the_same(
    handler: AnswerHandler, queue: AnswerQueue, collector: Collector
) -> None:
    del handler

    async def ask() -> None:
        await asyncio.gather(*(Engine().aquery(f"q{number}") for number in range(3)))

    asyncio.run(ask())
    assert queue.flush(60)
    assert sorted(fields["question"] for _, fields in collector.taken) == ["q0", "q1", "q2"]


def test_only_the_outermost_query_is_an_answer(
    handler: AnswerHandler, queue: AnswerQueue, collector: Collector
) -> None:
    del handler
    Engine(inner=Engine(inner=Engine())).query("all of it")
    assert queue.flush(60)
    assert [fields["question"] for _, fields in collector.taken] == ["all of it"]


def test_a_query_that_fails_does_not_hide_the_next(
    handler: AnswerHandler, queue: AnswerQueue, collector: Collector
) -> None:
    del handler
    for engine in (Engine(how="fail"), Engine(inner=Engine(how="fail"))):
        with pytest.raises(ValueError, match=r"x|part"):
            engine.query("x")
    Engine().query("after it")
    assert queue.flush(60)
    assert [fields["question"] for _, fields in collector.taken] == ["after it"]


def test_a_streamed_response_is_skipped_and_not_consumed(
    handler: AnswerHandler, queue: AnswerQueue, collector: Collector
) -> None:
    del handler
    response = Engine(how="stream").query("x")
    assert "".join(response.response_gen).startswith("Goods")
    assert queue.flush(60)
    assert collector.taken == []
    assert queue.counts == QueueCounts(skipped=1)


def test_a_chat_response_is_handed_in_by_hand(
    handler: AnswerHandler, queue: AnswerQueue, collector: Collector
) -> None:
    said = AgentChatResponse(response=PROSE, source_nodes=make_nodes())
    assert handler.take(said, "When?")
    assert not handler.take("no response")
    assert queue.flush(60)
    assert len(collector.taken) == 1
