"""What the playground's forms send: a file, a claim with its quote, or a pasted answer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError, MalformedSpanError
from spanproof.core.span import Span
from spanproof.operations.verification.contexts_file import add_contexts, parse_contexts

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

_BOUNDARY = re.compile(r'multipart/form-data\s*;.*?boundary="?([^";,\s]{1,70})"?', re.IGNORECASE)
_FILE_NAME = re.compile(rb'filename="([^"\r\n]*)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedFile:
    """A file of a form."""

    name: str
    content: bytes


def read_upload(content_type: str, body: bytes) -> UploadedFile:
    """The one file of a multipart form (RFC 7578); raise InputError without one."""
    found = _BOUNDARY.match(content_type)
    parts = body.split(b"--" + found.group(1).encode("latin-1")) if found else []
    for part in parts:
        head, separator, content = part.partition(b"\r\n\r\n")
        name = _FILE_NAME.search(head)
        if separator and name and name.group(1):
            shown = name.group(1).decode("utf-8", "replace")
            # Old browsers send a whole path.
            shown = re.split(r"[/\\]", shown)[-1][:200]
            return UploadedFile(name=shown, content=content.removesuffix(b"\r\n"))
    msg = "Expected a form with a file, got none."
    raise InputError(msg, hint="Choose a file, then press the button.")


def to_payload(form: dict[str, str], extraction: Extraction | None) -> tuple[bytes, str]:
    """The answer that a form asks about, and its format; ``extraction`` is that of its document."""
    if extraction is None:
        contexts = parse_contexts(form["contexts"].encode()) if form.get("contexts") else []
        return add_contexts(form.get("payload", "").encode(), contexts), form.get("format", "")
    claim = " ".join(form.get("claim", "").split())
    if not claim:
        msg = "Expected a claim, got none."
        raise InputError(msg, hint="Write the sentence that the document is to support.")
    citation: dict[str, Any] = {
        "anchor": 1,
        "doc_hash": str(extraction.document.doc_hash),
        "extraction_id": str(extraction.extraction_id),
        "span": _to_span(form, extraction),
    }
    payload = {"answer": f"{claim} [1]", "citations": [citation]}
    return json.dumps(payload, ensure_ascii=False).encode("utf-8", "surrogatepass"), "native"


def _to_span(form: dict[str, str], extraction: Extraction) -> dict[str, Any]:
    """A quote, offsets, or both; offsets alone quote what stands there."""
    quote, start, end = (form.get(name, "").strip() for name in ("quote", "start", "end"))
    if not start and not end:
        if not quote:
            msg = "Expected a quote or its offsets, got neither."
            raise InputError(msg, hint="Select words of the text, or paste them as the quote.")
        return {"text": quote}
    if not all(re.fullmatch(r"[0-9]{1,12}", part) for part in (start, end)):
        msg = f"Expected two offsets, got {start!r} and {end!r}."
        raise InputError(msg, hint="Give both, or leave both empty.")
    if int(start) >= int(end) or not extraction.text.holds(Span(int(start), int(end))):
        msg = f"Expected a span inside 0..{len(extraction.text)}, got {start}..{end}."
        raise MalformedSpanError(msg, hint="Give half-open offsets of the text shown.")
    span = Span(int(start), int(end))
    # What a person selects may begin and end with white space, and a field changes line ends.
    text = extraction.text.slice(span)
    if not quote or quote == re.sub(r"\r\n?", "\n", text).strip():
        quote = text
    return {"text": quote, "char_start": span.start, "char_end": span.end}
