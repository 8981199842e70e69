"""DeepEval: a metric in place of its ``FaithfulnessMetric``. Needs ``deepeval`` 4; no judge."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from deepeval.metrics import BaseMetric

from spanproof.client.adoption.checking import describe, share_of_support

if TYPE_CHECKING:
    from deepeval.test_case import LLMTestCase

    from spanproof.client.adoption.checking import Verify


class FaithfulnessBySpanproof(BaseMetric):  # type: ignore[misc] # it ships no types
    """``assert_test(case, [FaithfulnessBySpanproof(spanproof.verify)])``.

    The score is the share of the claims of ``actual_output`` that ``retrieval_context`` supports,
    and ``reason`` has a line for each verdict. An output without any ``[n]`` is checked sentence by
    sentence against all contexts.
    """

    def __init__(self, verify: Verify, *, threshold: float = 1.0) -> None:
        self._verify = verify
        self.threshold = threshold
        self.async_mode = False
        self.include_reason = True

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:  # noqa: ANN401
        """The score of a case; raises ValueError for one without an output or contexts."""
        if test_case.actual_output is None or test_case.retrieval_context is None:
            msg = "actual_output and retrieval_context: expected both, got one or none"
            raise ValueError(msg)
        contexts = [str(getattr(each, "text", each)) for each in test_case.retrieval_context]
        checked = self._verify(test_case.actual_output, contexts, attribute=True)
        self.score = share_of_support(checked)
        self.reason = "\n".join([f"result: {checked.result}", *describe(checked)])
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:  # noqa: ANN401
        """The same for callers with an event loop."""
        return await asyncio.to_thread(self.measure, test_case)

    def is_successful(self) -> bool:
        """Whether the last case reached the threshold."""
        return bool(getattr(self, "success", False))

    @property
    def __name__(self) -> str:
        return "Faithfulness by Spanproof"
