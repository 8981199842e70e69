"""Charts and diagrams of an OOXML document: the text that a reader sees in them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from spanproof.core.documents.cell_address import name_cell
from spanproof.ingest.elements.ooxml.container import attribute, child, children, local
from spanproof.ingest.elements.ooxml.number_format import format_number
from spanproof.ingest.elements.ooxml.word_text import read_paragraph
from spanproof.ingest.elements.piece import Piece

if TYPE_CHECKING:
    from lxml.etree import _Element

# A chart of more points than a sheet has rows is not one.
_MOST_POINTS = 1 << 20


def read_graphic(root: _Element) -> list[Piece]:
    """The pieces of a chart part or of a diagram's data part."""
    if local(root) == "chartSpace":
        return _read_chart(root)
    texts = (read_paragraph(node).text for node in root.iter() if local(node) == "p")
    return [Piece(kind="paragraph", text=text) for text in texts]


def _read_chart(root: _Element) -> list[Piece]:
    """Titles, and the values that the chart was drawn from as a table: a row for each series."""
    titles = [
        Piece(kind="caption", text=read_paragraph(node).text)
        for node in root.iter()
        if local(node) == "p"
    ]
    rows: list[Piece] = []
    categories: list[str] | None = None
    for series in (node for node in root.iter() if local(node) == "ser"):
        names = _cached(child(series, "tx"))
        heads = _cached(child(series, "cat")) or _cached(child(series, "xVal"))
        values = _cached(child(series, "val")) or _cached(child(series, "yVal"))
        if heads and heads != categories:
            categories = heads
            rows.append(_row(len(rows) + 1, "", heads))
        rows.append(_row(len(rows) + 1, " ".join(names), values))
    return [*titles, Piece(kind="table", inner=rows)]


def _row(number: int, head: str, values: list[str]) -> Piece:
    return Piece(
        kind="row",
        inner=[
            Piece(kind="cell", text=text, cell=name_cell(column, number))
            for column, text in enumerate([head, *values], start=1)
        ],
    )


def _cached(node: _Element | None) -> list[str]:
    """The values that the program kept of a range, in order."""
    if node is None:
        return []
    points = (inner for inner in node.iter() if local(inner) == "pt")
    found = [_show_point(point) for point in islice(points, _MOST_POINTS)]
    plain = child(node, "v")
    return [plain.text or ""] if plain is not None and not found else found


def _show_point(point: _Element) -> str:
    text = "".join(value.text or "" for value in children(point, "v"))
    cache = point.getparent()
    if cache is None or not local(cache).startswith("num"):
        return text
    formats = children(cache, "formatCode")
    code = attribute(point, "formatCode") or (formats[0].text if formats else None)
    try:
        return format_number(float(text), code or "General").strip()
    except (ValueError, ArithmeticError):
        return text
