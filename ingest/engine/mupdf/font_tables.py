"""Fonts of a page whose ToUnicode says other characters than the names of their glyphs do.

A simple font names a glyph for each code; the name of a letter or digit is what the page shows.
Where the table for copying says another letter or digit, or nothing, the text is not what is shown.
Where it says one letter of a ligature ("f_i" told as "i"), the text lacks the others: such a glyph
is told from the letter itself by its width.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.ingest.assembly.actual_text import Painted
from spanproof.ingest.engine.mupdf.library import load_pymupdf

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanproof.ingest.assembly.stream import CharStream, Ints

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lie:
    """What the text says for a glyph, and what the glyph shows.

    Without a ``width`` (in parts of the font size) every character told so is shown so; else only
    those of that width, and not those nearer to ``right``, the widths of the letter itself.
    """

    said: str
    shown: str
    width: float | None = None
    right: tuple[float, ...] = ()


Lies = list[_Lie]


class FontTables:
    """Asks about the fonts of one document's pages, remembering what they share."""

    def __init__(self) -> None:
        self._known: dict[int, Lies] = {}
        #: By the number of a form: what the fonts of it and of its own forms lie about.
        self._forms: dict[int, tuple[tuple[str, Lies], ...]] = {}

    def find_painted(
        self,
        page: Any,  # noqa: ANN401 - untyped bindings
        stream: CharStream,
        text_pages: Sequence[Any],
        order: Ints | None,
    ) -> list[Painted]:
        """The characters of a page that its fonts' tables tell otherwise than their glyphs.

        ``order`` is where each character stands in the text pages, put behind each other.
        """
        mupdf = load_pymupdf().mupdf
        resources = mupdf.pdf_page_resources(mupdf.pdf_page_from_fz_page(page.this))
        lies: dict[str, Lies] = {}
        for name, found in self._of_resources(resources, _MOST_DEPTH):
            lies.setdefault(name, []).extend(found)
        if not lies:
            return []
        names = [name for one in text_pages for name in _font_names(one)]
        if order is not None:
            names = [names[index] for index in order.tolist()]
        widths = np.ptp(stream.quads[0::2], axis=0) / np.maximum(stream.sizes, 1e-6)
        found_lies = [
            _find_lie(lies.get(name, []), chr(point), width)
            for name, point, width in zip(
                names, stream.points.tolist(), widths.tolist(), strict=True
            )
        ]
        return list(_join(found_lies))

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


def _font_names(text_page: Any) -> list[str]:  # noqa: ANN401 - see above
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


def _find_lie(lies: Lies, said: str, width: float) -> _Lie | None:
    """The lie about a character of that width, or None where it is what it says."""
    about = [lie for lie in lies if lie.said == said]
    for lie in about:
        if lie.width is None:
            return lie
    best = min(about, key=lambda lie: abs((lie.width or 0) - width), default=None)
    if best is None or best.width is None:
        return None
    apart = abs(best.width - width)
    return best if all(apart < abs(one - width) for one in best.right) else None


def _join(told: Sequence[_Lie | None]) -> Iterator[Painted]:
    """One difference for neighbours that say something else, one for each ligature."""
    start = 0
    for end in range(1, len(told) + 1):
        first = told[start]
        going = end < len(told) and told[end]
        if first is not None and first.width is None and going and going.width is None:
            continue
        if first is not None:
            glyphs = "".join(lie.shown for lie in told[start:end] if lie is not None)
            yield Painted(start=start, end=end, glyphs=glyphs, differs=first.width is None)
        start = end


def _find_lies(font: Any) -> Lies:  # noqa: ANN401 - see above
    mupdf = load_pymupdf().mupdf
    table = mupdf.pdf_dict_gets(font, "ToUnicode")
    kind = mupdf.pdf_to_name(mupdf.pdf_dict_gets(font, "Subtype"))
    if kind not in _SIMPLE:
        return []
    names = _read_encoding(font)
    if mupdf.pdf_is_stream(table):
        data = mupdf.pdf_load_stream(table).fz_buffer_extract_copy()[:_MOST_BYTES]
        said = _read_table(data)
    else:
        # Of a joined name MuPDF takes the first letter.
        said = {code: shown[0] for code, shown in names.items() if len(shown) > 1}
    lies = {s[:1]: names[code] for code, s in said.items() if _is_lie(s, names.get(code, ""))}
    parts = {code: s for code, s in said.items() if _is_part(s, names.get(code, ""))}
    found = [_Lie(said=said, shown=shown) for said, shown in lies.items()]
    if parts:
        widths = _read_widths(font)
        found += [
            _Lie(
                said=s,
                shown=names[code],
                width=widths.get(code, 0.0),
                right=tuple(widths.get(c, 0.0) for c, n in names.items() if n == s and c in widths),
            )
            for code, s in parts.items()
        ]
    return found


def _is_part(said: str, shown: str) -> bool:
    """Whether of a ligature only one letter is told, or none that can be read."""
    plain = unicodedata.normalize("NFKC", shown)
    return len(plain) > 1 and len(said) == 1 and (said in plain or said == "\ufffd")


def _read_widths(font: Any) -> Mapping[int, float]:  # noqa: ANN401 - see above
    """The width of each code's glyph in parts of the font size."""
    mupdf = load_pymupdf().mupdf
    first = mupdf.pdf_to_int(mupdf.pdf_dict_gets(font, "FirstChar"))
    widths = mupdf.pdf_dict_gets(font, "Widths")
    return {
        first + index: mupdf.pdf_to_real(mupdf.pdf_array_get(widths, index)) / 1000
        for index in range(min(mupdf.pdf_array_len(widths), len(_CODES)))
    }


def _is_lie(said: str, shown: str) -> bool:
    """Whether a letter or digit is told as another one, or as nothing."""
    if not (len(shown) == 1 and shown.isascii() and shown.isalnum()):
        return False
    if not said or said == "\ufffd":
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
        found[code] = _read_name(mupdf.pdf_to_name(item))
        code += 1
    return found


def _read_name(name: str) -> str:
    """The characters that a glyph's name says; empty where it says none."""
    mupdf = load_pymupdf().mupdf
    # "f_i" is a ligature of the glyphs named by its parts; what follows a stop is a variant.
    parts = name.partition(".")[0].split("_")
    points = [mupdf.fz_unicode_from_glyph_name_strict(part) for part in parts]
    return "".join(map(chr, points)) if all(point > 0 for point in points) else ""


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
