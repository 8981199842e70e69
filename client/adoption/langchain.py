"""LangChain: a callback handler that hands in the answer of every run. Needs ``langchain-core``.

One answer for each outermost run: the last message of a model in it, with every document that its
retrievers gave. It is read as the format ``langchain``.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration

from spanproof.client.adoption.submission import Submission, current_trace_id, name_documents
from spanproof.core.plain_json import to_plain_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from langchain_core.documents import Document
    from langchain_core.outputs import LLMResult

    from spanproof.client.adoption.queue import AnswerQueue

#: Runs whose end never comes are forgotten, the oldest first, beyond so many.
MAX_RUNS = 10_000
_QUESTIONS = ("question", "input", "query", "human_input")
_ANSWERS = ("answer", "output", "result", "output_text")


@dataclass(slots=True, kw_only=True)
class _Run:
    """What an outermost run has shown so far."""

    question: str | None = None
    documents: list[dict[str, Any]] = field(default_factory=list)
    message: dict[str, Any] | str | None = None
    model: str | None = None


class AnswerCallback(BaseCallbackHandler):
    """Give it in ``config={"callbacks": [...]}``; one serves any number of runs at once."""

    def __init__(self, queue: AnswerQueue, *, prompt_id: str | None = None) -> None:
        self._queue = queue
        self._prompt_id = prompt_id
        self._lock = threading.Lock()
        self._runs: OrderedDict[UUID, _Run] = OrderedDict()
        self._roots: OrderedDict[UUID, UUID] = OrderedDict()

    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: Any,  # noqa: ANN401 - LangChain's signature
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,  # noqa: ANN401
    ) -> None:
        """A chain begins."""
        del serialized
        run = self._begin(run_id, parent_run_id)
        if run is not None and parent_run_id is None:
            run.question = _find_text(inputs, _QUESTIONS)

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,  # noqa: ANN401
    ) -> None:
        """A chat model begins; called by itself, the last human message is the question."""
        del serialized
        run = self._begin(run_id, parent_run_id)
        if run is not None and run.question is None:
            human = [m for turn in messages for m in turn if m.type == "human"]
            run.question = human[-1].text if human else None

    def on_llm_start(
        self,
        serialized: dict[str, Any],
        prompts: list[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,  # noqa: ANN401
    ) -> None:
        """A model begins."""
        del serialized, prompts
        self._begin(run_id, parent_run_id)

    def on_retriever_start(
        self,
        serialized: dict[str, Any],
        query: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,  # noqa: ANN401
    ) -> None:
        """A retriever begins."""
        del serialized, query
        self._begin(run_id, parent_run_id)

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,  # noqa: ANN401
    ) -> None:
        """A tool begins: a retriever may stand in it."""
        del serialized, input_str
        self._begin(run_id, parent_run_id)

    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401
        """Keep the retrieved chunks in their order: the prose counts them from 1."""
        run = self._find(run_id)
        if run is not None:
            run.documents += [
                {
                    "id": each.id,
                    "page_content": each.page_content,
                    "metadata": to_plain_json(each.metadata),
                }
                for each in documents
            ]
        self._end(run_id)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401
        """Keep the message; of several choices the first."""
        run = self._find(run_id)
        if run is not None and response.generations and response.generations[0]:
            first = response.generations[0][0]
            said: Any = response.llm_output or {}
            if isinstance(first, ChatGeneration):
                run.message = to_plain_json(first.message)
                said = first.message.response_metadata
            else:
                run.message = first.text
            run.model = _find_text(said, ("model_name", "model", "model_id")) or run.model
        self._end(run_id)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401 - LangChain's signature
        """Hand the answer in where this was the outermost run."""
        run = self._find(run_id)
        if run is not None and self._is_outermost(run_id) and run.message is not None:
            text = (
                outputs.text if isinstance(outputs, BaseMessage) else _find_text(outputs, _ANSWERS)
            )
            if text is not None and text != _read_text(run.message):
                # The chain says something else than its model did: that is what a reader sees.
                run.message = text
        self._end(run_id)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401 - LangChain's signature
        """A tool ends."""
        del output
        self._end(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401
        """A run that failed has no answer."""
        self._fail(error, run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401
        """A model that failed said nothing; the chain may go on."""
        self._fail(error, run_id)

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401
        """A retriever that failed gave nothing; the chain may go on."""
        self._fail(error, run_id)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401
        """A tool that failed gave nothing; the chain may go on."""
        self._fail(error, run_id)

    def _begin(self, run_id: UUID, parent: UUID | None) -> _Run | None:
        with self._lock:
            root = run_id if parent is None else self._roots.get(parent)
            if root is None:
                # Its outermost run was forgotten, or began before this handler was given.
                return None
            self._roots[run_id] = root
            run = self._runs.setdefault(root, _Run())
            while len(self._roots) > MAX_RUNS:
                forgotten, of = self._roots.popitem(last=False)
                if forgotten == of:
                    self._runs.pop(of, None)
            return run

    def _find(self, run_id: UUID) -> _Run | None:
        with self._lock:
            root = self._roots.get(run_id)
            return None if root is None else self._runs.get(root)

    def _is_outermost(self, run_id: UUID) -> bool:
        with self._lock:
            return self._roots.get(run_id) == run_id

    def _end(self, run_id: UUID) -> None:
        with self._lock:
            outermost = self._roots.pop(run_id, None) == run_id
            run = self._runs.pop(run_id, None) if outermost else None
        if run is not None:
            self._submit(run)

    def _fail(self, error: BaseException, run_id: UUID) -> None:
        del error
        with self._lock:
            if self._roots.pop(run_id, None) == run_id:
                self._runs.pop(run_id, None)

    def _submit(self, run: _Run) -> None:
        if run.message is None or not _read_text(run.message):
            self._queue.note_skipped()
            return
        try:
            submission = _to_submission(run, self._prompt_id)
        except (TypeError, ValueError) as error:
            self._queue.note_unreadable(error)
        else:
            self._queue.put(submission)


def _to_submission(run: _Run, prompt_id: str | None) -> Submission:
    generator = {"model": run.model, "prompt_id": prompt_id}
    return Submission.of(
        {
            "response": {"message": run.message, "documents": run.documents},
            "documents": name_documents((each["metadata"], [each["id"]]) for each in run.documents),
            "question": run.question,
            "generator": {name: value for name, value in generator.items() if value} or None,
            "trace_id": current_trace_id(),
        },
        format="langchain",
    )


def _find_text(value: Any, names: Sequence[str]) -> str | None:  # noqa: ANN401 - what a chain is given
    """A text, or the first text under one of these names."""
    if isinstance(value, str):
        return value
    if isinstance(value, BaseMessage):
        return value.text
    fields = value if isinstance(value, dict) else {}
    found = (fields.get(name) for name in names)
    return next((_find_text(each, ()) for each in found if _is_text(each)), None)


def _is_text(value: object) -> bool:
    return isinstance(value, str | BaseMessage)


def _read_text(message: dict[str, Any] | str) -> str:
    """What a reader sees of a message: its text blocks."""
    content = message if isinstance(message, str) else message.get("content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "".join(each if isinstance(each, str) else str(each.get("text", "")) for each in blocks)
