"""Answers: JSON that any string survives, text as it is, and files that a browser does not run."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response

if TYPE_CHECKING:
    from core.digest import Digest

#: Suffixes for downloads, so that the reader's own viewer opens them.
_SUFFIXES = {"application/pdf": ".pdf", "text/markdown": ".md", "text/plain": ".txt"}


class PlainJsonResponse(JSONResponse):
    """JSON in UTF-8; what UTF-8 cannot carry is escaped."""

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - any JSON value
        """The bytes."""
        try:
            return super().render(content)
        except UnicodeEncodeError:
            return json.dumps(content, allow_nan=False).encode("ascii")


def text_response(text: str, extraction_id: Digest) -> Response:
    """Characters as UTF-8 bytes, nothing added; the header says of which extraction."""
    return Response(
        text.encode("utf-8"),
        media_type="text/plain; charset=utf-8",
        headers={"X-Extraction-Id": str(extraction_id)},
    )


def source_response(content: bytes, media_type: str, doc_hash: Digest) -> Response:
    """Source bytes to be saved: never shown as a page of this origin."""
    name = doc_hash.hex[:16] + _SUFFIXES.get(media_type, ".bin")
    encoded = base64.b64encode(bytes.fromhex(doc_hash.hex)).decode("ascii")
    return Response(
        content,
        media_type=media_type,
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Security-Policy": "sandbox; default-src 'none'",
            "Repr-Digest": f"sha-256=:{encoded}:",
        },
    )
