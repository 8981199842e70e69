"""The control words of RTF 1.9.1 that say what is text, and where it belongs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.core.documents.text_block import BlockKind

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
#: Destinations that are no text though nothing marks them as such.
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
