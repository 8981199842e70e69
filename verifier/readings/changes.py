"""A rise or a fall between two amounts as the share that it is."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_AMOUNT = (
    r"(?P<{0}mark>(?:[$€£]|[A-Z]{{3}} )?\s?)(?P<{0}>\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?)"
    r"(?P<{0}unit>(?: [a-z]+){{0,3}}?)"
)
_TIME = r"(?: (?P<{0}time>(?:in|at|on) (?:[A-Z][a-z]+ )?\d{{4}}))?"
_CHANGE = re.compile(
    r"(?P<what>[^,;:]{1,120}?) (?P<verb>"
    r"rose|grew|increased|climbed|went up|fell|dropped|decreased|declined|went down|shrank)"
    rf" from {_AMOUNT.format('a')}{_TIME.format('a')}"
    rf" to {_AMOUNT.format('b')}{_TIME.format('b')}\.?"
)
_FALLS = frozenset({"fell", "dropped", "decreased", "declined", "went down", "shrank"})
_DIGITS = Decimal("0.0001")


def write_changes(sentence: str) -> Iterator[str]:
    """By how many per cent it rose or fell, if that is what the two amounts say."""
    found = _CHANGE.fullmatch(sentence)
    if found is None or found["amark"] != found["bmark"]:
        return
    units = {found["aunit"].strip(), found["bunit"].strip()} - {""}
    try:
        first, last = (Decimal(found[name].replace(",", "")) for name in "ab")
    except InvalidOperation:
        return
    # "From 3 to 5 per cent" is a rise by two points, which is not called one by 67 per cent.
    if len(units) > 1 or not first or any("cent" in unit for unit in units):
        return
    if (last < first) != (found["verb"] in _FALLS) or first == last:
        return
    share = (abs(last - first) / first * 100).quantize(_DIGITS).normalize()
    start, end = (re.sub(r"^\w+ ", "", found[name] or "") for name in ("atime", "btime"))
    times = (f" from {start} to {end}", f" between {start} and {end}") if start and end else ("",)
    for time in times:
        yield f"{found['what']} {found['verb']} by {share:f} %{time}."
