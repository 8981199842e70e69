"""An amount beside an earlier one: "was 3.1 in March, compared with 3.6 in February" is a fall."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_AMOUNT = (
    r"(?P<{0}>(?P<{0}mark>(?:[$€£]|[A-Z]{{3}} )?)"
    r"(?P<{0}number>\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?)"
    r"(?P<{0}unit>\s?%|(?: [a-z]+){{0,2}}?))"
)
_TIME = (
    r" (?:in|for) (?P<{0}time>(?:the (?:first|second|third|fourth) quarter of )?[A-Z0-9][\w’' ]*?)"
)
_EARLIER = rf"{_AMOUNT.format('a')}{_TIME.format('a')}"
_LATER = rf"{_AMOUNT.format('b')}{_TIME.format('b')}"
_BESIDE = r",? (?:(?:compared (?:with|to)|as against|against|(?P<way>up|down) from|after) )"
#: "Inflation stood at 3.1 per cent in March, compared with 3.6 per cent in February".
_STOOD = re.compile(
    rf"(?P<what>[^,;:\d]{{1,80}}?) (?:stood at|was|were|came to|amounted to|reached|totalled) "
    rf"{_LATER}{_BESIDE}{_EARLIER}\.?"
)
#: "Corvane Group reported revenue of EUR 482 million for 2022, up from EUR 451 million in 2021".
_REPORTED = re.compile(
    r"(?P<who>[^,;:\d]{1,60}?) (?:reported|recorded|posted|had) (?:an? )?"
    rf"(?P<what>[a-z]+(?: [a-z]+)?) of {_LATER}{_BESIDE}{_EARLIER}\.?"
)
_NET = frozenset({"loss", "losses", "deficit"})


def write_comparison(sentence: str) -> Iterator[str]:
    """From what to what an amount rose or fell."""
    found = _STOOD.fullmatch(sentence) or _REPORTED.fullmatch(sentence)
    if found is None or found["amark"] != found["bmark"]:
        return
    units = {found[name].strip() for name in ("aunit", "bunit")}
    try:
        first, last = (Decimal(found[f"{name}number"].replace(",", "")) for name in "ab")
    except InvalidOperation:
        return
    if len(units) > 1 or first == last or found["atime"] == found["btime"]:
        return
    rises = last > first
    if found["way"] and rises != (found["way"] == "up"):
        return
    who = found.groupdict().get("who")
    if who and _NET.intersection(found["what"].split()):
        return
    what = f"{who}'s {found['what']}" if who else found["what"]
    verbs = ("rose", "increased", "grew") if rises else ("fell", "decreased", "dropped")
    now = f"{found['b']} in {found['btime']}"
    for verb in verbs:
        yield f"{what} {verb} from {found['a']} in {found['atime']} to {now}."
        yield f"{what} {verb} to {now}."
