"""LangChain: tool outputs into what ``collect_sources()`` collects.

``LangChainCollector`` is a callback handler: give it in ``config={"callbacks": [...]}``.
``record_messages`` reads the ``ToolMessage``s of a finished run instead. Needs ``langchain-core``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from spanproof.core.plain_json import to_plain_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from uuid import UUID

    from langchain_core.documents import Document

    from spanproof.verifier.attribute.collecting import CollectedSources


class LangChainCollector(BaseCallbackHandler):
    """Records every tool and retriever that ends, with the name and input it was started with."""

    def __init__(self, collected: CollectedSources) -> None:
        self._collected = collected
        self._started: dict[UUID, tuple[str, dict[str, Any]]] = {}

    def on_tool_start(  # noqa: PLR0913 - LangChain's signature
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        **said: Any,  # noqa: ANN401 - LangChain's signature
    ) -> None:
        """Remember which tool runs under this id."""
        del parent_run_id, tags, metadata
        name = (serialized or {}).get("name") or said.get("name") or "unknown"
        self._started[run_id] = (str(name), dict(inputs or {"input": input_str}))

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401 - LangChain's
        """Record what it gave back."""
        name, parameters = self._started.pop(run_id, ("unknown", {}))
        request_id = str(run_id)
        if isinstance(output, ToolMessage):
            request_id = output.tool_call_id or request_id
            name = output.name or name
            output = _read_content(output)
        self._record(name, output, request_id, parameters)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401
        """A tool that failed gave no source."""
        del error
        self._started.pop(run_id, None)

    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401
        """Record retrieved documents as the output of ``query_rag``."""
        rows = [
            {"page_content": each.page_content, "metadata": to_plain_json(each.metadata)}
            for each in documents
        ]
        self._record("query_rag", rows, str(run_id), {})

    def _record(
        self,
        name: str,
        output: Any,  # noqa: ANN401 - what a tool gives
        request_id: str,
        parameters: dict[str, Any],
    ) -> None:
        self._collected.record(
            name,
            to_plain_json(output),
            tool_request_id=request_id,
            parameters=to_plain_json(parameters),
        )


def record_messages(collected: CollectedSources, messages: Iterable[BaseMessage]) -> int:
    """Record the tool messages of a run, with the parameters of the calls; how many there were."""
    calls: dict[str, tuple[str, dict[str, Any]]] = {}
    count = 0
    for message in messages:
        if isinstance(message, AIMessage):
            for call in message.tool_calls:
                calls[str(call["id"])] = (call["name"], call["args"])
        elif isinstance(message, ToolMessage):
            if message.status == "error":
                continue
            name, parameters = calls.get(message.tool_call_id, ("unknown", {}))
            collected.record(
                message.name or name,
                to_plain_json(_read_content(message)),
                tool_request_id=message.tool_call_id,
                parameters=to_plain_json(parameters),
            )
            count += 1
    return count


def _read_content(message: ToolMessage) -> Any:  # noqa: ANN401 - what a tool gives
    # The artefact holds the tool's findings, the content what the model read of them.
    if message.artifact is not None:
        found = to_plain_json(message.artifact)
        if json.dumps(found) not in {"{}", "[]", '""'}:
            return found
    return message.content
