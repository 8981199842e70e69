"""EPUB: every item of the spine is a page, in the order of the spine.

The container names the package, the package its spine (EPUB 3.3, 4.2.6 and 5.7). An item that is
missing, damaged or no text is a page that says so; the book is read on.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from spanproof.core.errors import BrokenDocumentError, EncryptedDocumentError
from spanproof.ingest.elements.archive import Archive
from spanproof.ingest.elements.markup import (
    MarkupError,
    local_name,
    markup_pipeline,
    parse_html,
    parse_xml,
    require_xml,
)
from spanproof.ingest.elements.piece import Piece, write_pieces
from spanproof.ingest.elements.writer import TextWriter
from spanproof.ingest.elements.xhtml import XhtmlReader, find_title
from spanproof.ingest.limits import check_limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from spanproof.core.documents.document import Document, Extraction, PageStatus
    from spanproof.ingest.limits import Limits

#: Raised by one with every change of what this reader makes of a book.
VERSION = "2"
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PACKAGE_TYPE = "application/oebps-package+xml"
#: Methods that only garble fonts (EPUB 3.3, 4.4; Adobe's older one); any other hides text.
_FONT_METHODS = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
_PAGE_TYPES = frozenset(
    {
        "application/xhtml+xml",
        "text/html",
        "text/x-oeb1-document",
        "application/x-dtbook+xml",
        "application/xml",
        "text/xml",
        "image/svg+xml",
    }
)
_MAX_LABEL = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """An entry of the manifest; ``path`` is its name in the container."""

    path: str
    media_type: str
    fallback: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """What one item of the spine came to."""

    label: str
    pieces: tuple[Piece, ...] = ()
    status: PageStatus = "ok"
    problem: str | None = None


def read(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a book; raise ExtractionError where it is encrypted, broken, or beyond the limits."""
    del charset
    archive = Archive(data, limits)
    _refuse_encrypted(archive)
    package_path = _find_package(archive)
    package = require_xml(archive.read(package_path), package_path)
    spine = list(_list_spine(package, package_path))
    check_limit(len(spine), limits.max_pages, "pages")
    writer = TextWriter(limits=limits)
    for item in spine:
        page = _read_item(archive, item)
        write_pieces(writer, page.pieces, item.path)
        writer.end_page(page.label, status=page.status, problem=page.problem)
    return writer.finish(document, markup_pipeline("epub", VERSION))


def _refuse_encrypted(archive: Archive) -> None:
    if _ENCRYPTION not in archive:
        return
    root = require_xml(archive.read(_ENCRYPTION), _ENCRYPTION)
    for element in root.iter():
        if local_name(element) != "encrypteddata":
            continue
        methods = (c.get("Algorithm") for c in element if local_name(c) == "encryptionmethod")
        method = next(methods, None)
        if method not in _FONT_METHODS:
            msg = f"Expected a book that opens without a key, got one under {method!r} (DRM)."
            raise EncryptedDocumentError(msg, hint="Get a copy without copy protection.")


def _find_package(archive: Archive) -> str:
    root = require_xml(archive.read(_CONTAINER), _CONTAINER)
    for element in root.iter():
        is_package = element.get("media-type", _PACKAGE_TYPE) == _PACKAGE_TYPE
        path: str | None = element.get("full-path")
        if local_name(element) == "rootfile" and is_package and path:
            return path
    msg = f"Expected a package in {_CONTAINER!r}, got none."
    raise BrokenDocumentError(msg, hint="Open the book in a reader and save it again.")


def _list_spine(package: _Element, package_path: str) -> Iterator[_Item]:
    """The items that are read: an item named twice is read once."""
    items: dict[str, _Item] = {}
    order: dict[str, None] = {}
    for element in package.iter():
        name, key = local_name(element), element.get("id")
        if name == "item" and key is not None:
            items[key] = _Item(
                path=_resolve(package_path, element.get("href", "")),
                media_type=element.get("media-type", "").partition(";")[0].strip().lower(),
                fallback=element.get("fallback"),
            )
        elif name == "itemref":
            order[element.get("idref", "")] = None
    for key in order:
        yield (
            _with_text(items, key)
            or items.get(key)
            or _Item(path=key, media_type="", fallback=None)
        )


def _with_text(items: dict[str, _Item], key: str) -> _Item | None:
    """The item, or the nearest of its fallbacks that is text."""
    seen: set[str] = set()
    wanted: str | None = key
    while wanted is not None and wanted in items and wanted not in seen:
        seen.add(wanted)
        item = items[wanted]
        if item.media_type in _PAGE_TYPES:
            return item
        wanted = item.fallback
    return None


def _resolve(package_path: str, href: str) -> str:
    path = unquote(urlsplit(href).path) if "%" in href or "#" in href or "?" in href else href
    return posixpath.normpath(posixpath.join(posixpath.dirname(package_path), path))


def _read_item(archive: Archive, item: _Item) -> _Page:
    if item.media_type not in _PAGE_TYPES:
        got = item.media_type or "an item that the manifest does not name"
        return _Page(
            label=item.path[:_MAX_LABEL], status="degraded", problem=f"expected text, got {got}"
        )
    try:
        data = archive.read(item.path)
        root, fault = _parse(data)
    except BrokenDocumentError as error:
        return _Page(label=item.path[:_MAX_LABEL], status="error", problem=error.message)
    except MarkupError as error:
        return _Page(label=item.path[:_MAX_LABEL], status="error", problem=str(error))
    reader = XhtmlReader()
    reader.read(root)
    problems = [fault] if fault else []
    if reader.unseen:
        problems.append(f"{reader.unseen} hidden characters are left out")
    if reader.unknown_entities:
        problems.append(f"{reader.unknown_entities} unknown entities are left as they are")
    return _Page(
        label=(find_title(root) or item.path)[:_MAX_LABEL],
        pieces=tuple(reader.pieces),
        status="degraded" if problems else "ok",
        problem="; ".join(problems) or None,
    )


def _parse(data: bytes) -> tuple[_Element, str | None]:
    """The root of a page and its faults."""
    try:
        return parse_xml(data), None
    except MarkupError as error:
        return parse_html(data), f"no well-formed XML, read as HTML: {str(error)[:200]}"
