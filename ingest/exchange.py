"""What crosses between the parser's two processes: one JSON head and byte parts, never a pickle."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from core import errors
from core.errors import BrokenDocumentError, SpanproofError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

#: Only these may a child raise in its parent; any other code it sends counts as a broken document.
_RAISABLE: tuple[type[SpanproofError], ...] = (
    errors.UnsupportedMediaTypeError,
    errors.EncryptedDocumentError,
    errors.EmptyDocumentError,
    errors.BrokenDocumentError,
    errors.LimitExceededError,
    errors.PageNotFoundError,
    errors.InputError,
    errors.EngineUnavailableError,
    errors.OcrUnavailableError,
)
_MOST_PARTS = 8
_MOST_HEAD_BYTES = 64 << 20


def send(connection: Connection, head: dict[str, Any], parts: Sequence[bytes] = ()) -> None:
    """Send a head and its parts."""
    encoded = json.dumps({**head, "parts": len(parts)}).encode("utf-8")
    for part in (encoded, *parts):
        connection.send_bytes(part)


def receive(connection: Connection, *, most: int) -> tuple[dict[str, Any], list[bytes]]:
    """Take a head and its parts; raise OSError, EOFError or ValueError where none fits."""
    head = json.loads(connection.recv_bytes(_MOST_HEAD_BYTES))
    if not isinstance(head, dict) or head.get("parts") not in range(_MOST_PARTS):
        msg = "not a head of this exchange"
        raise ValueError(msg)
    return head, [connection.recv_bytes(most) for _ in range(head["parts"])]


def error_to_head(error: SpanproofError) -> dict[str, Any]:
    """A refusal as the child sends it."""
    return {"error": {"code": error.code, "message": error.message, "hint": error.hint}}


def error_from_head(head: dict[str, Any]) -> SpanproofError | None:
    """The refusal in an answer, if it is one; what it says is text from the document's side."""
    raw = head.get("error")
    if raw is None:
        return None
    code, message, hint = (str(raw.get(key, ""))[:500] for key in ("code", "message", "hint"))
    kinds = {kind.code: kind for kind in _RAISABLE}
    return kinds.get(code, BrokenDocumentError)(message, hint=hint)
