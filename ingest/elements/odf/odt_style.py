"""Names of OpenDocument, and what a style says of a paragraph: its kind, whether it is seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.etree import _Element

    from spanproof.core.documents.text_block import BlockKind


def _space(name: str) -> str:
    return f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}"


OFFICE, STYLE, TEXT, TABLE = _space("office"), _space("style"), _space("text"), _space("table")
DRAW, MANIFEST = _space("drawing"), _space("manifest")
SVG = _space("svg-compatible")
CREATOR = "{http://purl.org/dc/elements/1.1/}creator"


#: Built-in styles whose name says what appears in them; others inherit it from one of these.
_KINDS: dict[str, BlockKind] = {
    "Title": "title",
    "Caption": "caption",
    "Preformatted_20_Text": "code",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    parent: str | None
    display: str | None


@dataclass(frozen=True, slots=True)
class Styles:
    """Styles by family and name; a later one of the same name wins."""

    _known: dict[tuple[str, str], _Style] = field(default_factory=dict)

    def hides(self, element: _Element, family: str) -> bool:
        """Whether the text of an element is hidden (``text:display``) by its style."""
        chain = self._chain(family, element.get(f"{TEXT}style-name"))
        displays = (style.display for _, style in chain if style.display is not None)
        return next(displays, "true") == "none"

    def kind_of(self, paragraph: _Element) -> BlockKind:
        """The kind of block that a paragraph's style makes it."""
        own = paragraph.get(f"{TEXT}style-name")
        names = [own, *(style.parent for _, style in self._chain("paragraph", own))]
        return next((_KINDS[name] for name in names if name in _KINDS), "paragraph")

    def _chain(self, family: str, name: str | None) -> Iterator[tuple[str, _Style]]:
        seen: set[str] = set()
        while name is not None and name not in seen and (family, name) in self._known:
            seen.add(name)
            style = self._known[family, name]
            yield name, style
            name = style.parent


def read_styles(groups: Iterable[_Element]) -> Styles:
    """The styles of ``office:styles`` and ``office:automatic-styles`` elements."""
    known: dict[tuple[str, str], _Style] = {}
    for group in groups:
        for style in group.iter(f"{STYLE}style"):
            properties = style.find(f"{STYLE}text-properties")
            key = style.get(f"{STYLE}family", ""), style.get(f"{STYLE}name", "")
            known[key] = _Style(
                parent=style.get(f"{STYLE}parent-style-name"),
                display=None if properties is None else properties.get(f"{TEXT}display"),
            )
    return Styles(known)


def find_groups(root: _Element, *, automatic: bool) -> list[_Element]:
    """The groups of common styles of a file, and with them its automatic ones."""
    names = ("styles", "automatic-styles") if automatic else ("styles",)
    found = (root.find(f"{OFFICE}{name}") for name in names)
    return [group for group in found if group is not None]
