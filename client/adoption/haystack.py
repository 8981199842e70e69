"""Haystack: a component that checks the answers of a pipeline. Needs ``haystack-ai``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from haystack import Document, component
from haystack.dataclasses import ChatMessage  # noqa: TC002 - a pipeline reads the annotations

if TYPE_CHECKING:
    from spanproof.client.adoption.checking import Verify


@component
class AnswerChecker:
    """Put it behind the generator: it reads ``replies`` and the ``documents`` of the prompt.

    ``[n]`` in a reply names the n-th document, the first one 1. A document's ``doc_hash``,
    ``source``, ``file_path`` and the like in ``meta`` name it. The outputs are the replies as they
    came, for each a ``verification``, and ``result``, the worst of them.
    """

    def __init__(self, verify: Verify) -> None:
        self._verify = verify

    @component.output_types(
        replies=list[str], verifications=list[dict[str, Any]], results=list[str]
    )
    def run(
        self, replies: list[str] | list[ChatMessage], documents: list[Document]
    ) -> dict[str, Any]:
        """Check each reply against the documents; raises what ``verify`` raises."""
        rows = [
            {"id": each.id, "page_content": each.content or "", "metadata": dict(each.meta)}
            for each in documents
        ]
        texts = [each if isinstance(each, str) else each.text or "" for each in replies]
        checked = [
            self._verify({"response": {"message": text, "documents": rows}}, format="langchain")
            for text in texts
        ]
        return {
            "replies": texts,
            "verifications": [dict(each.to_json()) for each in checked],
            "results": [str(each.result) for each in checked],
        }
