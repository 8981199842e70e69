"""What a reader of a DOCX sees of a run: by its own properties and the styles that it is in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.documents.layout import CharFlag
from spanproof.ingest.elements.ooxml.container import (
    attribute,
    child,
    is_on,
    local,
    to_int,
    value_of,
)
from spanproof.ingest.elements.styles.colour import BLACK, WHITE, Colour, are_alike, read_colour
from spanproof.ingest.elements.styles.seen import NO_FLAGS, UNSEEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.etree import _Element

    from spanproof.ingest.elements.ooxml.word_style import Styles

# Sizes are in half points; scales in hundredths of a letter's width, alpha in thousandths of one.
_SMALLEST, _NARROWEST, _FAINTEST = 4, 5, 90_000
#: What a theme calls paper and ink, unless it is tinted; others are written out beside it.
_THEME = {"background1": WHITE, "light1": WHITE, "text1": BLACK, "dark1": BLACK}
_TINTS = ("themeTint", "themeShade")
# A line or row of so exact a height, in twentieths of a point, shows no letter.
_LOWEST = 40
_OFFSET = re.compile(r"-?\d{1,12}")
# English Metric Units: as far as this no page reaches.
_FAR = 25_000_000
_VML_HIDDEN = re.compile(r"visibility\s*:\s*hidden|display\s*:\s*none", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What text stands on: its colour, None where it is not known, and what hides it whole."""

    colour: Colour | None = WHITE
    flags: CharFlag = NO_FLAGS


class RunLook:
    """Looks at the runs of one paragraph."""

    def __init__(self, styles: Styles, paragraph: _Element, ground: Ground) -> None:
        self._styles = styles
        self._own = child(paragraph, "pPr")
        chain = list(styles.ancestry(value_of(self._own, "pStyle")))
        self._inherited = [*(child(node, "rPr") for node in chain), styles.run_defaults]
        shaded = [self._own, *(child(node, "pPr") for node in chain)]
        self._ground = ground
        self._colour = _first_ground(shaded, ground.colour)
        spacings = (child(one, "spacing") for one in shaded)
        self._is_shut = _is_low(
            next((one for one in spacings if one is not None), None), "line", "lineRule"
        )

    def flags_of(self, run: _Element) -> CharFlag:
        """The flags of a run's characters."""
        own = child(run, "rPr")
        chain = (child(node, "rPr") for node in self._styles.ancestry(value_of(own, "rStyle")))
        properties = [one for one in (own, *chain, *self._inherited) if one is not None]
        flags = self._ground.flags | (UNSEEN if self._is_shut else NO_FLAGS)
        if _is_on(properties, "strike") or _is_on(properties, "dstrike"):
            flags |= CharFlag.STRUCK
        if _is_on(properties, "vanish") or _is_on(properties, "specVanish"):
            flags |= UNSEEN
        size = next((v for one in properties if (v := value_of(one, "sz"))), None)
        scale = next((v for one in properties if (v := value_of(one, "w"))), None)
        if to_int(size, 22) < _SMALLEST or to_int((scale or "").rstrip("%"), 100) < _NARROWEST:
            flags |= UNSEEN
        if _is_faint(properties) or are_alike(_colour_of(properties), self._ground_of(properties)):
            flags |= UNSEEN
        return flags

    def _ground_of(self, properties: Sequence[_Element]) -> Colour | None:
        marked = next((v for one in properties if (v := value_of(one, "highlight"))), None)
        if marked is not None and marked != "none":
            return read_colour(marked.lower(), None)
        return _first_ground(properties, self._colour)


def table_ground(node: _Element, ground: Ground, styles: Styles) -> Ground:
    """What the text of a table stands on: its style may colour any row."""
    name = value_of(child(node, "tblPr"), "tblStyle")
    shaded = any(local(inner) == "shd" for style in styles.ancestry(name) for inner in style.iter())
    return Ground(colour=None if shaded else ground.colour, flags=ground.flags)


def row_ground(node: _Element, ground: Ground) -> Ground:
    """The same for a row, which may be hidden or too low for a line."""
    properties = child(node, "trPr")
    if is_on(properties, "hidden") or _is_low(child(properties, "trHeight"), "val", "hRule"):
        return Ground(colour=ground.colour, flags=ground.flags | UNSEEN)
    return ground


def cell_ground(node: _Element, ground: Ground) -> Ground:
    """The same for a cell, which may be shaded."""
    colour = _first_ground([child(node, "tcPr")], ground.colour)
    return Ground(colour=colour, flags=ground.flags)


def frame_ground(frame: _Element, ground: Ground) -> Ground:
    """What the text of a text box stands on: its fill is not known here."""
    flags = ground.flags
    for node in frame.iterancestors():
        name = local(node)
        if name == "p":
            break
        if _VML_HIDDEN.search(attribute(node, "style") or ""):
            flags |= UNSEEN
        if name in {"anchor", "inline"} and _is_away(node):
            flags |= UNSEEN
    return Ground(colour=None, flags=flags)


def _is_away(anchor: _Element) -> bool:
    """Whether a drawing is hidden or placed off every page."""
    if attribute(anchor, "hidden") in {"1", "true"}:
        return True
    for node in anchor.iter():
        name = local(node)
        if name == "docPr" and attribute(node, "hidden") in {"1", "true"}:
            return True
        place = node.text or "" if name == "posOffset" else ""
        if _OFFSET.fullmatch(place) and not -_FAR < int(place) < _FAR:
            return True
        if name == "txbxContent":
            return False
    return False


def _is_low(node: _Element | None, size: str, rule: str) -> bool:
    """Whether a line or a row is held so low that it shows nothing."""
    if node is None or attribute(node, rule) != "exact":
        return False
    return to_int(attribute(node, size), _LOWEST) < _LOWEST


def _is_on(properties: Sequence[_Element], name: str) -> bool:
    """Whether the nearest that says something of a property switches it on."""
    for one in properties:
        if child(one, name) is not None:
            return is_on(one, name)
    return False


def _colour_of(properties: Sequence[_Element]) -> Colour | None:
    nodes = (child(one, "color") for one in properties)
    node = next((found for found in nodes if found is not None), None)
    if node is not None and all(attribute(node, key) is None for key in _TINTS):
        themed = _THEME.get(attribute(node, "themeColor") or "")
        if themed is not None:
            return themed
    written = next((v for one in properties if (v := value_of(one, "color"))), "auto")
    # The automatic colour is the one that is seen on its ground.
    return None if written == "auto" else read_colour(written.lower(), BLACK)


def _first_ground(properties: Sequence[_Element | None], default: Colour | None) -> Colour | None:
    for one in properties:
        shade = child(one, "shd")
        if shade is None:
            continue
        name = "color" if attribute(shade, "val") == "solid" else "fill"
        written = (attribute(shade, name) or "auto").lower()
        if written != "auto":
            return read_colour(written, None)
    return default


def _is_faint(properties: Sequence[_Element]) -> bool:
    """Whether the text's fill is none or transparent (``w14:textFill``)."""
    for one in properties:
        fill = child(one, "textFill")
        if fill is not None:
            if child(fill, "noFill") is not None:
                return True
            return any(alpha >= _FAINTEST for alpha in _alphas(fill))
    return False


def _alphas(fill: _Element) -> Iterator[int]:
    for node in fill.iter():
        if local(node) == "alpha":
            yield to_int(attribute(node, "val"))
