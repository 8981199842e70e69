"""A caller's text as HTML: escaped, and characters that hide or reorder others made visible."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

#: Controls but tab and newline, soft hyphen, zero-width and bidirectional controls: an auditor must
#: see that they are there. Joiners (ZWJ, ZWNJ) stay: scripts and emoji need them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\ufff9-\ufffb]"
)
_NAMES = {"\f": "page break", "\r": "carriage return", "\xad": "soft hyphen"}


def show_text(text: str) -> Markup:
    """Escape every character; put a labelled chip in the place of each that cannot be seen."""
    parts: list[Markup] = []
    position = 0
    for found in _HIDDEN.finditer(text):
        parts.append(escape(text[position : found.start()]))
        parts.append(_chip(found.group()))
        position = found.end()
    parts.append(escape(text[position:]))
    return Markup("").join(parts)


def _chip(character: str) -> Markup:
    code = f"U+{ord(character):04X}"
    name = _NAMES.get(character, "hidden character")
    return Markup('<span class="hidden-character" title="{} {}">{}</span>').format(
        name, code, "page break" if character == "\f" else code
    )
