"""Somebody's application, whose packages are called api and core, as in most of them."""

FILES = {
    "core/__init__.py": "",
    "core/house.py": 'NAME = "the application\'s own"\n',
    "api/__init__.py": "",
    "api/main.py": '''\
"""Somebody's service: its packages are called api and core, as in most applications."""

from __future__ import annotations

import runpy
import sys

import spanproof
from core.house import NAME
from fastapi import FastAPI
from langchain_core.runnables import RunnableLambda
from opentelemetry.sdk.trace import TracerProvider
from spanproof.client import Client
from spanproof.client.adoption import AnswerQueue
from spanproof.client.adoption.asgi import AnswerMiddleware
from spanproof.client.adoption.langchain import AnswerCallback
from spanproof.client.adoption.llamaindex import attach
from spanproof.client.adoption.otel_processor import AnswerSpanProcessor

app = FastAPI()
queue = AnswerQueue(Client("http://127.0.0.1:9"))
app.add_middleware(AnswerMiddleware, queue=queue, paths=["/chat"])
callback = AnswerCallback(queue, prompt_id="v7")
attach(queue, model="gpt-x", prompt_id="v7")
TracerProvider().add_span_processor(AnswerSpanProcessor(queue))


@app.get("/checked")
def check() -> dict[str, object]:
    """Run the sample of docs/reference/python.md and a chain with the callback."""
    RunnableLambda(str).invoke("question", config={"callbacks": [callback]})
    block = runpy.run_path("sample.py")["block"] if can_run() else None
    statuses = [str(verdict.existence.status) for verdict in block.verdicts] if block else []
    return {"existence": statuses, "core": NAME}


def can_run() -> bool:
    """Whether the public names load."""
    return all(hasattr(spanproof, name) for name in spanproof.__all__)


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(app, port=int(sys.argv[1]))
''',
}
