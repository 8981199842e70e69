"""Bytes of a text format → characters, as the bytes, the sender and the format declare them.

A mark at the start wins, then the sender's word, then the document's own; UTF-8 needs no word,
because hardly anything else is valid as it. Bytes that are none of these are guessed at.
"""

from __future__ import annotations

import codecs
import re
from contextlib import suppress

from spanproof.core.errors import UnsupportedMediaTypeError
from spanproof.ingest.elements.guessing import Guess, guess_encoding
from spanproof.ingest.media_detection import is_wide

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: What readers take a label for (WHATWG Encoding, 4.2); others are Python's own names.
_LABELS = {
    "ascii": "windows-1252",
    "us-ascii": "windows-1252",
    "iso-8859-1": "windows-1252",
    "iso8859-1": "windows-1252",
    "latin1": "windows-1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "iso-8859-9": "windows-1254",
    "tis-620": "windows-874",
}
#: The default of HTML for pages that say nothing (WHATWG HTML, 13.2.3.2).
WEB_DEFAULT = "windows-1252"
_DECLARED_CHARSET = re.compile(
    rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE
)
_OWN_WORD_BYTES = 1024
# Browsers start over where a page says it only after a long preamble.
_META = re.compile(
    rb"""<meta\b[^>]{0,500}charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE
)
_META_BYTES = 1 << 19


def decode_markup(data: bytes, charset: str | None) -> tuple[str, Guess | None]:
    """A web page's characters, without its byte order mark, and the guess that gave them.

    A page that declares nothing and fits no encoding is read as browsers read it.
    """
    marked = _decode_marked(data)
    if marked is not None:
        return marked, None
    own = _DECLARED_CHARSET.search(data, 0, _OWN_WORD_BYTES) or _META.search(data, 0, _META_BYTES)
    words = [charset, own.group(1).decode("ascii") if own else None]
    # A page with a declaration readable as ASCII is not UTF-16, even if it says so.
    names = [n for n in map(codec_of, words) if n is not None and not n.startswith("utf-16")]
    # Bytes beyond ASCII that are valid UTF-8 are UTF-8, though the page's template says otherwise.
    first = ["utf-8"] if codec_of(charset) is None and not data.isascii() else []
    for name in (*first, *names, "utf-8"):
        try:
            return data.decode(name), None
        except UnicodeError:
            continue
    if not names:
        with suppress(UnsupportedMediaTypeError):
            guess = guess_encoding(data, is_markup=True)
            return guess.text, guess
    return data.decode(next(iter(names), WEB_DEFAULT), "replace"), None


def decode_part(data: bytes, charset: str | None) -> str:
    """The characters of a message's part; what its charset cannot read becomes U+FFFD."""
    name = codec_of(charset)
    for one in (name or "utf-8", "utf-8"):
        try:
            return data.decode(one)
        except UnicodeError:
            continue
    return data.decode(name or WEB_DEFAULT, "replace")


def decode_declared(data: bytes, charset: str | None) -> tuple[str, Guess | None]:
    """A text's characters by its mark, the sender's word, as UTF-8 or by a guess; and the guess.

    Raise UnsupportedMediaTypeError if the bytes are not what the sender says.
    """
    marked = _decode_marked(data)
    if marked is not None:
        return marked, None
    name = codec_of(charset)
    try:
        return data.decode(name or "utf-8"), None
    except UnicodeError as error:
        if name is None:
            guess = guess_encoding(data)
            return guess.text, guess
        msg = f"Expected {name.upper()} text, got other bytes ({error})."
        hint = "Convert the file to UTF-8, or declare its charset."
        raise UnsupportedMediaTypeError(msg, hint=hint) from error


def _decode_marked(data: bytes) -> str | None:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    if is_wide(data):
        return data.decode("utf-16-le" if data[1] == 0 else "utf-16-be", "replace")
    return None


def codec_of(label: str | None) -> str | None:
    """Python's name of a charset; None for an unknown one, or one that is no text encoding."""
    name = (label or "").strip().lower()
    try:
        found = codecs.lookup(_LABELS.get(name, name))
    except (LookupError, ValueError):
        return None
    # rot13 and the like turn no bytes into text.
    return found.name if found._is_text_encoding else None  # noqa: SLF001 - CPython's only mark
