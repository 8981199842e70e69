"""The adapters that check at once: what they hand to ``verify``, and what they make of it."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from haystack import Document as HaystackDocument
from haystack.dataclasses import ChatMessage
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from llama_index.core.base.response.schema import Response as LlamaResponse
from llama_index.core.schema import NodeWithScore, TextNode

import spanproof
from spanproof.client.adoption.anthropic import to_payload, to_submission
from spanproof.client.adoption.haystack import AnswerChecker
from spanproof.client.adoption.langchain_check import check_answer
from spanproof.client.adoption.llamaindex_check import SpanproofEvaluator
from spanproof.client.adoption.openai import _read_response
from tests.builders import ScriptedModel
from tests.examples.model_server import SAID, make_message, make_response

TERM = "The lease runs for five years."
RENT = "The rent is 850 euros a month."
VERIFY: Any = partial(spanproof.verify, model=ScriptedModel())
#: What the answer of the model server comes to, whatever brings it.
EXPECTED = [("pass", "SUPPORT_ENTAILED"), ("fail", "SUPPORT_NEUTRAL")]


def outcomes(block: Any) -> list[tuple[str, str]]:
    verdicts = block.to_json()["verdicts"] if hasattr(block, "to_json") else block["verdicts"]
    return [(v["outcome"], next(c for c in v["codes"] if "SUPPORT_" in c)) for v in verdicts]


@pytest.mark.parametrize("answer", [SAID, AIMessage(SAID)], ids=["text", "message"])
def test_a_step_of_a_chain_adds_the_block(answer: Any) -> None:
    fields = {"answer": answer, "context": [Document(TERM), Document(RENT)], "question": "?"}
    step = check_answer(VERIFY)
    done = step.invoke(fields)
    assert outcomes(done["verification"]) == EXPECTED
    assert done["question"] == "?"
    assert outcomes(asyncio.run(step.ainvoke(fields))["verification"]) == EXPECTED


def test_an_evaluator_says_what_does_not_hold() -> None:
    evaluator = SpanproofEvaluator(VERIFY)
    nodes = [NodeWithScore(node=TextNode(text=text), score=0.5) for text in (TERM, RENT)]
    by_response = evaluator.evaluate_response(
        response=LlamaResponse(response=SAID, source_nodes=nodes)
    )
    by_text = asyncio.run(evaluator.aevaluate(response=SAID, contexts=[TERM, RENT]))
    for result in (by_response, by_text):
        assert (result.passing, result.score) == (False, 0.5)
        assert result.feedback.startswith("result: fail\n[1] pass: ")
        assert "'900 euros' where the span says '850 euros'" in result.feedback
    with pytest.raises(ValueError, match="expected both"):
        asyncio.run(evaluator.aevaluate(response=SAID))


@pytest.mark.parametrize("reply", [SAID, ChatMessage.from_assistant(SAID)], ids=["text", "chat"])
def test_a_component_checks_each_reply(reply: Any) -> None:
    documents = [HaystackDocument(content=TERM), HaystackDocument(content=RENT)]
    done = AnswerChecker(VERIFY).run(replies=[reply], documents=documents)
    assert done["replies"] == [SAID]
    assert done["results"] == ["fail"]
    assert outcomes(done["verifications"][0]) == EXPECTED


def test_a_response_without_annotations_cites_the_texts_of_the_prompt() -> None:
    payload, named = _read_response(make_response(), [TERM, RENT])
    assert named == "native"
    assert outcomes(VERIFY(payload, format=named)) == EXPECTED


def test_a_response_with_annotations_is_read_as_one() -> None:
    cited = {"type": "file_citation", "file_id": "f1", "filename": "lease.pdf", "index": 33}
    payload, named = _read_response(make_response([cited]), [{"text": TERM, "source": "f1"}])
    assert named == "openai-responses"
    block = VERIFY(payload, format=named)
    assert [verdict.identity.status for verdict in block.verdicts] == ["SNIPPET"]


def test_a_message_brings_the_documents_of_its_request() -> None:
    source = {"type": "text", "data": f"{TERM} {RENT}"}
    document: dict[str, Any] = {"type": "document", "title": "lease", "source": source}
    chunks = {"type": "content", "content": [{"type": "text", "text": TERM}]}
    pdf = {"type": "base64", "media_type": "application/pdf", "data": ""}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": [document, {"type": "text", "text": "Well?"}]},
        {"role": "user", "content": [document | {"source": chunks, "title": None}]},
        {"role": "user", "content": [document | {"source": pdf, "title": "scan"}]},
        {"role": "user", "content": "no blocks"},
    ]
    message = make_message(document)
    payload = to_payload(message, messages)
    assert [each["doc_id"] for each in payload["documents"]] == ["lease", "document-1", "scan"]
    assert [each["text"] for each in payload["retrieved"]] == [f"{TERM} {RENT}", TERM]
    assert outcomes(VERIFY(payload, format="anthropic")) == EXPECTED
    assert to_submission(message, messages).format == "anthropic"


@pytest.mark.long
def test_a_guardrail_trips_where_the_texts_say_otherwise() -> None:
    from agents import Agent, RunContextWrapper

    from spanproof.client.adoption.openai_agents import make_guardrail

    guardrail = make_guardrail(VERIFY, lambda found: found)
    agent: Agent[Any] = Agent(name="Leases")

    def run(said: str) -> Any:
        wrapped = RunContextWrapper(context=[TERM, RENT])
        return asyncio.run(guardrail.run(wrapped, agent, said)).output

    stopped = run(SAID)
    assert stopped.tripwire_triggered
    assert stopped.output_info["result"] == "fail"
    assert "900 euros" in stopped.output_info["lines"][1]
    assert not run(f"{TERM[:-1]} [1].").tripwire_triggered
