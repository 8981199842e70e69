"""The code page of the bytes of an RTF text: that of the font, else that of the document."""

from __future__ import annotations

import codecs
import re
from functools import cache

#: ``\fcharsetN`` (RTF 1.9.1, "Font Table"); 1 is the document's own, 2 a font of symbols.
_CODECS = {
    0: "cp1252",
    77: "mac_roman",
    78: "cp932",
    79: "cp949",
    80: "gbk",
    81: "big5",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gbk",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
_SYMBOL_SET = 2
#: The bytes of a font of symbols: no characters, only places in that font.
SYMBOLS = "symbols"
#: ``\ansi``, ``\mac``, ``\pc``, ``\pca``: the document's character set where no page is named.
DOCUMENT_SETS = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_OTHER_PAGES = {65001: "utf-8", 10000: "mac_roman", 936: "gbk", 1361: "johab"}
_PRIVATE_USE = 0xF000
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@cache
def codec_of_page(number: int) -> str | None:
    r"""The codec of ``\ansicpgN`` or ``\cpgN``, or None."""
    name = _OTHER_PAGES.get(number, f"cp{number}")
    try:
        codecs.lookup(name)
    except LookupError:
        return None
    return name


def codec_of_charset(number: int) -> str | None:
    r"""The codec of ``\fcharsetN``; None for the document's own."""
    return SYMBOLS if number == _SYMBOL_SET else _CODECS.get(number)


def decode(raw: bytes, codec: str) -> str:
    """Bytes as text; a byte that the code page lacks becomes U+FFFD."""
    if codec == SYMBOLS:
        # Word's own way: the private use area says that only the font knows what is shown.
        return "".join(chr(b) if b < 0x21 else chr(_PRIVATE_USE + b) for b in raw)
    return raw.decode(codec, "replace")


def join_pairs(text: str) -> str:
    """UTF-16 pairs as the characters they are; a lone half stays for the writer to replace."""
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
