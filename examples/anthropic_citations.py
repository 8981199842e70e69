"""Anthropic: a message with its own citations, checked against the documents of the request.

pip install spanproof anthropic
No service and no SPANPROOF_SAMPLING_RATE=1 is needed: this process checks every answer.
"""

from anthropic import Anthropic

import spanproof
from spanproof.client.adoption.anthropic import create_message

LEASE = "The lease runs for five years. The rent is 850 euros a month."
DOCUMENT = {
    "type": "document",
    "title": "lease",
    "citations": {"enabled": True},
    "source": {"type": "text", "media_type": "text/plain", "data": LEASE},
}
QUESTION = {"type": "text", "text": "What is the rent?"}

if __name__ == "__main__":
    message, block = create_message(
        Anthropic(),
        spanproof.verify,
        model="claude-sonnet-5",
        max_tokens=300,
        messages=[{"role": "user", "content": [DOCUMENT, QUESTION]}],
    )
    print(block)
