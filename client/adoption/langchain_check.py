"""LangChain: a step of a chain that checks the answer before it goes on. Needs ``langchain-core``.

``chain | check_answer(spanproof.verify)``: the chain gives a mapping with the answer and the
documents that its prompt numbered; the mapping that comes out has ``verification`` too.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableLambda

from spanproof.core.plain_json import to_plain_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.client.adoption.checking import Verify


def check_answer(
    verify: Verify, *, answer: str = "answer", documents: str = "context"
) -> Runnable[dict[str, Any], dict[str, Any]]:
    """A runnable that adds ``verification``, the block of what stands under ``answer``.

    Under ``answer`` stands a text or a message, under ``documents`` the documents in the order in
    which the prompt numbered them. Raises KeyError where one of them is missing, and what
    ``verify`` raises.
    """

    def check(fields: dict[str, Any]) -> dict[str, Any]:
        payload = to_payload(fields[answer], fields[documents])
        return fields | {"verification": verify(payload, format="langchain")}

    async def check_async(fields: dict[str, Any]) -> dict[str, Any]:
        return await asyncio.to_thread(check, fields)

    return RunnableLambda(check, check_async, name="check_answer")


def to_payload(answer: BaseMessage | str, documents: list[Any]) -> Mapping[str, Any]:
    """An answer and its documents in the format ``langchain``."""
    message = to_plain_json(answer) if isinstance(answer, BaseMessage) else answer
    rows = [
        {
            "id": each.id,
            "page_content": each.page_content,
            "metadata": to_plain_json(each.metadata),
        }
        for each in documents
    ]
    return {"response": {"message": message, "documents": rows}}
