"""Glyphs of composite fonts that tell no character for copying, read by what their font calls them.

Without ToUnicode the text has U+FFFD. The TrueType program that such a font carries may still map
characters to its glyphs. The page is read once more with the numbers of those glyphs in place of
their characters. What is found is no text, for nothing binds a font to its own map: it is kept
beside the text, as what the page shows there. Other kinds of fonts map codes, not characters.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from spanproof.ingest.assembly.actual_text import Painted
from spanproof.ingest.assembly.characters import REPLACEMENT
from spanproof.ingest.engine.mupdf.library import (
    TEXT_FLAGS,
    library_errors,
    load_pymupdf,
    make_text_page,
)
from spanproof.ingest.engine.mupdf.stext import SYNTHETIC

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanproof.ingest.assembly.stream import CharStream

_Place = tuple[float, float]
#: How glyphs without a character are read: part of every pipeline that does.
UNMAPPED = "own-map-1"
#: FZ_STEXT_USE_GID_FOR_UNKNOWN_UNICODE: the number of the glyph where its character is not known.
_GLYPH_NUMBERS = 65536
_PREFIX = re.compile(r"^[A-Z]{6}\+")
# The characters that are looked for: ASCII first, which wins where glyphs are shared, then Latin
# letters, punctuation, currency, ligatures. A Greek word would be read as Latin in part.
_LOOKED_FOR = tuple(
    chain(range(0x21, 0x7F), range(0xA1, 0x250), range(0x2010, 0x2040), range(0x20A0, 0x20C1),
          range(0xFB00, 0xFB07))
)  # fmt: skip


def read_unmapped(page: Any, stream: CharStream) -> list[Painted]:  # noqa: ANN401 - untyped bindings
    """What the page shows at the characters of its own reading that have no Unicode value."""
    if not (stream.points == REPLACEMENT).any():
        return []
    try:
        names = _find_composite(page)
        again = make_text_page(page, TEXT_FLAGS | _GLYPH_NUMBERS) if names else []
        shown = _read_again(again, names)
    except library_errors():
        return []
    # By their places: blanks that MuPDF makes up depend on what stands beside them.
    places = zip(*stream.origins.tolist(), strict=True)
    unread = (stream.points == REPLACEMENT).tolist()
    return list(
        _join(
            [shown.get(at, "") if is_one else "" for at, is_one in zip(places, unread, strict=True)]
        )
    )


def _find_composite(page: Any) -> frozenset[str]:  # noqa: ANN401 - see above
    """The names of the page's composite fonts with a TrueType program, and of no other kind."""
    composite: set[str] = set()
    other: set[str] = set()
    for _, program, kind, name, *_ in page.get_fonts():
        is_one = kind == "Type0" and program == "ttf"
        (composite if is_one else other).add(_PREFIX.sub("", name))
    return frozenset(composite - other)


def _read_again(text_page: Any, names: frozenset[str]) -> Mapping[_Place, str]:  # noqa: ANN401 - see above
    """What the fonts of these names call each glyph, by its place; nothing where two share one."""
    mupdf = load_pymupdf().mupdf
    known: dict[int, Mapping[int, str]] = {}
    found: dict[_Place, str] = {}
    for block in text_page:
        if block.m_internal.type != mupdf.FZ_STEXT_BLOCK_TEXT:
            continue
        for char in chain.from_iterable(block):
            one = char.m_internal
            if one.flags & SYNTHETIC:
                continue
            own = known.get(int(one.font.this))
            if own is None:
                name = _PREFIX.sub("", mupdf.ll_fz_font_name(one.font))
                own = known[int(one.font.this)] = _read_font(one.font) if name in names else {}
            place, read = (one.origin.x, one.origin.y), own.get(one.c, "")
            found[place] = read if found.get(place, read) == read else ""
    return found


def _read_font(font: Any) -> Mapping[int, str]:  # noqa: ANN401 - see above
    """The character of each glyph by the font's own program."""
    mupdf = load_pymupdf().mupdf
    # A stand-in for a font that cannot be read numbers its glyphs in its own way.
    if mupdf.ll_fz_font_flags(font).ft_substitute:
        return {}
    found: dict[int, str] = {}
    for point in _LOOKED_FOR:
        glyph = mupdf.ll_fz_encode_character(font, point)
        if glyph > 0:
            found.setdefault(glyph, chr(point))
    return found


def _join(shown: list[str]) -> Iterator[Painted]:
    """One place for neighbours that are known."""
    start = 0
    for end, read in enumerate([*shown, ""]):
        if read:
            continue
        if start < end:
            yield Painted(start=start, end=end, glyphs="".join(shown[start:end]), differs=False)
        start = end + 1
