"""Responses: JSON of any string, plain text, and files that a browser does not run."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response

from spanproof.operations.documents.stored import SUFFIXES, name_file

if TYPE_CHECKING:
    from spanproof.core.digest import Digest

#: Media types of source downloads.
SOURCE_TYPES = tuple(SUFFIXES)


#: Made once: building an encoder costs more than encoding a small answer.
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class PlainJsonResponse(JSONResponse):
    """JSON in UTF-8; lone surrogates are escaped."""

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - any JSON value
        """The bytes."""
        # Python writes half a surrogate pair as JSON does.
        return _ENCODE(content).encode("utf-8", "backslashreplace")


def text_response(text: str, extraction_id: Digest) -> Response:
    """Text as UTF-8 bytes, unchanged; a header names its extraction."""
    return Response(
        text.encode("utf-8"),
        media_type="text/plain; charset=utf-8",
        headers={"X-Extraction-Id": str(extraction_id)},
    )


def source_response(content: bytes, kind: str, doc_hash: Digest) -> Response:
    """Source bytes as a download: never shown as a page of this origin."""
    encoded = base64.b64encode(bytes.fromhex(doc_hash.hex)).decode("ascii")
    return Response(
        content,
        media_type=kind,
        headers={
            "Content-Disposition": f'attachment; filename="{name_file(kind, doc_hash)}"',
            "Content-Security-Policy": "sandbox; default-src 'none'",
            "Repr-Digest": f"sha-256=:{encoded}:",
        },
    )


def file_response(
    content: bytes, kind: str, *, digest: Digest, known: str | None, filename: str | None = None
) -> Response:
    """Bytes whose digest is their ETag; 304 if ``known`` names it. A download with a filename."""
    etag = f'"{digest.hex}"'
    if known is not None and etag in {each.strip().removeprefix("W/") for each in known.split(",")}:
        return Response(status_code=304, headers={"ETag": etag})
    headers = {"ETag": etag}
    if filename is not None:
        headers["Content-Disposition"] = f'attachment; filename="{filename}"'
    return Response(content, media_type=kind, headers=headers)
