"""A model on loopback that speaks the wire of OpenAI and Anthropic, and always says the same.

The SDKs, and the frameworks on top of them, are the real ones: they find it by the address that
their own variables name. It says one thing that the texts hold and one that they do not.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from anthropic.types import Message
from openai.types.responses import Response

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SAID = "The lease runs for five years [1]. The rent is 900 euros a month [2]."
_TERM = "The lease runs for five years."
_RENT = "The rent is 850 euros a month."
_USAGE = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}


class ModelServer:
    """The application; ``asked`` are the bodies that came, each with its path."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        request = json.loads(body)
        self.asked.append((scope["path"], request))
        answer = _ANSWERS[scope["path"]](request)
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(answer).encode()})


def _complete(request: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": SAID, "refusal": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": _USAGE,
    }


def make_response(annotations: Sequence[dict[str, Any]] = ()) -> Response:
    """What the SDK makes of a response, with these annotations."""
    return Response.model_validate(_respond({"model": "m"}, annotations))


def make_message(document: dict[str, Any]) -> Message:
    """What the SDK makes of a message that cites this document."""
    content = {"role": "user", "content": [document]}
    return Message.model_validate(_write_message({"model": "m", "messages": [content]}))


def _respond(request: dict[str, Any], annotations: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    part = {"type": "output_text", "text": SAID, "annotations": list(annotations), "logprobs": []}
    message = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant"}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": request["model"],
        "output": [message | {"content": [part]}],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 9,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 9,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 18,
        },
    }


def _write_message(request: dict[str, Any]) -> dict[str, Any]:
    (document,) = [b for b in request["messages"][0]["content"] if b["type"] == "document"]
    text = document["source"]["data"]

    def cite(said: str, words: str) -> dict[str, Any]:
        start = text.index(words)
        location = {"type": "char_location", "cited_text": words, "document_index": 0}
        location |= {"document_title": document["title"], "file_id": None}
        location |= {"start_char_index": start, "end_char_index": start + len(words)}
        return {"type": "text", "text": said, "citations": [location]}

    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": [
            cite("The lease runs for five years.", _TERM),
            {"type": "text", "text": " "},
            cite("The rent is 900 euros a month.", _RENT),
        ],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 9},
    }


_ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "/v1/chat/completions": _complete,
    "/v1/responses": _respond,
    "/v1/messages": _write_message,
}
