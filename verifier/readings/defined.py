"""Names that a text gives itself: a contract's parties, and abbreviations in brackets.

"Brightwater Homes (the “Landlord”) lets the flat. The Landlord insures it" says that Brightwater
Homes insures it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORD = r"[A-ZÀ-ÖØ-Þ][\w&’'-]*\.?"
_NAME = rf"(?P<name>{_WORD}(?: (?:(?:of|and|for|de|von|van|&)(?: the)? )?{_WORD})*)"
_PARTY = re.compile(
    rf"{_NAME},? \((?:hereinafter |referred to as |hereafter )*(?:the )?[\"“‘'](?:the )?"
    r"(?P<short>[A-Z]\w+(?: [A-Z]\w+)?)[\"”’']\)"
)
_SHORTENED = re.compile(rf"(?:\b[Tt]he )?{_NAME} \((?P<short>[A-Z]{{2,6}})\)")


def write_defined(sentences: Sequence[str]) -> Iterator[str]:
    """Each sentence with the full names of the parties, and with the short ones of the others."""
    known: dict[str, set[str]] = {}
    for found in (match for each in sentences for match in _PARTY.finditer(each)):
        known.setdefault(found["short"], set()).add(found["name"])
    parties = {short: names.pop() for short, names in known.items() if len(names) == 1}
    for sentence in sentences:
        told = _PARTY.sub(lambda found: found["name"], sentence)
        for short, name in parties.items():
            told = re.sub(rf"\b(?:[Tt]he )?{re.escape(short)}\b(?! [A-Z])", name, told)
        if told != sentence:
            yield told
        short = _SHORTENED.sub(lambda found: found["short"], sentence)
        if short != sentence:
            yield short
