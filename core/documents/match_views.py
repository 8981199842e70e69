"""Match views: a text without what typesetting changes, and the way back to the canonical text.

A view only *finds* where a quote may appear. It is permissive on purpose (every dash is dropped,
wherever it stands), so nothing may be concluded from it: ``spanproof.verifier.quotes.folds`` judges
each place on the canonical text itself. Views are derived, never stored, and no part of an
extraction's identity.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.documents.document import Extraction

Codes = np.ndarray[Any, np.dtype[np.uint32]]
Positions = np.ndarray[Any, np.dtype[np.int64]]

#: The Unicode property White_Space. ``str.isspace`` would add U+001C..U+001F, which are controls.
WHITE_SPACE = frozenset(
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
#: Hyphens and dashes. The minus sign U+2212 is not among them: it is a sign.
DASHES = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015")
SOFT_HYPHEN = "\xad"
#: What some engines write for a hyphen and the line break behind it.
LOST_HYPHENS = frozenset("\x02\ufffe")
#: Zero-width characters that a producer leaves between letters.
ZERO_WIDTH = frozenset("\u034f\u180e\u200b\u200c\u200d\u2060\ufeff")
#: Quotation marks by the ASCII mark that stands for them.
QUOTE_MARKS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys("\u201c\u201d\u201e\u201f", '"') | dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
)

#: Default ignorables (Unicode, DerivedCoreProperties), without the bidi controls: those stay in
#: every view, so that a text that carries one never looks like a text that does not.
_IGNORABLE_RANGES = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200D),
    (0x2060, 0x2065),
    (0x206A, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_LIGATURE_TAGS = ("<compat>", "<initial>", "<medial>", "<final>", "<isolated>")
_WIDTH_TAGS = ("<wide>", "<narrow>")
_PLANE = 0x10000
_DROPPED = WHITE_SPACE | DASHES | LOST_HYPHENS
_DROPPED_ASCII = "".join(sorted(c for c in _DROPPED if c.isascii())).encode()


@cache
def ligatures() -> Mapping[str, str]:
    """Each ligature or presentation form of letters, and the letters that it joins or shapes."""
    return MappingProxyType(_expansions(_LIGATURE_TAGS))


@cache
def widths() -> Mapping[str, str]:
    """Each full-width or half-width letter, and the letter of ordinary width."""
    return MappingProxyType(_expansions(_WIDTH_TAGS))


def _expansions(tags: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for code in range(0x80, _PLANE):
        character = chr(code)
        tag, _, points = unicodedata.decomposition(character).partition(" ")
        if tag not in tags or not character.isalpha():
            continue
        # U+FB05 joins a long s, which every reader copies as s.
        letters = "".join(chr(int(point, 16)) for point in points.split()).replace("\u017f", "s")
        # A single letter under <compat> is another letter (long s, micro sign), not a ligature.
        if letters.isalpha() and (tag != "<compat>" or len(letters) > 1):
            found[character] = letters
    return found


@dataclass(frozen=True, slots=True, eq=False)
class MatchView:
    """What is left of a text for searching, and the canonical index of each character left."""

    text: str
    positions: Positions

    @classmethod
    def of(cls, text: str) -> MatchView:
        """Drop white space, hyphens, dashes and ignorables; unify ligatures, widths and quotes."""
        if text.isascii():
            raw = text.encode("ascii")
            kept = np.flatnonzero(_keeps_ascii()[np.frombuffer(raw, dtype=np.uint8)])
            return cls(raw.translate(None, _DROPPED_ASCII).decode("ascii"), kept)
        codes, positions = expand_codes(to_codes(text))
        codes = _replaced(codes)
        keep = codes != 0
        skeleton = codes[keep].tobytes().decode("utf-32-le", "surrogatepass")
        return cls(skeleton, positions[keep])

    def span_of(self, start: int, end: int) -> Span:
        """The canonical span of the non-empty view range ``[start, end)``."""
        return Span(int(self.positions[start]), int(self.positions[end - 1]) + 1)


#: Views live as long as their extraction; a second build by another thread is equal and harmless.
_VIEWS: WeakKeyDictionary[Extraction, MatchView] = WeakKeyDictionary()


def view_of(extraction: Extraction) -> MatchView:
    """The view of an extraction's text, built once while the extraction lives."""
    view = _VIEWS.get(extraction)
    if view is None:
        view = _VIEWS[extraction] = MatchView.of(extraction.text.text)
    return view


def to_codes(text: str) -> Codes:
    """The code points of a text as an array."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def expand_codes(codes: Codes) -> tuple[Codes, Positions]:
    """Ligatures and widths as plain letters, and for each code the index that it came from."""
    first, count = _expansion_table()
    low = np.minimum(codes, _PLANE - 1)
    counts = np.where(codes < _PLANE, count[low], 1)
    positions = np.repeat(np.arange(len(codes), dtype=np.int64), counts)
    expanded = codes[positions]
    origin = np.flatnonzero((first[low] != low) & (codes < _PLANE))
    starts = np.cumsum(counts) - counts
    for code in np.unique(codes[origin]).tolist():
        letters = ligatures().get(chr(code)) or widths()[chr(code)]
        heads = starts[origin[codes[origin] == code]]
        for offset, letter in enumerate(letters):
            expanded[heads + offset] = ord(letter)
    return expanded, positions


@cache
def _expansion_table() -> tuple[Codes, Positions]:
    first = np.arange(_PLANE, dtype=np.uint32)
    count = np.ones(_PLANE, dtype=np.int64)
    for character, letters in {**ligatures(), **widths()}.items():
        first[ord(character)] = ord(letters[0])
        count[ord(character)] = len(letters)
    return first, count


@cache
def _keeps_ascii() -> np.ndarray[Any, np.dtype[np.bool_]]:
    kept = np.ones(128, dtype=np.bool_)
    kept[list(_DROPPED_ASCII)] = False
    return kept


@cache
def _replacement_table() -> Codes:
    table = np.arange(_PLANE, dtype=np.uint32)
    for character in _DROPPED:
        table[ord(character)] = 0
    for start, end in _IGNORABLE_RANGES:
        table[start : end + 1] = 0
    for mark, plain in QUOTE_MARKS.items():
        table[ord(mark)] = ord(plain)
    return table


def _replaced(codes: Codes) -> Codes:
    replaced = np.where(codes < _PLANE, _replacement_table()[np.minimum(codes, _PLANE - 1)], codes)
    for start, end in _IGNORABLE_RANGES:
        if start >= _PLANE:
            replaced[(codes >= start) & (codes <= end)] = 0
    return replaced.astype(np.uint32)
