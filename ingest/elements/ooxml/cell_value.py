"""A cell as its workbook shows it, and the value behind it where that is written otherwise."""

from __future__ import annotations

import datetime as dt
import re
from typing import NamedTuple

from spanproof.ingest.elements.ooxml.number_format import find_moment, format_number, format_text

# Numbers whose 15 digits and shortest form are what is kept: no exponent, no zero at an edge.
_AS_KEPT = re.compile(
    r"(?!0)\d{1,9}|-?[1-9][0-9]{0,8}(?:\.[0-9]{0,5}[1-9])?|-?0\.[0-9]{0,3}[1-9]|0"
)
#: Whether a number without a format shows what is kept of it, so that nothing is computed.
is_shown_as_kept = _AS_KEPT.fullmatch
_WHOLE = re.compile(r"-?[1-9][0-9]*|0")
_BOOLEANS = {"1": ("TRUE", "True"), "0": ("FALSE", "False")}


class ShownValue(NamedTuple):
    """A cell's text; ``raw`` is its value where the text differs, ``moment`` its ISO date."""

    text: str
    raw: str | None = None
    moment: str | None = None


def show_value(kept: str, kind: str, code: str, *, from_1904: bool) -> ShownValue:
    """What a cell of a kind (ECMA-376 Part 1, 18.18.11) and number format shows of what it keeps.

    A shared text (``s``) is given as the text itself.
    """
    if kind == "s":
        return _differing(format_text(kept, code), kept)
    if kind == "b":
        return ShownValue(*_BOOLEANS.get(kept, ("FALSE", None)))
    if kind == "d":
        return ShownValue(kept, moment=_read_iso(kept))
    if kind != "n":
        # A formula's text, an error's name: as they are.
        return ShownValue(kept)
    if code == "General" and is_shown_as_kept(kept):
        return ShownValue(kept)
    try:
        number = float(kept)
        shown = format_number(number, code, from_1904=from_1904).strip()
        moment = find_moment(number, code, from_1904=from_1904)
        return _differing(shown, _write(kept, number))._replace(moment=moment)
    except (ValueError, ArithmeticError):
        return ShownValue(kept)


def hides_text(code: str) -> bool:
    """Whether the format shows nothing of a text, or something else: ``;;;``."""
    sections = code.split(";")
    return len(sections) >= 4 and "@" not in sections[3] and "general" not in sections[3].lower()


def _differing(text: str, raw: str) -> ShownValue:
    return ShownValue(text, None if raw == text else raw)


def _write(kept: str, number: float) -> str:
    """A number as programs that read workbooks write it: the shortest that is the same number."""
    if _WHOLE.fullmatch(kept):
        return kept
    return repr(number) if {".", "e", "E"} & set(kept) else f"{number:.0f}"


def _read_iso(kept: str) -> str | None:
    """A date and time of ISO 8601 as every program writes it; None for anything else."""
    try:
        moment = dt.datetime.fromisoformat(kept)
    except ValueError:
        return None
    return moment.isoformat() if moment.tzinfo is None else None
