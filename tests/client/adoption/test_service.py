"""The doors against the real service: what they hand in is taken, chosen and verified."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fastapi import FastAPI
from llama_index.core.instrumentation import get_dispatcher

from spanproof.api.http.app import create_app
from spanproof.client import Client
from spanproof.client.adoption import AnswerQueue, QueueCounts, Submission
from spanproof.client.adoption.asgi import AnswerMiddleware
from spanproof.client.adoption.langchain import AnswerCallback
from spanproof.client.adoption.llamaindex import attach
from spanproof.client.adoption.otel import read_otlp
from spanproof.operations.settings import Settings
from tests.builders import ScriptedModel
from tests.client.adoption.test_langchain import PROSE, make_chain
from tests.client.adoption.test_llamaindex import Engine
from tests.client.adoption.test_otel import CHAT, OUTPUT, RETRIEVAL, make_span
from tests.serving import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.sandbox import Parser


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, warm_parser: Parser) -> Iterator[str]:
    """The service on a socket."""
    settings = Settings(home=tmp_path_factory.mktemp("served") / "home", cross_check_rate=0.0)
    app = create_app(settings, parts={"model": ScriptedModel(), "parser": warm_parser})
    with serve(app) as url:
        yield url


@pytest.fixture
def hall(service: str) -> Iterator[AnswerQueue]:
    """A queue that leads to the service."""
    with Client(service) as client:
        queue = AnswerQueue(client)
        yield queue
        queue.close()


def test_answers_of_every_door_are_taken(hall: AnswerQueue) -> None:
    app = FastAPI()

    @app.post("/chat")
    def chat() -> dict[str, Any]:
        return {"answer": "It is so [1].", "citations": []}

    app.add_middleware(AnswerMiddleware, queue=hall)
    with serve(app) as url:
        assert httpx.post(f"{url}/chat", timeout=60).status_code == 200
        make_chain().invoke("When?", config={"callbacks": [AnswerCallback(hall)]})
        handler = attach(hall)
        try:
            Engine().query("When?")
        finally:
            get_dispatcher().event_handlers.remove(handler)
        spans = [make_span(RETRIEVAL, span_id="b" * 16)]
        spans.append(make_span(CHAT | {"gen_ai.output.messages": OUTPUT}))
        for submission in read_otlp(spans):
            hall.put(submission)
        assert hall.flush(60)
        assert hall.counts == QueueCounts(submitted=4)


def test_what_the_service_refuses_is_counted(hall: AnswerQueue) -> None:
    hall.put(Submission.of({"answer": 1}))
    assert hall.flush(60)
    assert hall.counts == QueueCounts(failed=1)


def test_what_a_door_hands_in_can_be_verified(service: str) -> None:
    with Client(service) as client:
        words = "Goods are replaced within four days."
        doc = client.ingest(words.encode(), doc_id="freight-terms", media_type="text/plain")
        document = {
            "id": "c1",
            "page_content": words,
            "metadata": {"doc_hash": doc.doc_hash, "source": "freight-terms"},
        }
        payload = {
            "response": {"message": PROSE.split(". ")[0] + ".", "documents": [document]},
            "documents": [{"doc_hash": doc.doc_hash, "uri": "freight-terms"}],
        }
        verified = client.verify(json.dumps(payload).encode(), format="langchain")
        (verdict,) = verified.block["verdicts"]
        assert verdict["existence"]["status"] == "EXACT"
        assert verdict["identity"]["status"] == "MATCH"
