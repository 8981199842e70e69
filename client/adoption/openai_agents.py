"""OpenAI Agents: an output guardrail that stops answers which their texts do not support.

Needs ``openai-agents``.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from agents import GuardrailFunctionOutput, OutputGuardrail

from spanproof.client.adoption.checking import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from agents import Agent, RunContextWrapper

    from spanproof.client.adoption.checking import Verify

#: What a reader must not see without a person: the guardrail trips at these results.
STOPPED = frozenset({"fail", "error"})


def make_guardrail(
    verify: Verify,
    find_contexts: Callable[[Any], Iterable[str | Mapping[str, Any]]],
    *,
    stopped: Collection[str] = STOPPED,
) -> OutputGuardrail[Any]:
    """``Agent(output_guardrails=[make_guardrail(spanproof.verify, find_contexts)])``.

    ``find_contexts`` is given the context of the run and gives the texts that its tools found, in
    the order in which the model numbered them. At a result in ``stopped`` the run raises
    ``OutputGuardrailTripwireTriggered``; ``output_info`` has the block and its lines.
    """

    async def check(
        run: RunContextWrapper[Any],
        agent: Agent[Any],
        output: Any,  # noqa: ANN401 - what an agent gives
    ) -> GuardrailFunctionOutput:
        del agent
        checked = await asyncio.to_thread(verify, str(output), list(find_contexts(run.context)))
        return GuardrailFunctionOutput(
            output_info={
                "result": str(checked.result),
                "lines": describe(checked),
                "verification": dict(checked.to_json()),
            },
            tripwire_triggered=checked.result in stopped,
        )

    return OutputGuardrail(guardrail_function=check, name="spanproof")
