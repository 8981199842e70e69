"""The rows of a sheet's markup: read in its usual form at once, in any other by a parser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.core.documents.cell_address import number_column
from spanproof.ingest.elements.ooxml.container import attribute, child
from spanproof.ingest.elements.ooxml.plain_rows import (
    LAST_ROW,
    NotPlainError,
    RawRow,
    read_plain_rows,
    split_off,
)
from spanproof.ingest.elements.ooxml.workbook import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from spanproof.ingest.elements.ooxml.container import Package
    from spanproof.ingest.elements.ooxml.plain_rows import RawCell

_ADDRESS = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")


def read_plain_sheet(package: Package, part: str) -> tuple[_Element, Iterator[RawRow]]:
    """What stands around the rows, and the rows, which raise NotPlainError in another form."""
    frame, rows = split_off(package.read(part), b"<sheetData>", b"</sheetData>")
    root = package.parse(frame, part)
    if child(root, "sheetData") is None:
        raise NotPlainError
    return root, read_plain_rows(rows)


class WalkedSheet:
    """A sheet as a parser reads it; what stands around the rows is known after them."""

    #: Whether a cell names a row that no sheet has.
    astray = False

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._part = part
        self.root: _Element

    def rows(self) -> Iterator[RawRow]:
        """The rows in their order."""
        table = None
        for node in self._package.walk(self._part, "{*}row"):
            outer = node.getparent()
            if outer is None:
                self.root = node
            elif (outer is table) if table is not None else _is_table(outer):
                table = outer
                cells = [self._read_cell(cell) for cell in node.iterchildren("{*}c")]
                number, hidden, height = (attribute(node, name) for name in ("r", "hidden", "ht"))
                yield RawRow(number, hidden, height, cells)

    def _read_cell(self, node: _Element) -> RawCell:
        address, kind = node.get("r"), node.get("t")
        named = _ADDRESS.fullmatch(address) if address else None
        # unstructured walks the area that the addresses span, row by row.
        self.astray |= bool(address) and (named is None or int(named.group(2)) > LAST_ROW)
        inline = child(node, "is") if kind == "inlineStr" else None
        value = next(node.iterchildren("{*}v"), None)
        return (
            number_column(named.group(1)) if named else 0,
            node.get("s"),
            kind,
            child(node, "f") if value is None or not value.text else None,
            None if value is None else value.text,
            None if inline is None else text_of(inline),
        )


def _is_table(node: _Element) -> bool:
    """Whether a node is the table of its sheet: ``row`` is also the name of a picture's corner."""
    root = node.getparent()
    return root is not None and root.getparent() is None and child(root, "sheetData") is node


def is_set(node: _Element | None, name: str) -> bool:
    """Whether an attribute says yes."""
    return node is not None and attribute(node, name) in {"1", "true"}


def is_closed(hidden: str | None, size: str | None, least: float) -> bool:
    """Whether a row or column is hidden, or has hardly a height or width."""
    if hidden in {"1", "true"}:
        return True
    try:
        return float(size or least) < least
    except ValueError:
        return False
