"""Whether a reader sees an element's text, by what its styles come to."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanproof.core.documents.layout import CharFlag
from spanproof.ingest.elements.styles.colour import BLACK, WHITE, Colour, are_alike, read_colour

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.ingest.elements.styles.sheet import Node, Sheet

#: Part of the pipeline of every reader that looks at styles.
VISIBILITY = "styles-2"
UNSEEN = CharFlag.INVISIBLE | CharFlag.CONCEALED
NO_FLAGS = CharFlag(0)
_STRUCK_TAGS = frozenset({"s", "strike", "del"})
#: Elements that a browser of today shows nothing of.
_UNSEEN_TAGS = frozenset({"noscript", "noframes", "noembed", "progress", "meter"})
# Two points, in pixels of CSS.
_SMALLEST = 8 / 3
_FAINTEST = 0.1
# Farther than this from its place is off every screen.
_FAR = 500.0
_PIXELS = {"px": 1.0, "": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78,
           "rem": 16.0, "vw": 12.0, "vh": 8.0, "em": 16.0, "ex": 8.0, "ch": 8.0,
           "%": 10.0}  # fmt: skip
_LENGTH = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+))(px|pt|pc|in|cm|mm|rem|vw|vh|em|ex|ch|%)?")
_SIZES = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0,
          "x-large": 24.0, "xx-large": 32.0}  # fmt: skip
_SHORT_FONT = re.compile(r"(?:^|\s)([\d.]+)(px|pt|em|rem|%)?(?=$|/|\s)")
_WORDS = re.compile(r"""["'][^"']*[a-z]{2}[^"']*["']|attr\(""")
_NOTHING = re.compile(r"scale[xy3d]*\(\s*0*(?:\.0*[01]?)?\s*[,)]|rotate[xy]\(\s*-?(?:90|270)deg")
_POSITIONED = frozenset({"absolute", "fixed", "relative", "sticky"})
_CUT_OFF = frozenset({"hidden", "clip", "scroll", "auto"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What an element hands down: the flags of its text, and what they depend on."""

    flags: CharFlag = NO_FLAGS
    is_visible: bool = True
    size: float = 16.0
    colour: Colour | None = BLACK
    #: None where it is not known: a picture.
    ground: Colour | None = WHITE
    is_reversed: bool = False

    @property
    def text_flags(self) -> CharFlag:
        """The flags of a character that stands in the element itself."""
        unseen = (
            not self.is_visible
            or self.size < _SMALLEST
            or self.is_reversed
            or are_alike(self.colour, self.ground)
        )
        return self.flags | UNSEEN if unseen else self.flags


def see(node: Node, sheet: Sheet, outer: Seen) -> Seen:
    """What an element hands down inside of ``outer``."""
    flags = outer.flags
    if node.tag in _STRUCK_TAGS:
        flags |= CharFlag.STRUCK
    if node.tag in _UNSEEN_TAGS or (node.tag == "dialog" and "open" not in node.attributes):
        flags |= UNSEEN
    given = _by_attributes(node) | sheet.declared(node)
    if not given and sheet.is_empty:
        return replace(outer, flags=flags)
    if _is_away(given) or (not sheet.is_empty and _says_more(sheet.declared(node, generated=True))):
        flags |= UNSEEN
    decoration = f"{given.get('text-decoration', '')} {given.get('text-decoration-line', '')}"
    if "line-through" in decoration:
        flags |= CharFlag.STRUCK
    visible = given.get("visibility")
    colour = given.get("-webkit-text-fill-color") or given.get("color")
    return Seen(
        flags=flags,
        is_visible=outer.is_visible if visible is None else visible not in {"hidden", "collapse"},
        size=_size(given, outer.size),
        colour=outer.colour if colour is None else read_colour(colour, outer.colour),
        ground=_ground(given, outer.ground),
        is_reversed=outer.is_reversed or _reverses(given),
    )


def _by_attributes(node: Node) -> dict[str, str]:
    """What attributes of old pages and of drawings say, in the words of styles."""
    found = {}
    for name, wanted in (("color", "color"), ("text", "color"), ("bgcolor", "background-color")):
        if name in node.attributes and (name != "text" or node.tag == "body"):
            found[wanted] = node.attributes[name].strip().lower()
    if node.tag in {"text", "tspan", "g", "svg"}:
        for name in ("display", "visibility", "opacity", "font-size"):
            if name in node.attributes:
                found[name] = node.attributes[name].strip().lower()
    if node.tag == "bdo" and node.attributes.get("dir", "").lower() == "rtl":
        found |= {"direction": "rtl", "unicode-bidi": "bidi-override"}
    return found


def _is_away(given: Mapping[str, str]) -> bool:
    """Whether the element and all in it are taken away, cut off or put off the screen."""
    if given.get("display") == "none" or given.get("content-visibility") == "hidden":
        return True
    if _number(given.get("opacity"), 1.0) < _FAINTEST or _number(given.get("zoom"), 1.0) == 0:
        return True
    if re.search(r"opacity\(\s*0*(?:\.0\d*)?%?\s*\)", given.get("filter", "")):
        return True
    if given.get("-webkit-text-security", "none") != "none" or given.get("scale") == "0":
        return True
    if _NOTHING.search(given.get("transform", "")) or _clips(given):
        return True
    return _is_off_screen(given) or _is_cut_off(given)


def _clips(given: Mapping[str, str]) -> bool:
    rect = given.get("clip", "")
    if rect.startswith("rect"):
        edges = [_to_pixels(*found) for found in _LENGTH.findall(rect)]
        if len(edges) == 4:
            top, right, bottom, left = edges
            return right - left <= 1 or bottom - top <= 1
    path = given.get("clip-path", "")
    numbers = [float(number) for number, _ in _LENGTH.findall(path)]
    if path.startswith("inset") and numbers:
        return max(numbers) >= 50 and "%" in path
    if path.startswith(("circle", "ellipse")) and numbers:
        return numbers[0] == 0
    return path.startswith("polygon") and bool(numbers) and len(set(numbers)) == 1


def _is_off_screen(given: Mapping[str, str]) -> bool:
    if _length(given.get("text-indent")) <= -_FAR or _length(given.get("letter-spacing")) <= -8:
        return True
    margins = [_to_pixels(*found) for found in _LENGTH.findall(given.get("margin", ""))]
    margins += [_length(given.get(name)) for name in ("margin-left", "margin-top")]
    if min(margins) <= -_FAR:
        return True
    if given.get("position") in _POSITIONED:
        places = [_length(given.get(name)) for name in ("left", "right", "top", "bottom")]
        if min(places) <= -_FAR or max(places) >= 10 * _FAR:
            return True
    moved = given.get("transform", "")
    shifts = (
        [_to_pixels(*found) for found in _LENGTH.findall(moved)] if "translate" in moved else []
    )
    return any(abs(shift) >= _FAR for shift in shifts)


def _is_cut_off(given: Mapping[str, str]) -> bool:
    overflow = {
        given.get(name, "").split(" ")[0] for name in ("overflow", "overflow-x", "overflow-y")
    }
    if not overflow & _CUT_OFF:
        return False
    sides = ("height", "width", "max-height", "max-width", "line-height")
    return any(name in given and 0 <= _length(given[name], 99.0) <= 1 for name in sides)


def _says_more(generated: Mapping[str, str]) -> bool:
    """Whether words are shown before or behind the element that its text does not have."""
    return generated.get("display") != "none" and bool(_WORDS.search(generated.get("content", "")))


def _reverses(given: Mapping[str, str]) -> bool:
    return given.get("direction") == "rtl" and "override" in given.get("unicode-bidi", "")


def _size(given: Mapping[str, str], outer: float) -> float:
    value = given.get("font-size")
    if value is None and "font" in given:
        short = _SHORT_FONT.search(given["font"])
        value = f"{short[1]}{short[2] or ''}" if short else None
    if value is None:
        return outer
    if value in _SIZES:
        return _SIZES[value]
    found = _LENGTH.fullmatch(value)
    if found is None:
        return outer if value in {"inherit", "smaller", "larger"} else max(outer, 16.0)
    number = float(found[1])
    if found[2] in {"em", "%", "ex", "ch"}:
        return outer * number / (100 if found[2] == "%" else 1)
    return number * _PIXELS[found[2] or ""]


def _ground(given: Mapping[str, str], outer: Colour | None) -> Colour | None:
    image = f"{given.get('background', '')} {given.get('background-image', '')}"
    if "url(" in image or "gradient" in image:
        return None
    value = given.get("background-color") or given.get("background")
    if value is None or value in {"transparent", "none", "inherit", "initial", "unset"}:
        return outer
    found = read_colour(value, None)
    return outer if found is None or found.alpha < 0.5 else found


def _number(value: str | None, default: float) -> float:
    found = _LENGTH.fullmatch(value or "")
    if found is None:
        return default
    return float(found[1]) / (100 if found[2] == "%" else 1)


def _length(value: str | None, default: float = 0.0) -> float:
    found = _LENGTH.fullmatch(value or "")
    return default if found is None else _to_pixels(found[1], found[2] or "")


def _to_pixels(number: str, unit: str) -> float:
    return float(number) * _PIXELS[unit]
