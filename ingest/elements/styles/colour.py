"""Colours as pages and documents write them, and whether two of them look the same."""

from __future__ import annotations

import colorsys
import re
from dataclasses import dataclass

# Levels of 255 by which no channel may differ where text is lost in its ground.
_ALIKE = 24
_FAINTEST = 0.1
_NUMBER = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))(%|deg)?")
_HEX = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{4}|[0-9a-f]{3})\b")
_BARE_HEX = re.compile(r"[0-9a-f]{6}")
_NAMES = {
    "white": 0xFFFFFF, "black": 0x000000, "red": 0xFF0000, "green": 0x008000, "blue": 0x0000FF,
    "yellow": 0xFFFF00, "gray": 0x808080, "grey": 0x808080, "silver": 0xC0C0C0, "navy": 0x000080,
    "maroon": 0x800000, "purple": 0x800080, "teal": 0x008080, "olive": 0x808000, "lime": 0x00FF00,
    "aqua": 0x00FFFF, "cyan": 0x00FFFF, "fuchsia": 0xFF00FF, "magenta": 0xFF00FF,
    "orange": 0xFFA500, "snow": 0xFFFAFA, "ivory": 0xFFFFF0, "whitesmoke": 0xF5F5F5,
    "ghostwhite": 0xF8F8FF, "floralwhite": 0xFFFAF0, "azure": 0xF0FFFF, "mintcream": 0xF5FFFA,
    "seashell": 0xFFF5EE, "linen": 0xFAF0E6, "beige": 0xF5F5DC, "honeydew": 0xF0FFF0,
    "aliceblue": 0xF0F8FF, "lavender": 0xE6E6FA, "gainsboro": 0xDCDCDC, "lightgray": 0xD3D3D3,
    "lightgrey": 0xD3D3D3, "darkgray": 0xA9A9A9, "darkgrey": 0xA9A9A9, "pink": 0xFFC0CB,
    "brown": 0xA52A2A, "gold": 0xFFD700,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Colour:
    """Red, green and blue of 255, and how much of the ground they cover."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0


BLACK, WHITE = Colour(0, 0, 0), Colour(255, 255, 255)
_CLEAR = Colour(0, 0, 0, 0.0)


def are_alike(one: Colour | None, other: Colour | None) -> bool:
    """Whether text of one colour is lost on a ground of the other; not where either is unknown."""
    if one is None:
        return False
    if one.alpha < _FAINTEST:
        return True
    if other is None:
        return False
    pairs = ((one.red, other.red), (one.green, other.green), (one.blue, other.blue))
    return max(abs(a - b) for a, b in pairs) * one.alpha <= _ALIKE


def from_number(number: int) -> Colour:
    """A colour written as one number, 0xRRGGBB."""
    return Colour(number >> 16 & 255, number >> 8 & 255, number & 255)


def read_colour(text: str, default: Colour | None) -> Colour | None:
    """The first colour that a value names; ``default`` where it names none that is known."""
    if "transparent" in text:
        return _CLEAR
    found = _HEX.search(text)
    if found is None and _BARE_HEX.fullmatch(text):
        return from_number(int(text, 16))
    if found is not None:
        return _from_hex(found[1])
    for kind in ("rgb", "hsl"):
        start = text.find(f"{kind}(") if f"{kind}(" in text else text.find(f"{kind}a(")
        if start >= 0:
            return _from_function(kind, text[start : text.find(")", start) + 1], default)
    known = next((word for word in re.findall(r"[a-z]+", text) if word in _NAMES), None)
    return default if known is None else from_number(_NAMES[known])


def _from_hex(digits: str) -> Colour:
    if len(digits) in {3, 4}:
        digits = "".join(digit * 2 for digit in digits)
    found = from_number(int(digits[:6], 16))
    alpha = int(digits[6:8], 16) / 255 if len(digits) == 8 else 1.0
    return Colour(found.red, found.green, found.blue, alpha)


def _from_function(kind: str, text: str, default: Colour | None) -> Colour | None:
    parts = [(float(number), unit) for number, unit in _NUMBER.findall(text)]
    if len(parts) < 3:
        return default
    alpha = 1.0
    if len(parts) > 3:
        alpha = parts[3][0] / (100 if parts[3][1] == "%" else 1)
    if kind == "hsl":
        hue, light, dull = parts[0][0] % 360 / 360, parts[2][0] / 100, parts[1][0] / 100
        red, green, blue = colorsys.hls_to_rgb(hue, light, dull)
        return Colour(255 * red, 255 * green, 255 * blue, alpha)
    red, green, blue = (n * 2.55 if unit == "%" else n for n, unit in parts[:3])
    return Colour(red, green, blue, alpha)
