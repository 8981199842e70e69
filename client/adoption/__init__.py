"""How an application hands in its answers: a queue that never blocks it.

Each door is a module of its own, which imports its framework alone: ``asgi``, ``langchain``,
``llamaindex``, ``otel``.
"""

from __future__ import annotations

from spanproof.client.adoption.queue import AnswerQueue, QueueCounts
from spanproof.client.adoption.submission import Submission

__all__ = ["AnswerQueue", "QueueCounts", "Submission"]
