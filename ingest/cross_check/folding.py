"""What two engines may write differently and mean the same: the fold under which they are compared.

White space and ignorables go, ligatures and widths become plain letters, quotation marks and dashes
their ASCII mark. Unlike in a match view no dash is dropped: a lost minus sign is a difference. A
soft hyphen that has a place on the page is a hyphen there (pdfium does not tell the two apart).
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.match_views import DASHES, QUOTE_MARKS, SOFT_HYPHEN, expand_codes
from spanproof.ingest.assembly.characters import flags_of, is_space

if TYPE_CHECKING:
    from spanproof.core.documents.match_views import Codes, Positions
    from spanproof.ingest.assembly.characters import Mask

_PLANE = 0x10000
_DROPPED = np.uint16(CharFlag.IGNORABLE)


def fold(codes: Codes) -> tuple[Codes, Positions]:
    """The folded code points, and for each the index that it came from."""
    codes, positions = expand_codes(codes)
    kept = ~is_space(codes) & ((flags_of(codes) & _DROPPED) == 0)
    codes, positions = codes[kept], positions[kept]
    low = np.minimum(codes, _PLANE - 1)
    return np.where(codes < _PLANE, _marks()[low], codes), positions


def is_combining(codes: Codes) -> Mask:
    """Whether each code point is a mark on a letter (Unicode Mn and Me), within the first plane."""
    found: Mask = _combining()[np.minimum(codes, _PLANE - 1)] & (codes < _PLANE)
    return found


@cache
def _combining() -> Mask:
    table = np.array([unicodedata.category(chr(code)) in ("Mn", "Me") for code in range(_PLANE)])
    table.flags.writeable = False
    return table


@cache
def _marks() -> Codes:
    table = np.arange(_PLANE, dtype=np.uint32)
    table[[ord(mark) for mark in (*DASHES, SOFT_HYPHEN)]] = ord("-")
    for mark, plain in QUOTE_MARKS.items():
        table[ord(mark)] = ord(plain)
    table.flags.writeable = False
    return table
