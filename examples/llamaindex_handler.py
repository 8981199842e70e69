"""LlamaIndex: every answer of a query engine goes to the service.

pip install 'spanproof[server]' llama-index-core openai
SPANPROOF_SAMPLING_RATE=1 spanproof serve
"""

import os

from llama_index.core import SummaryIndex
from llama_index.core.query_engine import CitationQueryEngine
from llamaindex_evaluator import NODES, Model

from spanproof import Client
from spanproof.client.adoption import AnswerQueue
from spanproof.client.adoption.llamaindex import attach

if __name__ == "__main__":
    client = Client(os.environ.get("SPANPROOF_URL", "http://127.0.0.1:8321"))
    queue = AnswerQueue(client, verify_all=True, on_verified=print)
    attach(queue, model="gpt-5-mini")
    engine = CitationQueryEngine.from_args(SummaryIndex(NODES), llm=Model())
    engine.query("What is the rent?")
    queue.flush(60)
