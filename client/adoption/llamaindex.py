"""LlamaIndex: an event handler that hands in the answer of every query.

Needs ``llama-index-core`` 0.14. Queries that other queries ask (sub-questions) are not answers to
a person: only the outermost is taken. A streamed response has no text yet when its query ends, and
a chat engine has no such event: give either to ``take`` once it is whole.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from llama_index.core.base.response.schema import Response
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers.base import BaseEventHandler
from llama_index.core.instrumentation.events.query import QueryEndEvent, QueryStartEvent
from llama_index.core.instrumentation.events.span import SpanDropEvent
from pydantic import PrivateAttr

from spanproof.client.adoption.submission import Submission, current_trace_id, name_documents
from spanproof.core.plain_json import to_plain_json

if TYPE_CHECKING:
    from llama_index.core.instrumentation.events.base import BaseEvent

    from spanproof.client.adoption.queue import AnswerQueue

#: The spans of the queries that started here and have not ended.
_OPEN: ContextVar[tuple[str, ...]] = ContextVar("open_queries", default=())


class AnswerHandler(BaseEventHandler):  # type: ignore[misc] # the framework ships no types
    """Add it to the root dispatcher, or let ``attach`` do so."""

    _queue: AnswerQueue = PrivateAttr()
    _generator: dict[str, str] = PrivateAttr()

    def __init__(
        self, queue: AnswerQueue, *, model: str | None = None, prompt_id: str | None = None
    ) -> None:
        super().__init__()
        self._queue = queue
        given = {"model": model, "prompt_id": prompt_id}
        self._generator = {name: value for name, value in given.items() if value}

    @classmethod
    def class_name(cls) -> str:
        """The framework's name of this kind."""
        return "SpanproofAnswerHandler"

    def handle(self, event: BaseEvent, **_: Any) -> None:  # noqa: ANN401 - the framework's signature
        """One event, as the dispatcher tells it."""
        if isinstance(event, QueryStartEvent):
            _OPEN.set((*_OPEN.get(), str(event.span_id)))
        elif isinstance(event, SpanDropEvent):
            # The query raised: it has no end.
            _OPEN.set(tuple(each for each in _OPEN.get() if each != event.span_id))
        elif isinstance(event, QueryEndEvent):
            _OPEN.set(_OPEN.get()[:-1])
            if not _OPEN.get():
                self.take(event.response, getattr(event.query, "query_str", event.query))

    def take(self, response: Any, question: str | None = None) -> bool:  # noqa: ANN401 - any response
        """Hand in a complete response; False if it is incomplete or was dropped.

        ``response`` is a ``Response`` or the ``AgentChatResponse`` of a chat engine.
        """
        text = response.response if isinstance(getattr(response, "response", None), str) else None
        if text is None or not (
            isinstance(response, Response) or hasattr(response, "source_nodes")
        ):
            self._queue.note_skipped()
            return False
        try:
            submission = self._to_submission(text, response.source_nodes or [], question)
        except (TypeError, ValueError) as error:
            self._queue.note_unreadable(error)
            return False
        return self._queue.put(submission)

    def _to_submission(self, text: str, nodes: list[Any], question: str | None) -> Submission:
        rows = [{"node": to_plain_json(each.node), "score": each.score} for each in nodes]
        return Submission.of(
            {
                "response": {"response": text, "source_nodes": rows},
                "documents": name_documents(
                    (each.node.metadata, [each.node.ref_doc_id, each.node.node_id])
                    for each in nodes
                ),
                "question": question,
                "generator": self._generator or None,
                "trace_id": current_trace_id(),
            },
            format="llamaindex",
        )


def attach(
    queue: AnswerQueue, *, model: str | None = None, prompt_id: str | None = None
) -> AnswerHandler:
    """A handler at the root dispatcher: from now on every query's answer is handed in."""
    handler = AnswerHandler(queue, model=model, prompt_id=prompt_id)
    get_dispatcher().add_event_handler(handler)
    return handler
