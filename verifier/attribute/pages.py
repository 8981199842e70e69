"""The shipped extractors of single contents: web page, HTTP call, any MCP tool."""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any

from spanproof.core.shown import first_words
from spanproof.verifier.attribute.extractors import (
    Found,
    find_text,
    find_title,
    find_uri,
    parse_text,
)
from spanproof.verifier.attribute.sources import (
    SNIPPET_CHARACTERS,
    FoundText,
    ToolResult,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAGE = ("raw_content", "html", "markdown", "text", "content", "page_content", "body", "data")
_FIRST_ERROR = 400


def extract_web_page(result: ToolResult) -> Iterator[Found]:
    """The page that was read, whole."""
    yield _make_page(result, kind="web_page") or result.unextracted("no_text")


def extract_http(result: ToolResult) -> Iterator[Found]:
    """The body of a response; one that reports an error is not a source."""
    output = parse_text(result.output)
    status = None
    if isinstance(output, dict):
        status = next((output[n] for n in ("status_code", "status") if n in output), None)
    if isinstance(status, int) and status >= _FIRST_ERROR:
        yield result.unextracted("http_error")
        return
    yield _make_page(result, kind="http") or result.unextracted("no_text")


def extract_mcp(result: ToolResult) -> Iterator[Found]:
    """The parts of an MCP tool's result: text, embedded resources, else its structured content."""
    output = parse_text(result.output)
    if isinstance(output, dict) and output.get("isError") is True:
        yield result.unextracted("tool_error")
        return
    content = output.get("content") if isinstance(output, dict) else output
    if isinstance(content, list) and content:
        for index, part in enumerate(content):
            pointer = f"/content/{index}" if isinstance(output, dict) else f"/{index}"
            yield _read_part(part) or result.unextracted("no_text", pointer)
        return
    structured = output.get("structuredContent") if isinstance(output, dict) else None
    if structured is not None:
        found = _make(_dump(structured), kind="mcp")
        yield found or result.unextracted("no_text", "/structuredContent")
        return
    text = next((each for each in (result.output, content) if isinstance(each, str)), None)
    found = _make(_dump(output) if text is None else text, kind="mcp")
    yield found or result.unextracted("no_text")


def _read_part(part: Any) -> FoundText | None:  # noqa: ANN401 - any JSON value
    """One part of a result; None if it has no text."""
    if isinstance(part, str):
        return _make(part, kind="mcp")
    if not isinstance(part, dict):
        return None
    if isinstance(part.get("text"), str):
        return _make(part["text"], kind="mcp")
    resource = part.get("resource")
    if not isinstance(resource, dict):
        # A picture, a sound, a link to what was not read.
        return None
    uri, title = find_uri(resource), find_title(resource)
    if isinstance(resource.get("text"), str):
        return _make(resource["text"], kind="mcp", uri=uri, title=title)
    try:
        data = base64.b64decode(resource.get("blob", ""), validate=True)
    except (binascii.Error, TypeError, ValueError):
        data = b""
    if not data:
        return None
    media_type = resource.get("mimeType")
    return FoundText(
        type="mcp",
        data=data,
        media_type=media_type if isinstance(media_type, str) else "application/octet-stream",
        scope="full",
        uri=uri,
        title=title,
    )


def _make_page(result: ToolResult, *, kind: str) -> FoundText | None:
    output = parse_text(result.output)
    asked = find_uri(result.parameters)
    if isinstance(result.output, str) and not (isinstance(output, dict) and find_uri(output)):
        # An HTTP call often answers JSON: its text is then the source.
        text = result.output if not isinstance(output, dict) else find_text(output, _PAGE)
        return _make(text or result.output, kind=kind, uri=asked)
    if not isinstance(output, dict):
        return _make("" if output is None else _dump(output), kind=kind, uri=asked)
    text = find_text(output, _PAGE)
    if text is None:
        body = next((output[n] for n in ("body", "data", "json", "content") if output.get(n)), None)
        text = "" if body is None else _dump(body)
    uri = find_uri(output) or asked
    return _make(text, kind=kind, uri=uri, title=find_title(output))


def _make(
    text: str, *, kind: str, uri: str | None = None, title: str | None = None
) -> FoundText | None:
    """A whole text as a source; None if it is blank."""
    if not text.strip():
        return None
    snippet = first_words(text, SNIPPET_CHARACTERS)
    return FoundText.of(text, kind=kind, snippet=snippet, uri=uri, title=title)


def _dump(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return "" if value in (None, {}, []) else json.dumps(value, ensure_ascii=False, indent=1)
