"""OpenTelemetry: every answer in the GenAI spans of an application goes to the service.

pip install 'spanproof[otel,server]' openai
SPANPROOF_SAMPLING_RATE=1 spanproof serve
"""

import json
import os

from openai import OpenAI
from opentelemetry.sdk.trace import TracerProvider

from spanproof import Client
from spanproof.client.adoption import AnswerQueue
from spanproof.client.adoption.otel_processor import AnswerSpanProcessor

TEXTS = ["The lease runs for five years.", "The rent is 850 euros a month."]

if __name__ == "__main__":
    client = Client(os.environ.get("SPANPROOF_URL", "http://127.0.0.1:8321"))
    queue = AnswerQueue(client, verify_all=True, on_verified=print)
    provider = TracerProvider()
    provider.add_span_processor(AnswerSpanProcessor(queue))
    tracer = provider.get_tracer("example")
    # Your instrumentation writes these spans, if its capture of contents is on.
    with tracer.start_as_current_span("answer"):
        with tracer.start_as_current_span("retrieval") as span:
            found = [
                {"id": f"lease-{n}", "content": t, "source": "lease"} for n, t in enumerate(TEXTS)
            ]
            span.set_attribute("gen_ai.retrieval.documents", json.dumps(found))
        with tracer.start_as_current_span("chat") as span:
            numbered = "\n".join(f"[{n}] {text}" for n, text in enumerate(TEXTS, start=1))
            message = {"role": "user", "content": f"{numbered}\nCite by number. What is the rent?"}
            said = OpenAI().chat.completions.create(model="gpt-5-mini", messages=[message])
            part = {"type": "text", "content": said.choices[0].message.content}
            span.set_attribute("gen_ai.operation.name", "chat")
            span.set_attribute(
                "gen_ai.output.messages", json.dumps([{"role": "assistant", "parts": [part]}])
            )
    queue.flush(60)
