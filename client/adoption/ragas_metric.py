"""RAGAS: a metric in place of its ``Faithfulness``. Needs ``ragas`` 0.4; asks no judge model."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ragas.metrics.base import MetricType, SingleTurnMetric

from spanproof.client.adoption.checking import share_of_support

if TYPE_CHECKING:
    from ragas import SingleTurnSample

    from spanproof.client.adoption.checking import Verify


class FaithfulnessBySpanproof(SingleTurnMetric):  # type: ignore[misc] # it ships no types
    """``evaluate(dataset, metrics=[FaithfulnessBySpanproof(spanproof.verify)])``.

    The score is the share of the response's claims that its contexts support. A response without
    any ``[n]`` is checked sentence by sentence against all contexts. The same input gives the same
    score.
    """

    def __init__(self, verify: Verify) -> None:
        required = {MetricType.SINGLE_TURN: {"response", "retrieved_contexts"}}
        super().__init__(_required_columns=required, name="faithfulness_by_spanproof")
        self._verify = verify

    def init(self, run_config: object) -> None:
        """There is nothing to prepare."""

    async def _single_turn_ascore(
        self,
        sample: SingleTurnSample,
        callbacks: Any,  # noqa: ANN401 - the framework's signature
    ) -> float:
        del callbacks
        checked = await asyncio.to_thread(
            self._verify, sample.response, list(sample.retrieved_contexts), attribute=True
        )
        return share_of_support(checked)
