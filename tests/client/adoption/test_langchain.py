"""The handler in real LangChain chains; what it hands in is read as the service reads it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough

from spanproof.client.adoption import QueueCounts
from spanproof.client.adoption.langchain import MAX_RUNS, AnswerCallback
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun

    from spanproof.client.adoption import AnswerQueue
    from spanproof.verifier.formats.parsed import ParsedAnswer
    from tests.client.adoption.conftest import Collector

HASH = "sha256:" + "3f" * 32
PROSE = "Goods are replaced within four days [1]. Freight is free [2]."


class Shelf(BaseRetriever):
    """Gives two chunks, one of a document that is named by its hash."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        del run_manager
        if query == "fail":
            raise ValueError(query)
        return [
            Document(
                id="c1",
                page_content="Goods are replaced within four days.",
                metadata={"source": "terms.pdf", "doc_hash": HASH},
            ),
            Document(page_content="Freight is free.", metadata={"source": "freight"}),
        ]


def make_chain(prose: str = PROSE) -> Runnable[Any, Any]:
    message = AIMessage(prose, response_metadata={"model_name": "gpt-x"})
    model = GenericFakeChatModel(messages=iter([message] * 50))
    prompt = ChatPromptTemplate.from_template("{context} {question}")
    return {"context": Shelf(), "question": RunnablePassthrough()} | prompt | model


def only(collector: Collector, queue: AnswerQueue) -> tuple[dict[str, Any], ParsedAnswer]:
    assert queue.flush(60)
    ((name, fields),) = collector.taken
    assert name == "langchain"
    return fields, parse_payload(json.dumps(fields).encode(), name)


def test_a_chain_with_a_retriever_becomes_an_answer_with_citations(
    queue: AnswerQueue, collector: Collector
) -> None:
    chain = make_chain() | StrOutputParser()
    callback = AnswerCallback(queue, prompt_id="v7")
    assert chain.invoke("When?", config={"callbacks": [callback]}) == PROSE
    fields, parsed = only(collector, queue)
    assert fields["question"] == "When?"
    assert fields["generator"] == {"model": "gpt-x", "prompt_id": "v7"}
    answer = parsed.answer
    assert answer.prose == PROSE
    assert [citation.anchor for citation in answer.citations] == [1, 2]
    assert str(answer.citations[0].doc_hash) == HASH
    assert answer.citations[0].quote is not None
    assert answer.citations[0].quote.text == "Goods are replaced within four days."
    assert answer.citations[1].doc_id == "freight"
    assert callback._roots == {}
    assert callback._runs == {}


@pytest.mark.parametrize("how", ["stream", "batch", "async"])
def test_other_ways_to_run_a_chain_give_the_same_answer(
    queue: AnswerQueue, collector: Collector, how: str
) -> None:
    chain, config = make_chain() | StrOutputParser(), {"callbacks": [AnswerCallback(queue)]}
    if how == "stream":
        assert "".join(chain.stream("When?", config=config)) == PROSE  # type: ignore[arg-type]
    elif how == "batch":
        chain.batch(["When?"], config=config)  # type: ignore[arg-type]
    else:
        import asyncio

        asyncio.run(chain.ainvoke("When?", config=config))  # type: ignore[arg-type]
    _, parsed = only(collector, queue)
    assert parsed.answer.prose == PROSE
    assert len(parsed.answer.citations) == 2


def test_what_the_chain_says_last_is_the_answer(queue: AnswerQueue, collector: Collector) -> None:
    chain = make_chain() | StrOutputParser() | RunnableLambda(lambda text: text.replace(" [2]", ""))
    chain.invoke("When?", config={"callbacks": [AnswerCallback(queue)]})
    _, parsed = only(collector, queue)
    assert parsed.answer.prose == PROSE.replace(" [2]", "")


def test_a_model_by_itself_is_a_run(queue: AnswerQueue, collector: Collector) -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage("Yes.")]))
    model.invoke("Is it?", config={"callbacks": [AnswerCallback(queue)]})
    fields, parsed = only(collector, queue)
    assert fields["question"] == "Is it?"
    assert parsed.answer.prose == "Yes."


def test_runs_at_once_are_kept_apart(queue: AnswerQueue, collector: Collector) -> None:
    queue._max_answers, queue._max_bytes = 100, 10**6
    chain = make_chain()
    config: Any = {"callbacks": [AnswerCallback(queue)], "max_concurrency": 8}
    chain.batch([f"q{number}" for number in range(24)], config=config)
    assert queue.flush(60)
    assert {fields["question"] for _, fields in collector.taken} == {f"q{n}" for n in range(24)}
    assert all(len(f["response"]["documents"]) == 2 for _, f in collector.taken)


def test_a_run_that_fails_hands_nothing_in(queue: AnswerQueue, collector: Collector) -> None:
    callback = AnswerCallback(queue)
    with pytest.raises(ValueError, match="fail"):
        make_chain().invoke("fail", config={"callbacks": [callback]})
    assert queue.flush(60)
    assert collector.taken == []
    assert callback._runs == {}


def test_a_chain_without_words_is_skipped(queue: AnswerQueue, collector: Collector) -> None:
    RunnableLambda(len).invoke("abc", config={"callbacks": [AnswerCallback(queue)]})
    assert queue.flush(60)
    assert collector.taken == []
    assert queue.counts == QueueCounts(skipped=1)


def test_runs_that_never_end_are_forgotten(queue: AnswerQueue) -> None:
    from uuid import uuid4

    callback = AnswerCallback(queue)
    for _ in range(MAX_RUNS + 10):
        callback.on_chain_start({}, "q", run_id=uuid4())
    assert len(callback._roots) == len(callback._runs) == MAX_RUNS
