"""What a viewer of a slide sees of its shapes and runs: place, size, colour, strokes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.documents.layout import CharFlag
from spanproof.ingest.elements.ooxml.container import attribute, child, local, to_int
from spanproof.ingest.elements.styles.colour import WHITE, Colour, are_alike, read_colour
from spanproof.ingest.elements.styles.seen import NO_FLAGS, UNSEEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml.etree import _Element

    from spanproof.ingest.elements.ooxml.container import Package

# Hundredths of a point; thousandths of a per cent.
_SMALLEST, _FAINTEST = 200, 10_000
_STROKES = frozenset({"sngStrike", "dblStrike"})
_COLOURS = frozenset({"srgbClr", "sysClr", "prstClr"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Where the coordinates of a group appear on the slide: a scale and a shift each way."""

    x: float = 0.0
    y: float = 0.0
    wide: float = 1.0
    high: float = 1.0

    def inside(self, group: _Element) -> Frame:
        """The frame of a group's own shapes."""
        form = child(child(group, "grpSpPr"), "xfrm")
        off, ext = child(form, "off"), child(form, "ext")
        own, size = child(form, "chOff"), child(form, "chExt")
        if off is None or ext is None or own is None or size is None:
            return self
        wide = self.wide * _int(ext, "cx") / max(_int(size, "cx"), 1)
        high = self.high * _int(ext, "cy") / max(_int(size, "cy"), 1)
        return Frame(
            x=self.x + self.wide * _int(off, "x") - wide * _int(own, "x"),
            y=self.y + self.high * _int(off, "y") - high * _int(own, "y"),
            wide=wide,
            high=high,
        )


class SlideLook:
    """Looks at the shapes of one slide."""

    def __init__(self, package: Package, main: str, part: str) -> None:
        size = child(package.root(main), "sldSz")
        self._size = (_int(size, "cx"), _int(size, "cy")) if size is not None else (0, 0)
        root = package.root(part)
        self._ground = None if _has_other_grounds(root) else _find_ground(package, part)

    def flags_of(self, shape: _Element, frame: Frame) -> Callable[[_Element], CharFlag]:
        """What says of each run of a shape what its viewer sees of it."""
        outer = UNSEEN if _is_hidden(shape) or self._is_off(shape, frame) else NO_FLAGS
        properties = child(shape, "spPr")
        ground = self._ground
        if properties is not None:
            fills = {local(inner) for inner in properties}
            if "solidFill" in fills:
                ground = _fill_of(properties)
            elif fills & {"gradFill", "blipFill", "pattFill", "grpFill"}:
                ground = None
        if child(shape, "style") is not None and ground is self._ground:
            ground = None

        def of_run(run: _Element) -> CharFlag:
            return outer | _run_flags(child(run, "rPr"), ground)

        return of_run

    def _is_off(self, shape: _Element, frame: Frame) -> bool:
        form = child(child(shape, "spPr"), "xfrm")
        off, ext = child(form, "off"), child(form, "ext")
        wide, high = self._size
        if off is None or ext is None or not wide or not high:
            return False
        left = frame.x + frame.wide * _int(off, "x")
        top = frame.y + frame.high * _int(off, "y")
        right = left + frame.wide * _int(ext, "cx")
        bottom = top + frame.high * _int(ext, "cy")
        return right <= 0 or bottom <= 0 or left >= wide or top >= high


def _run_flags(properties: _Element | None, ground: Colour | None) -> CharFlag:
    if properties is None:
        return NO_FLAGS
    flags = CharFlag.STRUCK if attribute(properties, "strike") in _STROKES else NO_FLAGS
    if to_int(attribute(properties, "sz"), _SMALLEST) < _SMALLEST:
        flags |= UNSEEN
    if child(properties, "noFill") is not None and child(properties, "ln") is None:
        flags |= UNSEEN
    fill = child(properties, "solidFill")
    alphas = [to_int(attribute(n, "val"), 100_000) for n in _named(fill, "alpha")]
    if min(alphas, default=100_000) < _FAINTEST or are_alike(_fill_of(properties), ground):
        flags |= UNSEEN
    return flags


def _is_hidden(shape: _Element) -> bool:
    return any(attribute(node, "hidden") in {"1", "true"} for node in _named(shape, "cNvPr"))


def _has_other_grounds(root: _Element) -> bool:
    """Whether a picture or a filled shape may lie under text of the slide."""
    if any(local(node) in {"pic", "graphicFrame"} for node in root.iter()):
        return True
    return any(
        local(inner) in {"solidFill", "gradFill", "blipFill", "pattFill"}
        for shape in _named(root, "spPr")
        for inner in shape
    )


def _find_ground(package: Package, part: str) -> Colour | None:
    """The colour of the slide's paper; None where it is not plainly told."""
    for kind in ("", "slideLayout", "slideMaster"):
        if kind:
            part = next(iter(package.related(part, kind)), "")
        root = package.find_root(part or None)
        if root is None or _has_picture(root):
            return None
        ground = child(child(root, "cSld"), "bg")
        if ground is not None:
            plain = child(ground, "bgPr")
            if plain is not None:
                found = _fill_of(plain)
                return found if found is not None else _scheme_ground(plain)
            return _scheme_ground(ground)
    return None


def _has_picture(root: _Element) -> bool:
    return local(root) != "sld" and any(local(node) == "pic" for node in root.iter())


def _scheme_ground(node: _Element) -> Colour | None:
    # The first colour of a scheme for paper; a theme of dark paper maps it to another one.
    named = {attribute(inner, "val") for inner in _named(node, "schemeClr")}
    return WHITE if named == {"bg1"} else None


def _fill_of(properties: _Element) -> Colour | None:
    fill = child(properties, "solidFill")
    for node in () if fill is None else fill:
        if local(node) in _COLOURS and not len(node):
            written = attribute(node, "lastClr") or attribute(node, "val") or ""
            return read_colour(written.lower(), None)
    return None


def _named(node: _Element | None, name: str) -> Iterator[_Element]:
    return iter(()) if node is None else (one for one in node.iter() if local(one) == name)


def _int(node: _Element, name: str) -> int:
    return to_int(attribute(node, name))
