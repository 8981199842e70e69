"""Fonts of a page whose ToUnicode says other characters than the names of their glyphs do.

A simple font names a glyph for each code; the name of a letter or digit is what the page shows.
Where the table for copying says another letter or digit, or nothing, the text is not what is shown.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.ingest.assembly.actual_text import Painted
from spanproof.ingest.engine.mupdf.library import load_pymupdf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.assembly.stream import CharStream

_SIMPLE = frozenset({"Type1", "TrueType", "MMType1"})
_CHARS = re.compile(rb"beginbfchar(.*?)endbfchar", re.DOTALL)
_RANGES = re.compile(rb"beginbfrange(.*?)endbfrange", re.DOTALL)
_PAIR = re.compile(rb"<\s*([0-9A-Fa-f]{1,4})\s*>\s*<\s*([0-9A-Fa-f\s]*)>")
_RANGE = re.compile(
    rb"<\s*([0-9A-Fa-f]{1,4})\s*>\s*<\s*([0-9A-Fa-f]{1,4})\s*>\s*<\s*([0-9A-Fa-f\s]*)>"
)
_CODES = range(256)
_MOST_DEPTH, _MOST_BYTES = 6, 1 << 20
_PREFIX = re.compile(r"^[A-Z]{6}\+")

#: By what the text says the characters that are shown.
Lies = dict[str, str]


class FontTables:
    """Asks about the fonts of one document's pages, remembering what they share."""

    def __init__(self) -> None:
        self._known: dict[int, Lies] = {}
        #: By the number of a form: what the fonts of it and of its own forms lie about.
        self._forms: dict[int, tuple[tuple[str, Lies], ...]] = {}

    def find_painted(self, page: Any, stream: CharStream, text_page: Any) -> list[Painted]:  # noqa: ANN401 - untyped bindings
        """The characters of a page that its fonts' tables tell otherwise than their glyphs."""
        mupdf = load_pymupdf().mupdf
        resources = mupdf.pdf_page_resources(mupdf.pdf_page_from_fz_page(page.this))
        lies: dict[str, Lies] = {}
        for name, found in self._of_resources(resources, _MOST_DEPTH):
            lies.setdefault(name, {}).update(found)
        if not lies:
            return []
        names = _font_names(text_page)
        said = stream.points.tolist()
        every = {said: shown for each in lies.values() for said, shown in each.items()}
        shown = [
            (every if names is None else lies.get(names[index], {})).get(chr(point), "")
            for index, point in enumerate(said)
        ]
        marked = np.array([bool(each) for each in shown], bool)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]])))
        return [
            Painted(start=start, end=end, glyphs="".join(shown[start:end]), differs=True)
            for start, end in edges.reshape(-1, 2).tolist()
        ]

    def _of_resources(
        self,
        resources: Any,  # noqa: ANN401 - see above
        deepest: int,
    ) -> Iterator[tuple[str, Lies]]:
        mupdf = load_pymupdf().mupdf
        fonts = mupdf.pdf_dict_gets(resources, "Font")
        for index in range(mupdf.pdf_dict_len(fonts)):
            font = mupdf.pdf_dict_get_val(fonts, index)
            number = mupdf.pdf_to_num(font)
            found = self._known.get(number) if number else None
            if found is None:
                found = self._known[number] = _find_lies(font)
            if found:
                name = mupdf.pdf_to_name(mupdf.pdf_dict_gets(font, "BaseFont"))
                yield _PREFIX.sub("", name), found
        forms = mupdf.pdf_dict_gets(resources, "XObject")
        for index in range(mupdf.pdf_dict_len(forms) if deepest else 0):
            yield from self._of_form(mupdf.pdf_dict_get_val(forms, index), deepest)

    def _of_form(self, form: Any, deepest: int) -> tuple[tuple[str, Lies], ...]:  # noqa: ANN401 - see above
        """Forms and pages share forms: each is looked into once."""
        mupdf = load_pymupdf().mupdf
        number = mupdf.pdf_to_num(form)
        if number in self._forms:
            return self._forms[number]
        # Set before it is known: a form that draws itself adds nothing.
        self._forms[number] = ()
        inner = mupdf.pdf_dict_gets(form, "Resources")
        if mupdf.pdf_is_dict(inner):
            self._forms[number] = tuple(self._of_resources(inner, deepest - 1))
        return self._forms[number]


