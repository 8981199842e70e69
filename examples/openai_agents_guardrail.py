"""OpenAI Agents: a guardrail stops an answer that its texts do not support.

pip install spanproof openai-agents
No service and no SPANPROOF_SAMPLING_RATE=1 is needed: this process checks every answer.
"""

import asyncio

from agents import Agent, OutputGuardrailTripwireTriggered, Runner, set_tracing_disabled

import spanproof
from spanproof.client.adoption.openai_agents import make_guardrail

TEXTS = ["The lease runs for five years.", "The rent is 850 euros a month."]
numbered = "\n".join(f"[{n}] {text}" for n, text in enumerate(TEXTS, start=1))
agent = Agent(
    name="Leases",
    model="gpt-5-mini",
    instructions=f"Answer from these texts and cite them by their numbers.\n{numbered}",
    output_guardrails=[make_guardrail(spanproof.verify, lambda found: found)],
)


async def main() -> None:
    """Ask once; the run's context holds the texts that were found for it."""
    set_tracing_disabled(True)
    try:
        result = await Runner.run(agent, "What is the rent?", context=TEXTS)
    except OutputGuardrailTripwireTriggered as stopped:
        told = stopped.guardrail_result.output.output_info
        print("stopped:", told["result"])
        print("\n".join(told["lines"]))
    else:
        print("shown:", result.final_output)


if __name__ == "__main__":
    asyncio.run(main())
