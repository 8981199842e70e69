"""The one number of a page's frame that pdfium has no call for: /UserUnit.

Nearly no document has one. So the name is looked for first, in the file and in its compressed
objects; only where it appears somewhere, each page is asked.
"""

from __future__ import annotations

import ctypes
import math
import re
import zlib
from typing import Any

from spanproof.ingest.engine.pdfium.documents import is_encrypted, write_copy
from spanproof.ingest.engine.pdfium.library import load_pdfium

_NAME = b"/UserUnit"
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_UNIT = re.compile(rb"/UserUnit\s*([-+]?[\d.]+)(?:\s+\d+\s+(R))?")
# An object stream: what its dictionary says further on, then where its bytes begin.
_PACK = re.compile(rb"/ObjStm\b(.{0,400}?)\bstream\r?\n", re.DOTALL)
# A compressed byte may stand for a thousand: they are looked at in pieces.
_PIECE = 1 << 20


def may_scale(opened: Any, data: bytes) -> bool:  # noqa: ANN401 - an untyped binding
    """Whether any page may have a /UserUnit."""
    if _NAME in data:
        return True
    if not is_encrypted(opened) and (found := _look_in_packs(data)) is not None:
        return found
    # Compressed or encrypted in a way not known here: pdfium's own copy has all of it in plain,
    # and is looked through and not kept. Where it can write none, each page is asked.
    look = _ObjectReader()
    return not write_copy(opened, look.take) or look.found


class _ObjectReader:
    """Looks for the name in bytes that come piece by piece."""

    def __init__(self) -> None:
        self.found = False
        self._tail = b""

    def take(self, piece: bytes) -> None:
        """Look at the next piece."""
        joined = self._tail + piece
        self.found = self.found or _NAME in joined
        self._tail = joined[-len(_NAME) :]


def _look_in_packs(data: bytes) -> bool | None:
    """Whether an object stream has the name; None where one of them cannot be read here."""
    packs = list(_PACK.finditer(data))
    if len(packs) != data.count(b"/ObjStm"):
        return None
    for pack in packs:
        # What appears before /ObjStm in its dictionary is seen by where the object begins.
        head = data[data.rfind(b"obj", 0, pack.start()) : pack.end()]
        if b"/Predictor" in head or b"/FlateDecode" not in head:
            return None
        look, opener, rest = (
            _ObjectReader(),
            zlib.decompressobj(),
            data[pack.end() : _end(data, pack)],
        )
        try:
            while rest and not look.found and not opener.eof:
                look.take(opener.decompress(rest, _PIECE))
                rest = opener.unconsumed_tail
        except zlib.error:
            return None
        if look.found:
            return True
    return False


def _end(data: bytes, pack: re.Match[bytes]) -> int:
    end = data.find(b"endstream", pack.end())
    return end if end >= 0 else len(data)


def read_user_unit(opened: Any, index: int) -> float:  # noqa: ANN401 - an untyped binding
    """A page's /UserUnit, read from a document made of that page alone; 1.0 where it has none."""
    raw = load_pdfium()
    alone = raw.FPDF_CreateNewDocument()
    saved = bytearray()
    try:
        # It has no handler of the source's: an encrypted source gives a plain copy.
        if not raw.FPDF_ImportPagesByIndex(alone, opened, (ctypes.c_int * 1)(index), 1, 0):
            return 1.0
        write_copy(alone, saved.extend)
    finally:
        raw.FPDF_CloseDocument(alone)
    for body in bytes(saved).split(b"endobj"):
        head, _, _ = body.partition(b"stream")
        match = _UNIT.search(head)
        if match and _PAGE.search(head):
            return _to_unit(match, bytes(saved))
    return 1.0


def _to_unit(match: re.Match[bytes], saved: bytes) -> float:
    number = match.group(1)
    if match.group(2):
        target = re.search(rb"\s%s 0 obj\s+([-+]?[\d.]+)" % number, saved)
        number = target.group(1) if target else b"1"
    try:
        unit = float(number)
    except ValueError:
        return 1.0
    return unit if math.isfinite(unit) and unit > 0 else 1.0