def _font_names(text_page: Any) -> list[str] | None:  # noqa: ANN401 - see above
    """The name of each character's font."""
    mupdf = load_pymupdf().mupdf
    names: list[str] = []
    for block in text_page:
        if block.m_internal.type == mupdf.FZ_STEXT_BLOCK_TEXT:
            for line in block:
                for char in line:
                    name: str = mupdf.ll_fz_font_name(char.m_internal.font)
                    names.append(_PREFIX.sub("", name))
    return names


def _find_lies(font: Any) -> Lies:  # noqa: ANN401 - see above
    mupdf = load_pymupdf().mupdf
    table = mupdf.pdf_dict_gets(font, "ToUnicode")
    kind = mupdf.pdf_to_name(mupdf.pdf_dict_gets(font, "Subtype"))
    if kind not in _SIMPLE or not mupdf.pdf_is_stream(table):
        return {}
    data = mupdf.pdf_load_stream(table).fz_buffer_extract_copy()[:_MOST_BYTES]
    names = _read_encoding(font)
    lies: Lies = {}
    for code, said in _read_table(data).items():
        shown = names.get(code, "")
        if _is_lie(said, shown):
            lies[said[:1]] = shown
    return lies


def _is_lie(said: str, shown: str) -> bool:
    """Whether a letter or digit is told as another one, or as nothing."""
    if not (shown.isascii() and shown.isalnum()) or not said or said == "\ufffd":
        return False
    plain = unicodedata.normalize("NFKC", said).casefold()
    if plain == shown.casefold():
        return False
    category = unicodedata.category(said[0])
    return (plain.isascii() and plain.isalnum()) or category in {"Cf", "Zs", "Mn", "Cc"}


def _read_encoding(font: Any) -> dict[int, str]:  # noqa: ANN401 - see above
    """The character that the name of each code's glyph says; of a font's own encoding nothing."""
    mupdf = load_pymupdf().mupdf
    encoding = mupdf.pdf_dict_gets(font, "Encoding")
    base = mupdf.pdf_to_name(encoding) or mupdf.pdf_to_name(
        mupdf.pdf_dict_gets(encoding, "BaseEncoding")
    )
    descriptor = mupdf.pdf_dict_gets(font, "FontDescriptor")
    is_carried = any(
        mupdf.pdf_dict_gets(descriptor, key).m_internal
        for key in ("FontFile", "FontFile2", "FontFile3")
    )
    found: dict[int, str] = {}
    if base or not is_carried:
        codec = "mac_roman" if base == "MacRomanEncoding" else "cp1252"
        found = {code: bytes([code]).decode(codec, "replace") for code in _CODES}
    differences = mupdf.pdf_dict_gets(encoding, "Differences")
    code = 0
    for index in range(min(mupdf.pdf_array_len(differences), 1024)):
        item = mupdf.pdf_array_get(differences, index)
        if mupdf.pdf_is_int(item):
            code = mupdf.pdf_to_int(item)
            continue
        point = mupdf.fz_unicode_from_glyph_name_strict(mupdf.pdf_to_name(item))
        found[code] = chr(point) if point > 0 else ""
        code += 1
    return found


def _read_table(data: bytes) -> dict[int, str]:
    found: dict[int, str] = {}
    for block in _RANGES.findall(data):
        for first, last, target in _RANGE.findall(block):
            start, end, said = int(first, 16), int(last, 16), _decode(target)
            if said and end < 256:
                for code in range(start, end + 1):
                    found[code] = said[:-1] + chr(min(ord(said[-1]) + code - start, 0x10FFFF))
    for block in _CHARS.findall(data):
        for code, target in _PAIR.findall(block):
            if int(code, 16) < 256:
                found[int(code, 16)] = _decode(target)
    return found


def _decode(target: bytes) -> str:
    digits = b"".join(target.split())
    raw = bytes.fromhex(digits.decode("ascii").ljust(len(digits) + len(digits) % 2, "0"))
    return (raw if len(raw) > 1 else b"\0" + raw).decode("utf-16-be", "replace") if raw else ""
