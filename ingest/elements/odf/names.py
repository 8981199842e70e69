"""The names of OpenDocument that its reader looks for (OpenDocument 1.3, part 3)."""

from __future__ import annotations


def _space(name: str) -> str:
    return f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}"


OFFICE, STYLE, TEXT, TABLE = _space("office"), _space("style"), _space("text"), _space("table")
DRAW, MANIFEST = _space("drawing"), _space("manifest")
SVG = _space("svg-compatible")
CREATOR = "{http://purl.org/dc/elements/1.1/}creator"
