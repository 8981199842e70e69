"""What a workbook's styles make of a cell's text: lost in its ground, tiny, struck out."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from spanproof.core.documents.layout import CharFlag
from spanproof.ingest.elements.ooxml.cell_value import hides_text
from spanproof.ingest.elements.ooxml.container import attribute, child, children, is_on, to_int
from spanproof.ingest.elements.styles.colour import BLACK, WHITE, Colour, are_alike, read_colour
from spanproof.ingest.elements.styles.seen import UNSEEN

if TYPE_CHECKING:
    from lxml.etree import _Element

_T = TypeVar("_T")
_SMALLEST = 2.0
#: Of the palette and of a theme the numbers that mean paper or ink; others are not known here.
_INDEXED = {0: BLACK, 1: WHITE, 8: BLACK, 9: WHITE}
_THEME = {0: WHITE, 1: BLACK}


def read_cell_flags(root: _Element) -> list[CharFlag]:
    """The flags of a cell's text by the index of its style."""
    fonts = [_read_font(node) for node in children(child(root, "fonts"), "font")]
    fills = [_read_fill(node) for node in children(child(root, "fills"), "fill")]
    found = []
    for node in children(child(root, "cellXfs"), "xf"):
        flags, colour = _at(fonts, attribute(node, "fontId"), (CharFlag(0), BLACK))
        ground = _at(fills, attribute(node, "fillId"), WHITE)
        found.append(flags | UNSEEN if are_alike(colour, ground) else flags)
    return found


def read_rule_flags(root: _Element) -> list[CharFlag]:
    """The flags of text by the index of what a rule of conditional formatting sets."""
    found = []
    for node in children(child(root, "dxfs"), "dxf"):
        font, fill = child(node, "font"), child(node, "fill")
        flags, colour = (CharFlag(0), None) if font is None else _read_font(font)
        if font is not None and child(font, "color") is None:
            colour = None
        # Such a fill is solid unless it says otherwise, and its colour is that of the ground.
        pattern = child(fill, "patternFill")
        ground = WHITE if pattern is None else _read_colour(child(pattern, "bgColor"), None)
        if are_alike(colour, ground) or hides_text(_code_of(child(node, "numFmt"))):
            flags |= UNSEEN
        found.append(flags)
    return found


def _code_of(node: _Element | None) -> str:
    return "General" if node is None else attribute(node, "formatCode") or "General"


def _at(listed: list[_T], index: str | None, default: _T) -> _T:
    place = to_int(index, -1)
    return listed[place] if 0 <= place < len(listed) else default


def _read_font(node: _Element) -> tuple[CharFlag, Colour | None]:
    flags = CharFlag.STRUCK if is_on(node, "strike") else CharFlag(0)
    size = child(node, "sz")
    try:
        tiny = size is not None and float(attribute(size, "val") or "11") < _SMALLEST
    except ValueError:
        tiny = False
    return (flags | UNSEEN if tiny else flags), _read_colour(child(node, "color"), BLACK)


def _read_fill(node: _Element) -> Colour | None:
    pattern = child(node, "patternFill")
    if pattern is None:
        return None
    if attribute(pattern, "patternType") in {None, "none"}:
        return WHITE
    if attribute(pattern, "patternType") != "solid":
        return None
    return _read_colour(child(pattern, "fgColor"), None)


def _read_colour(node: _Element | None, default: Colour | None) -> Colour | None:
    if node is None or attribute(node, "auto") in {"1", "true"}:
        return default
    written = attribute(node, "rgb")
    if written is not None:
        return read_colour(f"#{written.lower()[-6:]}", default)
    if attribute(node, "tint") not in {None, "0", "0.0"}:
        return None
    if attribute(node, "theme") is not None:
        return _THEME.get(to_int(attribute(node, "theme"), -1))
    return _INDEXED.get(to_int(attribute(node, "indexed"), -1))
