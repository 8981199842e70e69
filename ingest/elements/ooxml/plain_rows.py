"""Rows of a sheet as nearly every program writes them, read without a tree: it takes a tenth.

Only markup of a few exact forms is taken, all of it, so what is read here is what a parser reads.
Anything else (a comment, a name with a prefix, rich text, a character by its number) is a
``NotPlainError``: then a parser reads the sheet from its start.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanproof.core.documents.cell_address import number_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: What Excel has (ECMA-376 leaves it open): a number beyond is damage, or an attack on readers.
LAST_ROW = 1_048_576
_LONGEST = 7
#: Bytes that are read at once.
_CHUNK = 1 << 20
#: XML allows no others, and a line's end of two characters would become one.
_TEXT = r"[^<\x00-\x08\x0b-\x1f\ufffe\uffff]*"
_ATTRIBUTES = r'(?:\s[A-Za-z_][\w.:-]*="[^"<&\x00-\x1f]*")*'
_CELL = re.compile(
    r'<c r="([A-Z]{1,3})([1-9][0-9]{0,6})"(?: s="([0-9]{1,6})")?(?: t="([A-Za-z]{1,9})")?'
    rf"(?:/>|>(?:(<f){_ATTRIBUTES}(?:/>|>{_TEXT}</f>))?"
    rf'(?:<v>({_TEXT})</v>|<v/>|<is><t(?: xml:space="preserve")?>({_TEXT})</t></is>)?</c>)'
)
_GROUPS = _CELL.groups + 1
_ROW_EDGE = re.compile(rf"<row({_ATTRIBUTES})(/?)>|(</row>)")
_USUAL_ROW = re.compile(r' r="([0-9]{1,9})"(?: spans="[0-9:]*")?')
_ATTRIBUTE = re.compile(r'\s([^=]+)="([^"]*)"')
_STRING = re.compile(rf'<si><t(?: xml:space="preserve")?>({_TEXT})</t></si>')
_START = re.compile(rb"(?:\xef\xbb\xbf)?(?:<\?xml([^>]*)\?>)?\s*<[A-Za-z]")
_ENCODING = re.compile(rb"""encoding=["'](?!utf-8["'])""", re.IGNORECASE)
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_REFERENCE = re.compile(r"&(\w*;?)")
_CHARACTERS = {"amp;": "&", "lt;": "<", "gt;": ">", "quot;": '"', "apos;": "'"}

#: Its column from 1 (0: it names none), style, kind, whether a formula, value, text beside these.
RawCell = tuple[int, str | None, str | None, object, str | None, str | None]


class NotPlainError(ValueError):
    """Markup of another form; it never leaves this package."""


class RawRow(NamedTuple):
    """A row of the markup: its number, ``hidden`` and ``ht`` as they are written, its cells."""

    number: str | None
    hidden: str | None
    height: str | None
    cells: Sequence[RawCell]


def split_off(data: bytes, start: bytes, end: bytes) -> tuple[bytes, bytes]:
    """What stands around the only stretch between two tags, and the stretch.

    Raise NotPlainError where it is not the only one, or the bytes are not UTF-8 by their own word.
    """
    begin, stop = data.find(start) + len(start), data.rfind(end)
    found = _START.match(data)
    if found is None or _ENCODING.search(found[1] or b"") or not len(start) <= begin <= stop:
        raise NotPlainError
    frame = data[:begin] + data[stop:]
    if frame.count(start) != 1 or frame.count(end) != 1 or b"<!" in frame:
        raise NotPlainError
    return frame, data[begin:stop]


def read_plain_rows(rows: bytes) -> Iterator[RawRow]:
    """The rows in their order; raise NotPlainError where one has another form."""
    for chunk in _chunks(rows, b"<row"):
        parts = _CELL.split(chunk)
        letters, digits, styles, kinds, formulas, values, texts = (
            parts[place::_GROUPS] for place in range(1, _GROUPS)
        )
        if max(map(len, digits), default=0) == _LONGEST and max(map(int, digits)) > LAST_ROW:
            raise NotPlainError
        if "&" in chunk:
            values, texts = (list(map(_resolve, some)) for some in (values, texts))
        if "_x" in chunk:
            texts = [text and resolve_escapes(text) for text in texts]
        columns = map(number_column, letters)
        cells = list(zip(columns, styles, kinds, formulas, values, texts, strict=True))
        yield from _part_rows(cells, parts[::_GROUPS])


def _part_rows(cells: Sequence[RawCell], between: Sequence[str]) -> Iterator[RawRow]:
    """The rows that the markup between the cells, before the first and behind the last, parts."""
    row: str | None = None
    begun = 0
    for at, markup in enumerate(between):
        if not markup:
            continue
        place = 0
        for edge in _ROW_EDGE.finditer(markup):
            attributes, is_empty, closes = edge.groups()
            if edge.start() != place or (row is None) is bool(closes):
                raise NotPlainError
            place = edge.end()
            if closes:
                yield _to_row(row or "", cells[begun:at])
                row = None
            elif is_empty:
                yield _to_row(attributes, ())
            else:
                row, begun = attributes, at
        # Cells stand in rows, and every character was looked at.
        if place != len(markup) or (row is None) is (at < len(cells)):
            raise NotPlainError
    if row is not None or not between[0]:
        raise NotPlainError


def _to_row(attributes: str, cells: Sequence[RawCell]) -> RawRow:
    usual = _USUAL_ROW.fullmatch(attributes)
    if usual is not None:
        return RawRow(usual[1], None, None, cells)
    named = _ATTRIBUTE.findall(attributes)
    found = dict(named)
    if len(found) < len(named) or any(name.endswith((":r", ":hidden", ":ht")) for name in found):
        raise NotPlainError
    return RawRow(found.get("r"), found.get("hidden"), found.get("ht"), cells)


def read_plain_strings(strings: bytes) -> list[str]:
    """The shared texts of a workbook; raise NotPlainError where one has another form."""
    found: list[str] = []
    for chunk in _chunks(strings, b"<si>"):
        parts = _STRING.split(chunk)
        if any(parts[::2]):
            raise NotPlainError
        texts = parts[1::2]
        if "&" in chunk:
            texts = [_resolve(text) or "" for text in texts]
        found += map(resolve_escapes, texts) if "_x" in chunk else texts
    return found


def _chunks(data: bytes, mark: bytes) -> Iterator[str]:
    """The text, cut before a mark now and then."""
    start = 0
    while start < len(data):
        end = data.find(mark, start + _CHUNK)
        end = len(data) if end < 0 else end
        try:
            chunk = data[start:end].decode("utf-8")
        except UnicodeDecodeError as error:
            raise NotPlainError from error
        if "]]>" in chunk:
            raise NotPlainError
        yield chunk
        start = end


def resolve_escapes(text: str) -> str:
    """The text with the characters that XML cannot hold (ECMA-376 Part 1, 22.9.2.19)."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _resolve(text: str | None) -> str | None:
    return text if not text or "&" not in text else _REFERENCE.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    character = _CHARACTERS.get(found[1])
    if character is None:
        raise NotPlainError
    return character
