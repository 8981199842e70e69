"""The parts of a workbook that its sheets need: shared texts, number formats, the sheets' names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanproof.ingest.elements.ooxml.cell_style import read_cell_flags, read_rule_flags
from spanproof.ingest.elements.ooxml.container import (
    Package,
    attribute,
    child,
    children,
    local,
    to_int,
)
from spanproof.ingest.elements.ooxml.number_format import BUILT_IN
from spanproof.ingest.elements.ooxml.plain_rows import (
    NotPlainError,
    read_plain_strings,
    resolve_escapes,
    split_off,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

    from spanproof.core.documents.layout import CharFlag

#: Text that appears beside the characters of a cell, not among them (readings of Japanese words).
_IGNORED_KEYS = frozenset({"rPh", "phoneticPr"})


#: Around the first shared text, and the last.
_ITEM = (b"<si>", b"</si>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A sheet's name and part; hidden ones are listed in no tab."""

    name: str
    part: str
    is_hidden: bool


@dataclass(slots=True, kw_only=True)
class Workbook:
    """What the sheets share."""

    package: Package
    sheets: list[Sheet] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    #: Format codes by the index of a cell's style.
    formats: list[str] = field(default_factory=list)
    #: By the same index what font and fill make of a cell's text: lost in its ground, struck out.
    flags: list[CharFlag] = field(default_factory=list)
    #: By the index of what a rule of conditional formatting sets.
    rule_flags: list[CharFlag] = field(default_factory=list)
    from_1904: bool = False


def read_workbook(package: Package) -> Workbook:
    """Read all of a workbook but its sheets."""
    main = package.main_part()
    root = package.root(main)
    book = Workbook(package=package)
    properties = child(root, "workbookPr")
    book.from_1904 = properties is not None and attribute(properties, "date1904") in {"1", "true"}
    relations = package.relations_of(main)
    for node in children(child(root, "sheets"), "sheet"):
        name = next((str(v) for k, v in node.attrib.items() if k.endswith("}id")), "")
        relation = relations.get(name)
        if relation is not None and relation.target in package:
            book.sheets.append(
                Sheet(
                    name=attribute(node, "name") or "",
                    part=relation.target,
                    is_hidden=attribute(node, "state") in {"hidden", "veryHidden"},
                )
            )
    for part in package.related(main, "sharedStrings"):
        book.texts += _read_strings(package, part)
    for part in package.related(main, "styles"):
        book.formats = _read_formats(package.root(part))
        book.flags = read_cell_flags(package.root(part))
        book.rule_flags = read_rule_flags(package.root(part))
    return book


def text_of(node: _Element) -> str:
    """The characters of a text item, its runs joined."""
    parts: list[str] = []
    for inner in node:
        name = local(inner)
        if name == "t":
            parts.append(resolve_escapes(inner.text or ""))
        elif name not in _IGNORED_KEYS:
            parts.append(text_of(inner))
    return "".join(parts)


def _read_strings(package: Package, part: str) -> list[str]:
    try:
        frame, strings = split_off(package.read(part), *_ITEM)
        root = package.parse(frame, part)
        if len(root) == len(children(root, "si")) == 1:
            return read_plain_strings(strings.join(_ITEM))
    except NotPlainError:
        pass
    return [text_of(node) for node in children(package.root(part), "si")]


def _read_formats(root: _Element) -> list[str]:
    own = {
        to_int(attribute(node, "numFmtId")): attribute(node, "formatCode") or ""
        for node in children(child(root, "numFmts"), "numFmt")
    }
    ids = (to_int(attribute(n, "numFmtId")) for n in children(child(root, "cellXfs"), "xf"))
    return [own.get(one) or BUILT_IN.get(one, "General") for one in ids]
