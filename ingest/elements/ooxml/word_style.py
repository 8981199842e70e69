"""What a paragraph of a DOCX is, by its own properties and the styles that it inherits from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.ingest.elements.ooxml.container import attribute, child, children, to_int, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from spanproof.core.documents.text_block import BlockKind

# A style that inherits from itself would be followed for ever.
_MOST_ANCESTORS = 20
_HEADING = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_BODY_LEVEL = 9
_KINDS: tuple[tuple[re.Pattern[str], BlockKind], ...] = (
    (re.compile(r"title", re.IGNORECASE), "title"),
    (re.compile(r"subtitle|toc heading", re.IGNORECASE), "heading"),
    (re.compile(r"caption", re.IGNORECASE), "caption"),
    (re.compile(r"list.*", re.IGNORECASE), "list_item"),
    (re.compile(r"html preformatted|.*\bcode\b.*|macro text", re.IGNORECASE), "code"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParagraphStyle:
    """What is known of a paragraph: a kind that its markup tells, and the list that numbers it."""

    kind: BlockKind | None
    level: int | None
    number_id: str | None
    number_level: int


class Styles:
    """The paragraph styles of a document by id."""

    def __init__(self, root: _Element | None) -> None:
        self._nodes: dict[str, _Element] = {}
        #: The properties of a run that says nothing of itself.
        self.run_defaults = child(child(child(root, "docDefaults"), "rPrDefault"), "rPr")
        for node in children(root, "style"):
            self._nodes[attribute(node, "styleId") or ""] = node

    def of(self, paragraph: _Element) -> ParagraphStyle:
        """What a paragraph's properties and its style say together."""
        own = child(paragraph, "pPr")
        chain = list(self.ancestry(value_of(own, "pStyle")))
        properties = [own, *(child(node, "pPr") for node in chain)]
        kind, level = self._kind_of(properties, chain)
        number_id, number_level = _number_of(properties)
        if number_id is not None and kind is None:
            kind = "list_item"
        if kind == "list_item":
            level = number_level + 1
        return ParagraphStyle(
            kind=kind, level=level, number_id=number_id, number_level=number_level
        )

    def ancestry(self, name: str | None) -> Iterator[_Element]:
        """A style and those that it inherits from, nearest first."""
        for _ in range(_MOST_ANCESTORS):
            node = self._nodes.get(name) if name is not None else None
            if node is None:
                return
            yield node
            name = value_of(node, "basedOn")

    def _kind_of(
        self, properties: list[_Element | None], chain: list[_Element]
    ) -> tuple[BlockKind | None, int | None]:
        for one in properties:
            outline = value_of(one, "outlineLvl")
            if outline is not None:
                depth = to_int(outline, _BODY_LEVEL)
                if 0 <= depth < _BODY_LEVEL:
                    return "heading", depth + 1
                break
        for node in chain:
            name = (value_of(node, "name") or "").strip()
            heading = _HEADING.fullmatch(name)
            if heading:
                return "heading", int(heading.group(1))
            for pattern, kind in _KINDS:
                if pattern.fullmatch(name):
                    return kind, None
        return None, None


def _number_of(properties: list[_Element | None]) -> tuple[str | None, int]:
    """The list of a paragraph and its level, each by the nearest that says one."""
    number_id: str | None = None
    level: str | None = None
    for one in properties:
        numbering = child(one, "numPr")
        if numbering is None:
            continue
        number_id = number_id or value_of(numbering, "numId")
        level = level if level is not None else value_of(numbering, "ilvl")
        if number_id is not None and level is not None:
            break
    # Zero takes the numbering of a style away.
    return (None if number_id in {None, "0"} else number_id), max(to_int(level), 0)
