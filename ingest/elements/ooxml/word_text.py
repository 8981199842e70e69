"""The characters of a DOCX paragraph as its program shows them, and its attachments.

Insertions are text, deletions and the places that text was moved from are not, nor are the codes of
fields and runs that are marked hidden. Of alternatives for older programs the first counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanproof.core.documents.layout import CharFlag
from spanproof.ingest.elements.inline import Mark
from spanproof.ingest.elements.ooxml.container import attribute, child, is_on, local, shown_branch

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element

_NOT_SHOWN = frozenset(
    {
        "pPr", "rPr", "tblPr", "trPr", "tcPr", "sectPr", "sdtPr", "sdtEndPr", "tblGrid",
        "del", "moveFrom", "delText", "delInstrText", "instrText", "fldData",
    }
)  # fmt: skip
_CHARACTERS = {
    "tab": "\t",
    "ptab": "\t",
    "br": "\n",
    "cr": "\n",
    # Shown as a hyphen that does not break; programs copy a plain one.
    "noBreakHyphen": "-",
    "softHyphen": "\u00ad",
}
#: Text that appears in a frame of its own.
_FRAMES = frozenset({"txbxContent", "txBody"})
#: Parts of their own, and the attribute that names the relation to them.
_GRAPHICS = {"chart": "id", "relIds": "dm"}


@dataclass(slots=True, kw_only=True)
class ParagraphText:
    """Text, its hidden parts, and the frames, charts and diagrams anchored in it."""

    text: str = ""
    marks: tuple[Mark, ...] = ()
    hidden: str = ""
    frames: list[_Element] = field(default_factory=list)
    graphics: list[str] = field(default_factory=list)


def read_paragraph(
    paragraph: _Element, flags_of: Callable[[_Element], CharFlag] | None = None
) -> ParagraphText:
    """Read one ``w:p`` (or ``a:p``); ``flags_of`` says of a run what its reader sees of it."""
    found = ParagraphText()
    parts = _Parts(flags_of)
    _read_inline(paragraph, parts, found)
    found.text = "".join(parts.texts)
    found.marks = tuple(parts.marks)
    return found


class _Parts:
    """The characters so far, and the flags of those that come next."""

    def __init__(self, flags_of: Callable[[_Element], CharFlag] | None = None) -> None:
        self.texts: list[str] = []
        self.marks: list[Mark] = []
        self.flags_of = flags_of
        self.flags = CharFlag(0)
        self._length = 0

    def append(self, text: str) -> None:
        end = self._length + len(text)
        if self.flags and text.strip():
            self.marks.append(Mark(self._length, end, self.flags))
        self.texts.append(text)
        self._length = end


def _read_inline(node: _Element, parts: _Parts, found: ParagraphText) -> None:
    for inner in node:
        name = local(inner)
        if not name or name in _NOT_SHOWN:
            continue
        if name == "t":
            parts.append(inner.text or "")
        elif name in _CHARACTERS:
            parts.append(_CHARACTERS[name])
        elif name == "sym":
            parts.append(_symbol(inner))
        elif name in _FRAMES:
            found.frames.append(inner)
        elif name in _GRAPHICS:
            found.graphics.append(attribute(inner, _GRAPHICS[name]) or "")
        else:
            _read_container(inner, name, parts, found)


def _read_container(node: _Element, name: str, parts: _Parts, found: ParagraphText) -> None:
    if name == "AlternateContent":
        branch = shown_branch(node)
        if branch is not None:
            _read_inline(branch, parts, found)
    elif name == "ruby":
        # The markup has the reading first; it appears over the word that it is the reading of.
        for part in ("rubyBase", "rt"):
            inner = child(node, part)
            if inner is not None:
                _read_inline(inner, parts, found)
    elif name == "r" and is_on(child(node, "rPr"), "vanish"):
        hidden = _Parts()
        _read_inline(node, hidden, found)
        found.hidden += "".join(hidden.texts)
    elif name == "r" and parts.flags_of is not None:
        parts.flags = parts.flags_of(node)
        _read_inline(node, parts, found)
        parts.flags = CharFlag(0)
    else:
        _read_inline(node, parts, found)


def _symbol(node: _Element) -> str:
    """A character of a symbol font; its number is mostly of private use, and is flagged so."""
    try:
        point = int(attribute(node, "char") or "", 16)
    except ValueError:
        return "\ufffd"
    return chr(point) if point <= 0x10FFFF else "\ufffd"
