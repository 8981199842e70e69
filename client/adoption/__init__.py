"""How an application hands in its answers, or checks them at once.

Each door is a module of its own, which imports its framework alone. ``asgi``, ``langchain``,
``llamaindex`` and ``otel`` hand answers in by a queue that never blocks the application.
``langchain_check``, ``llamaindex_check``, ``haystack``, ``openai``, ``openai_agents`` and
``anthropic`` check an answer before it goes on.
"""

from __future__ import annotations

from spanproof.client.adoption.queue import AnswerQueue, QueueCounts
from spanproof.client.adoption.submission import Submission

__all__ = ["AnswerQueue", "QueueCounts", "Submission"]
