"""OpenAI Responses: an answer and the texts of its prompt, checked at once.

pip install spanproof openai
No service and no SPANPROOF_SAMPLING_RATE=1 is needed: this process checks every answer.
"""

from openai import OpenAI

import spanproof
from spanproof.client.adoption.openai import create_response

TEXTS = ["The lease runs for five years.", "The rent is 850 euros a month."]

if __name__ == "__main__":
    numbered = "\n".join(f"[{n}] {text}" for n, text in enumerate(TEXTS, start=1))
    response, block = create_response(
        OpenAI(),
        spanproof.verify,
        TEXTS,
        model="gpt-5-mini",
        instructions=f"Answer from these texts and cite them by their numbers.\n{numbered}",
        input="What is the rent?",
    )
    print(response.output_text)
    print(block)
