"""Names of characters that XML documents use without declaring them, by the public sets of names.

HTML knows the sets of ISO 8879 but for the Greek letters of text (``ISOgrk1``, ``ISOgrk2``): their
names end in ``gr``, because ``alpha`` is the symbol of a formula.
"""

from __future__ import annotations

import re
from html.entities import html5
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMES = (
    "a:α b:β g:γ d:δ e:ε z:ζ ee:η th:θ i:ι k:κ l:λ m:μ n:ν x:ξ o:ο p:π r:ρ s:σ sf:ς t:τ u:υ ph:φ "
    "kh:χ ps:ψ oh:ω aac:ά eac:έ eeac:ή idi:ϊ iac:ί idia:ΐ oac:ό udi:ϋ uac:ύ udia:ΰ ohac:ώ"
)
_SMALL: Mapping[str, str] = dict(pair.split(":") for pair in _NAMES.split())
# Two letters of a name are both capital (``THgr``), what tells the accent is not (``OHacgr``).
_HEAD = re.compile(r"ee|th|ph|kh|ps|oh|.")
_NO_CAPITAL = frozenset({"sf", "idia", "udia"})


def _capital(name: str) -> str:
    return _HEAD.sub(lambda head: head[0].upper(), name, count=1)


_GREEK: Mapping[str, str] = MappingProxyType(
    {f"{name}gr": letter for name, letter in _SMALL.items()}
    | {f"{_capital(n)}gr": a.upper() for n, a in _SMALL.items() if n not in _NO_CAPITAL}
)
# What XML defines itself is an entity for no parser.
_REFERENCE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\w+);)([^\s&;<>]+);")


def find_character(name: str) -> str | None:
    """The characters of an entity's name by HTML or ISO 8879; None for an unknown name."""
    return html5.get(f"{name};") or _GREEK.get(name)


def resolve_references(markup: str) -> str:
    """Well-formed markup in which no reference to an entity is left, an unknown one as its text."""

    def resolve(found: re.Match[str]) -> str:
        known = find_character(found[1])
        if known is None:
            return f"&amp;{found[1]};"
        return "".join(f"&#{ord(character)};" for character in known)

    return _REFERENCE.sub(resolve, markup)
