"""An OOXML container: its parts, parsed without DTD or entity, and their references.

Names are compared without their namespaces, so that the strict variant of the standard reads like
the usual one. No macro, embedded document or external target is opened.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from spanproof.core.errors import BrokenDocumentError
from spanproof.ingest.elements.archive import Archive
from spanproof.ingest.elements.markup import require_xml, walk_xml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from spanproof.ingest.limits import Limits

# A library opens every part at once: more than this would not fit in the memory allowed.
_INFLATES = 4
_NEXT_STEP = "Open the file in its program and save it again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """What a part refers to: the last word of the relation's type and a part's name."""

    kind: str
    target: str


class Package:
    """The parts of a document, each parsed once."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        self._archive = Archive(data, limits)
        self._archive.require_small(_INFLATES)
        self._relations: dict[str, dict[str, Relation]] = {}

    def main_part(self) -> str:
        """The name of the part that the whole document hangs from."""
        for relation in self.relations_of("").values():
            if relation.kind == "officeDocument":
                return relation.target
        msg = "Expected a container that names its main part, got none."
        raise BrokenDocumentError(msg, hint=_NEXT_STEP)

    def __contains__(self, part: str) -> bool:
        return part in self._archive

    def read(self, part: str) -> bytes:
        """A part's bytes."""
        return self._archive.read(part)

    def root(self, part: str) -> _Element:
        """A part's tree; raise BrokenDocumentError where it is missing or no OOXML."""
        return self.parse(self._archive.read(part), part)

    def parse(self, data: bytes, part: str) -> _Element:
        """The same of bytes that were taken out of a part."""
        root = require_xml(data, part)
        _refuse_dtd(root, part)
        return root

    def walk(self, part: str, tag: str) -> Iterator[_Element]:
        """Each element of a tag (``{*}row``), dropped once it was taken; then the root.

        For parts too large to hold whole; raise BrokenDocumentError as ``root`` does.
        """
        for node in walk_xml(self._archive.read(part), tag, part):
            if node.getparent() is None:
                _refuse_dtd(node, part)
            yield node

    def find_root(self, part: str | None) -> _Element | None:
        """The same for a part that a document can do without."""
        return self.root(part) if part is not None and part in self else None

    def relations_of(self, part: str) -> dict[str, Relation]:
        """By id; those to something outside the container are left out."""
        if part not in self._relations:
            folder, name = posixpath.split(part)
            root = self.find_root(posixpath.join(folder, "_rels", f"{name}.rels"))
            self._relations[part] = {} if root is None else dict(_read_relations(root, folder))
        return self._relations[part]

    def related(self, part: str, kind: str) -> list[str]:
        """The parts that one refers to by relations of a kind, and that are there."""
        found = (r.target for r in self.relations_of(part).values() if r.kind == kind)
        return [target for target in dict.fromkeys(found) if target in self]


def _refuse_dtd(root: _Element, part: str) -> None:
    if root.getroottree().docinfo.internalDTD is not None:
        # ECMA-376 Part 2, 8.2.5: DTD declarations must not be used.
        msg = f"Expected XML without a DTD in {part!r}, got one."
        raise BrokenDocumentError(msg, hint=_NEXT_STEP)


def _read_relations(root: _Element, folder: str) -> Iterator[tuple[str, Relation]]:
    for node in root:
        if local(node) != "Relationship" or node.get("TargetMode") == "External":
            continue
        target = unquote(node.get("Target", "")).partition("#")[0].replace("\\", "/")
        name = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        kind = node.get("Type", "").rpartition("/")[2]
        yield node.get("Id", ""), Relation(kind=kind, target=name)


def local(node: _Element) -> str:
    """A tag without its namespace; empty if the node is not an element."""
    tag: Any = node.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(node: _Element, name: str) -> str | None:
    """An attribute by its name without the namespace."""
    plain: str | None = node.get(name)
    if plain is not None:
        return plain
    ending = "}" + name
    for key, value in node.attrib.items():
        if key.endswith(ending):
            return str(value)
    return None


def child(node: _Element | None, name: str) -> _Element | None:
    """The first child of that name."""
    if node is None:
        return None
    return next((inner for inner in node if local(inner) == name), None)


def children(node: _Element | None, name: str) -> list[_Element]:
    """All children of that name."""
    return [] if node is None else [inner for inner in node if local(inner) == name]


def value_of(node: _Element | None, name: str) -> str | None:
    """The ``val`` of the child of that name, which OOXML writes for most properties."""
    found = child(node, name)
    return None if found is None else attribute(found, "val")


def to_int(raw: str | None, default: int = 0) -> int:
    """A number of the markup; a malformed or absurdly long one counts as the default."""
    try:
        return int(raw) if raw is not None and len(raw) < 12 else default
    except ValueError:
        return default


def is_on(node: _Element | None, name: str) -> bool:
    """Whether a property is there and not switched off (``w:vanish``)."""
    found = child(node, name)
    return found is not None and attribute(found, "val") not in {"0", "false", "off", "none"}


def shown_branch(node: _Element) -> _Element | None:
    """The branch of ``mc:AlternateContent`` that programs of today show: the first choice."""
    chosen = child(node, "Choice")
    return chosen if chosen is not None and len(chosen) else child(node, "Fallback")
