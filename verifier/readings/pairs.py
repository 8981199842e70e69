"""Two lists of one sentence, told apart by "respectively": one sentence for each pair."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_RESPECTIVELY = re.compile(r"\s*[,(]?\s*\brespectively\b\)?(?:,(?=\s))?", re.IGNORECASE)
_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*"
#: One thing of a list: a name, an amount, one word. The first of these of which all things are.
_KINDS = tuple(
    re.compile(rf"(?:{item})(?:, (?:{item}))*,? and (?:{item})")
    for item in (
        r"(?:[$€£]\s?|[A-Z]{3} )?[-+−]?\d(?:[\d.,]*\d)?(?:\s?%| per cent)?",
        rf"(?:\b[Tt]he )?\b{_CAPITAL}(?: (?:(?:of|de|von|van|du|da) )?{_CAPITAL})*",
        r"(?:^[A-Z]|\b[a-z])[\w’'-]*",
    )
)
#: A bracket or a second clause holds another statement, whose list is not of these pairs.
_OTHER = re.compile(r"[;:()]|\b(?:while|whereas|but)\b")
_LISTS = 2


def write_pairs(sentence: str) -> Iterator[str]:
    """One sentence for each pair of a sentence with two lists of equal length."""
    if len(_RESPECTIVELY.findall(sentence)) != 1 or _OTHER.search(sentence):
        return
    text = _RESPECTIVELY.sub("", sentence)
    lists = _find_lists(text)
    if len(lists) != _LISTS:
        return
    (first, ours), (second, theirs) = lists
    if len(ours) != len(theirs):
        return
    for one, other in zip(ours, theirs, strict=True):
        between = text[first[1] : second[0]]
        yield text[: first[0]] + one + between + other + text[second[1] :]


def _find_lists(text: str) -> list[tuple[tuple[int, int], list[str]]]:
    """The lists of a sentence, where they stand and their things; all, of whichever kind."""
    found: list[tuple[tuple[int, int], list[str]]] = []
    for kind in _KINDS:
        for match in kind.finditer(text):
            place = match.span()
            if all(place[1] <= start or end <= place[0] for (start, end), _ in found):
                things = re.split(r",? and |, ", match.group())
                found.append((place, things))
    return sorted(found)
