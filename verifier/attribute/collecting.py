"""Collect the outputs of tools while an answer is made, for its attribution afterwards.

``with collect_sources() as collected:`` … every result that is recorded inside, also from other
functions, threads that copy the context, and tasks, is in ``collected.tool_results`` afterwards.
Frameworks' own tool outputs come in through the adapters in
``spanproof.verifier.attribute.collected_from``.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanproof.verifier.attribute.sources import ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True, kw_only=True)
class CollectedSources:
    """The results in the order in which they were recorded."""

    _results: list[ToolResult] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def tool_results(self) -> tuple[ToolResult, ...]:
        """All of them so far."""
        with self._lock:
            return tuple(self._results)

    def record(
        self,
        tool_name: str,
        output: Any,  # noqa: ANN401 - any JSON value
        *,
        tool_request_id: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> ToolResult:
        """Take one result; ``output`` is copied as JSON, so that a later change does not reach it.

        Raises TypeError or ValueError if it is not a JSON value.
        """
        with self._lock:
            result = ToolResult(
                tool_name=tool_name,
                tool_request_id=tool_request_id or f"call-{len(self._results) + 1}",
                parameters=json.loads(json.dumps(parameters or {})),
                output=json.loads(json.dumps(output)),
            )
            self._results.append(result)
        return result

    def to_json(self) -> list[dict[str, Any]]:
        """The value of ``tool_results`` in what ``attribute`` is given."""
        return [
            {
                "tool_request_id": result.tool_request_id,
                "tool_name": result.tool_name,
                "parameters": result.parameters,
                "output": result.output,
            }
            for result in self.tool_results
        ]


_CURRENT: ContextVar[CollectedSources | None] = ContextVar("collected_sources", default=None)


@contextmanager
def collect_sources() -> Iterator[CollectedSources]:
    """Collect every tool result that is recorded inside; an inner one collects for itself."""
    collected = CollectedSources()
    token = _CURRENT.set(collected)
    try:
        yield collected
    finally:
        _CURRENT.reset(token)


def record_tool_result(
    tool_name: str,
    output: Any,  # noqa: ANN401 - any JSON value
    *,
    tool_request_id: str | None = None,
    parameters: dict[str, Any] | None = None,
) -> bool:
    """Record a result with the collector of this context; False without one."""
    collected = _CURRENT.get()
    if collected is None:
        return False
    collected.record(tool_name, output, tool_request_id=tool_request_id, parameters=parameters)
    return True
