"""LlamaIndex: an evaluator of responses. Needs ``llama-index-core`` 0.14.

It stands where the framework's own ``FaithfulnessEvaluator`` stands (``BatchEvalRunner`` too), and
asks no judge model.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from llama_index.core.evaluation.base import BaseEvaluator, EvaluationResult

from spanproof.client.adoption.checking import describe
from spanproof.core.plain_json import to_plain_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.client.adoption.checking import Checked, Verify


class SpanproofEvaluator(BaseEvaluator):  # type: ignore[misc] # the framework ships no types
    """``passing`` is a result ``pass``; ``score`` is the share of verdicts that pass."""

    def __init__(self, verify: Verify) -> None:
        self._verify = verify

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: Any) -> None:  # noqa: ANN401 - the framework's signature
        """There is no prompt: nothing is asked of a model that writes."""

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **_: Any,  # noqa: ANN401 - the framework's signature
    ) -> EvaluationResult:
        """Check a text against the contexts: ``[n]`` names the n-th."""
        if response is None or contexts is None:
            msg = "response and contexts: expected both, got one or none"
            raise ValueError(msg)
        checked = await asyncio.to_thread(self._verify, response, contexts)
        return _to_result(checked, query, response, list(contexts))

    async def aevaluate_response(
        self,
        query: str | None = None,
        response: Any = None,  # noqa: ANN401 - any response
        **_: Any,  # noqa: ANN401 - the framework's signature
    ) -> EvaluationResult:
        """Check a response by its source nodes, with the names of their documents."""
        rows = [
            {"node": to_plain_json(each.node), "score": each.score}
            for each in response.source_nodes
        ]
        payload = {"response": {"response": response.response, "source_nodes": rows}}
        checked = await asyncio.to_thread(self._verify, payload, format="llamaindex")
        contexts = [each.node.get_content() for each in response.source_nodes]
        return _to_result(checked, query, response.response, contexts)

    def evaluate_response(
        self,
        query: str | None = None,
        response: Any = None,  # noqa: ANN401 - any response
        **_: Any,  # noqa: ANN401 - the framework's signature
    ) -> EvaluationResult:
        """The same for callers without an event loop."""
        return asyncio.run(self.aevaluate_response(query=query, response=response))


def _to_result(
    checked: Checked, query: str | None, response: str, contexts: list[str]
) -> EvaluationResult:
    outcomes = [verdict["outcome"] for verdict in checked.to_json()["verdicts"]]
    return EvaluationResult(
        query=query,
        contexts=contexts,
        response=response,
        passing=checked.result == "pass",
        score=outcomes.count("pass") / len(outcomes) if outcomes else 0.0,
        feedback="\n".join([f"result: {checked.result}", *describe(checked)]),
    )
