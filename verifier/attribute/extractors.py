"""The shipped extractors of lists: web search, RAG query, Wikipedia.

Tools agree on no shape. These extractors read what the outputs have in common: a list (under one of
the usual names) of objects with an address, a title and a text. An item without text is reported.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spanproof.core.shown import first_words
from spanproof.verifier.attribute.sources import (
    SNIPPET_CHARACTERS,
    FoundText,
    ToolResult,
    Unextracted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


Found = FoundText | Unextracted
_LISTS = (
    "results",
    "organic_results",
    "organic",
    "items",
    "documents",
    "chunks",
    "passages",
    "matches",
    "nodes",
    "source_nodes",
    "pages",
    "hits",
    "data",
    "value",
    "web",
    "webPages",
    "query",
    "search",
)
_URIS = ("url", "link", "uri", "href", "fullurl", "source_url", "sourceURL")
_TITLES = ("title", "name", "file_name", "filename", "doc_title")
_FULL_TEXT = (
    "raw_content",
    "full_text",
    "page_content",
    "markdown",
    "html",
    "text",
    "content",
    "body",
)
_EXCERPTS = ("snippet", "description", "excerpt", "summary", "extract")
#: Of a search's result only these are the page itself; its ``content`` and ``text`` are excerpts.
_PAGE_TEXTS = ("raw_content", "full_text", "page_content", "markdown", "html")
_SEARCH_TEXTS = ("content", "text", "body", "answer", *_EXCERPTS)
#: Levels of wrapping around a list that are opened (``webPages.value``, ``data.web.results``).
_MAX_DEPTH = 4


def extract_web_search(result: ToolResult) -> Iterator[Found]:
    """One source for each result; a search's excerpt is a snippet unless the page came too."""
    for pointer, item in list_items(result.output):
        whole = find_text(item, _PAGE_TEXTS)
        text = whole or find_text(item, _SEARCH_TEXTS)
        found = _make(item, text, kind="web_search", whole=whole is not None)
        yield found or result.unextracted("no_text", pointer)


def extract_rag(result: ToolResult) -> Iterator[Found]:
    """One source for each chunk: a retriever gives excerpts of documents."""
    for pointer, item in list_items(result.output):
        text = find_text(item, ("page_content", "chunk", "passage", *_FULL_TEXT, *_EXCERPTS))
        found = _make(item, text, kind="rag", whole=False)
        yield found or result.unextracted("no_text", pointer)


def extract_wikipedia(result: ToolResult) -> Iterator[Found]:
    """One source an article; a summary or extract is a snippet of it."""
    for pointer, item in list_items(result.output):
        whole = find_text(item, _FULL_TEXT)
        text = whole or find_text(item, _EXCERPTS)
        found = _make(item, text, kind="wikipedia", whole=whole is not None)
        yield found or result.unextracted("no_text", pointer)


def list_items(output: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any JSON value
    """The results in an output, each with its JSON pointer; a bare text or object is one."""
    value, pointer = parse_text(output), ""
    for _ in range(_MAX_DEPTH):
        if not isinstance(value, dict):
            break
        name = next((n for n in _LISTS if isinstance(value.get(n), list | dict)), None)
        if name is None or find_text(value, (*_FULL_TEXT, *_EXCERPTS)) is not None:
            break
        value, pointer = value[name], f"{pointer}/{name}"
    if isinstance(value, list):
        yield from ((f"{pointer}/{index}", item) for index, item in enumerate(value))
    else:
        yield pointer, value


def parse_text(output: Any) -> Any:  # noqa: ANN401 - any JSON value
    """JSON that a tool gave as text, read; anything else as it is."""
    if isinstance(output, str) and output.lstrip()[:1] in {"{", "["}:
        try:
            return json.loads(output)
        except (ValueError, RecursionError):
            return output
    return output


def find_text(item: Any, names: tuple[str, ...]) -> str | None:  # noqa: ANN401 - any JSON value
    """The first field of these that holds words, in the item or in its ``node`` or ``document``."""
    if isinstance(item, str):
        return item if item.strip() else None
    for holder in _holders(item):
        for name in names:
            value = holder.get(name)
            if isinstance(value, str) and value.strip():
                return value
    return None


def find_stated(item: Any, names: tuple[str, ...]) -> str | None:  # noqa: ANN401 - any JSON value
    """A field of the item, or of its ``metadata``, that is a text."""
    for holder in _holders(item):
        for fields in (holder, holder.get("metadata")):
            if isinstance(fields, dict):
                for name in names:
                    if isinstance(fields.get(name), str) and fields[name].strip():
                        return str(fields[name])
    return None


def find_uri(item: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """The address that an item gives; its ``source`` only if that is an address."""
    given = find_stated(item, _URIS)
    source = find_stated(item, ("source",)) if given is None else None
    return given or (source if source and "://" in source else None)


def find_title(item: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """The title that an item gives."""
    return find_stated(item, _TITLES)


def _find_page(item: Any) -> int | None:  # noqa: ANN401 - any JSON value
    # ``page`` counts from 0 with some loaders and from 1 with others: only the long name is sure.
    for holder in _holders(item):
        for fields in (holder, holder.get("metadata")):
            number = fields.get("page_number") if isinstance(fields, dict) else None
            if isinstance(number, int) and not isinstance(number, bool) and number >= 1:
                return number
    return None


def _holders(item: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any JSON value
    if not isinstance(item, dict):
        return []
    inner = [item.get(name) for name in ("node", "document", "metadata")]
    return [item, *(each for each in inner if isinstance(each, dict))]


def _make(item: Any, text: str | None, *, kind: str, whole: bool) -> FoundText | None:  # noqa: ANN401 - any JSON value
    """The source that an item of a list is; None if it has no text."""
    if text is None:
        return None
    excerpt = find_text(item, _EXCERPTS) or text if whole else text
    return FoundText.of(
        text,
        kind=kind,
        scope="full" if whole else "snippet",
        uri=find_uri(item),
        title=find_title(item),
        snippet=first_words(excerpt, SNIPPET_CHARACTERS),
        page_number=_find_page(item),
    )
