"""XML and HTML parsed without a network, a DTD, a file or a growing entity."""

from __future__ import annotations

import io
import re
from html.entities import html5
from typing import TYPE_CHECKING, Any

from lxml import etree

from spanproof.core import canonical_json
from spanproof.core.documents.document import Pipeline
from spanproof.core.errors import BrokenDocumentError
from spanproof.ingest.assembly.characters import CANON

if TYPE_CHECKING:
    from collections.abc import Iterator

# libxml2 stops at 256 nested elements: well-formed files beyond it are refused, others cut off.
_MAX_DEPTH = 255
_CHARSET = re.compile(rb"""(?:encoding|charset)\s*=\s*["']?([A-Za-z0-9_.:-]{1,40})""")
_DECLARATION_BYTES = 1024


class MarkupError(ValueError):
    """Bytes that are not well-formed; it never leaves this package."""


def markup_pipeline(name: str, version: str) -> Pipeline:
    """The pipeline of a reader on lxml; ``version`` counts changes of the reader itself."""
    engine = {
        name: version,
        "libxml2": ".".join(map(str, etree.LIBXML_VERSION)),
        "lxml": ".".join(map(str, etree.LXML_VERSION)),
    }
    config = {
        "engine": engine,
        "name": name,
        "normaliser": CANON,
        "separators": {"cell": "\t", "line": "\n", "page": "\f"},
    }
    return Pipeline(
        name=f"{name}@{version}+{CANON}",
        config_json=canonical_json.dumps(config).decode("utf-8"),
    )


def parse_xml(data: bytes) -> etree._Element:
    """The root of a well-formed document; raise MarkupError if it is malformed."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except (etree.LxmlError, ValueError) as error:
        raise MarkupError(str(error)) from error


def walk_xml(data: bytes, tag: str, name: str) -> Iterator[etree._Element]:
    """Each element of a tag (``{*}row``) as it ends, then the root; what was given is dropped.

    Raise BrokenDocumentError where ``name`` is malformed, as ``require_xml`` does.
    """
    events = etree.iterparse(
        io.BytesIO(data),
        tag=tag,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        for _, node in events:
            yield node
            node.clear()
            # An element cannot be taken out while it is the last one read: its elder ones can.
            while node.getprevious() is not None and node.getprevious().tag == node.tag:
                node.getparent().remove(node.getprevious())
        yield events.root
    except (etree.LxmlError, ValueError) as error:
        raise _malformed(name, error) from error


def require_xml(data: bytes, name: str) -> etree._Element:
    """The same for a part that a document cannot do without."""
    try:
        return parse_xml(data)
    except MarkupError as error:
        raise _malformed(name, error) from error


def _malformed(name: str, error: Exception) -> BrokenDocumentError:
    msg = f"Expected well-formed XML in {name!r}, got {error}."
    return BrokenDocumentError(msg, hint="Open the file in its program and save it again.")


def parse_html(data: bytes) -> etree._Element:
    """The root of tag soup; raise MarkupError where nothing is there, or more than is taken."""
    return parse_html_text(_decode(data))


def parse_html_text(text: str) -> etree._Element:
    """The same for decoded characters: the page's declared encoding no longer matters."""
    parser = etree.HTMLParser(
        no_network=True,
        # Without it a text over 10 MB is dropped in silence; depth is checked below.
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError) as error:
        raise MarkupError(str(error)) from error
    if root is None:
        msg = "no element"
        raise MarkupError(msg)
    if _depth(root) >= _MAX_DEPTH:
        msg = f"elements nested deeper than {_MAX_DEPTH}"
        raise MarkupError(msg)
    return root


def local_name(element: etree._Element) -> str:
    """The tag without its namespace, in lower case; empty for an entity reference."""
    tag: Any = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def read_entity(node: etree._Element) -> str | None:
    """The characters of an entity reference that HTML knows; None for any other."""
    return html5.get(f"{node.text or ''}"[1:])


def is_entity(node: etree._Element) -> bool:
    """Whether a node of the tree is a reference to an entity that was left as it is."""
    tag: Any = node.tag
    return tag is etree.Entity


def _decode(data: bytes) -> str:
    declared = _CHARSET.search(data, 0, _DECLARATION_BYTES)
    names = [declared.group(1).decode("ascii")] if declared else []
    for name in (*names, "utf-8"):
        try:
            return data.decode(name)
        except (UnicodeError, LookupError):
            continue
    return data.decode("windows-1252", "replace")


def _depth(root: etree._Element) -> int:
    deepest = depth = 0
    for event, _ in _events(root):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest


def _events(root: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    yield from etree.iterwalk(root, events=("start", "end"))
