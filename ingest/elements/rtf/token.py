"""RTF bytes → tokens: groups, control words and symbols, raw bytes (RTF 1.9.1, "RTF Syntax")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.text_block import BlockKind

# A word, its number and the one space that ends it; a byte in hexadecimal; a symbol; a brace;
# anything else is text, but for line ends, which only break the file's own lines.
_TOKEN = re.compile(
    rb"\\([a-zA-Z]+)(-?[0-9]{1,10})?[0-9]* ?"
    rb"|\\'([0-9a-fA-F]{2})"
    rb"|\\([^a-zA-Z])"
    rb"|([{}])"
    rb"|([^\\{}\r\n]+)"
    rb"|[\r\n]+"
)

TokenKind = Literal["open", "close", "word", "symbol", "text"]


@dataclass(frozen=True, slots=True)
class Token:
    """``name`` of a word or symbol; ``number`` is a word's parameter; ``raw`` the bytes of text."""

    kind: TokenKind
    name: str = ""
    number: int | None = None
    raw: bytes = b""


_OPEN, _CLOSE = Token("open"), Token("close")


def read_tokens(data: bytes) -> Iterator[Token]:
    r"""The tokens in order; the bytes of ``\bin`` are jumped over."""
    position = 0
    while found := _TOKEN.match(data, position):
        position = found.end()
        word, number, byte, symbol, brace, text = found.groups()
        if text is not None:
            yield Token("text", raw=text)
        elif word is not None:
            parameter = None if number is None else int(number)
            if word == b"bin":
                position += max(parameter or 0, 0)
            yield Token("word", word.decode("ascii"), parameter)
        elif brace is not None:
            yield _OPEN if brace == b"{" else _CLOSE
        elif byte is not None:
            yield Token("text", raw=bytes.fromhex(byte.decode("ascii")))
        elif symbol is not None:
            yield Token("symbol", symbol.decode("latin-1"))


#: Characters written as words and symbols (RTF 1.9.1, "Special Characters").
CHARACTERS = {
    "tab": "\t",
    "line": "\n",
    "lbr": "\n",
    "softline": "\n",
    "page": "\n",
    "column": "\n",
    "emdash": "\u2014",
    "endash": "\u2013",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "qmspace": "\u2005",
    "bullet": "\u2022",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "ltrmark": "\u200e",
    "rtlmark": "\u200f",
    "zwbo": "\u200b",
    "zwnbo": "\u2060",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "~": "\u00a0",
    "-": "\u00ad",
    "_": "\u2011",
    "\t": "\t",
}
#: Destinations that are not text, though nothing marks them so.
SKIPPED = frozenset({
    "aftncn", "aftnsep", "aftnsepc", "colortbl", "filetbl", "fldinst", "ftncn", "ftnsep",
    "ftnsepc", "info", "mmathPict", "nonesttables", "nonshppict", "pict", "pntxta", "pntxtb",
    "rxe", "shprslt", "sn", "sp", "sv", "tc", "tcn", "template", "txe", "xe",
})  # fmt: skip
#: Destinations that a reader may ignore, and that hold text or lead to it.
STARRED = frozenset({"annotation", "do", "moMath", "moMathPara", "nesttableprops", "shpinst", "ud"})
MATH_PROPERTIES = re.compile(r"m[a-zA-Z]+Pr")
#: Text of its own beside the line: footnotes, comments, text boxes.
ASIDES: dict[str, BlockKind | None] = {
    "footnote": "footnote",
    "annotation": "annotation",
    "shptxt": None,
    "dptxbxtext": None,
}
#: Of all pages, left, right and first ones.
HEADERS = frozenset({"header", "headerl", "headerr", "headerf"})
FOOTERS = frozenset({"footer", "footerl", "footerr", "footerf"})
#: Where Word puts the number of a list's item, as it is shown.
LABELS = frozenset({"listtext", "pntext"})
