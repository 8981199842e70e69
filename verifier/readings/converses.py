"""A comparison told from its other side: A is larger than B, B is smaller than A."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAIRS = (
    ("more", "less"),
    ("more", "fewer"),
    ("higher", "lower"),
    ("longer", "shorter"),
    ("larger", "smaller"),
    ("greater", "smaller"),
    ("bigger", "smaller"),
    ("older", "younger"),
    ("faster", "slower"),
    ("heavier", "lighter"),
    ("taller", "shorter"),
    ("earlier", "later"),
    ("stronger", "weaker"),
    ("warmer", "cooler"),
    ("wider", "narrower"),
)
_OPPOSITES = MappingProxyType(
    {
        word: tuple(other for pair in _PAIRS for other in pair if word in pair and other != word)
        for pair in _PAIRS
        for word in pair
    }
)
_SIDE = r"(?:the |an? |its |our |those )?[\w’'-]+(?: (?:of the |of )?[\w’'-]+){0,4}?"
_WITHIN = r"(?:in|on|at|for|with|among|under) "
#: "Model B uses less energy than Model A in standby mode".
_COMPARED = re.compile(
    rf"(?P<one>{_SIDE}) (?P<verb>is|are|was|were|uses|used|use|has|had|have|costs?|consumes?|"
    r"consumed|produces?|produced|needs?|needed|earns?|earned|weighs?|takes?|took|lasts?|lasted) "
    rf"(?P<more>{'|'.join(_OPPOSITES)})(?P<what>(?: [\w-]+){{0,3}}?) than (?P<other>{_SIDE})"
    rf"(?P<rest>(?: (?:in|on|at|during|after|before|to|by) [^,;:?]*)?)\.?",
    re.IGNORECASE,
)
#: "Survival was longer in the first group than in the second".
_COMPARED_WITHIN = re.compile(
    rf"(?P<what>[^,;:?]{{2,60}}?) (?P<verb>is|are|was|were) (?P<more>{'|'.join(_OPPOSITES)}) "
    rf"(?P<one>{_WITHIN}[^,;:?]{{2,60}}?) than (?P<other>{_WITHIN}[^,;:?]{{2,60}}?)\.?",
    re.IGNORECASE,
)


def write_converse(sentence: str) -> Iterator[str]:
    """A sentence that compares two things, told from the other one."""
    found = _COMPARED.fullmatch(sentence)
    if found is not None and not re.search(r"\d", found["rest"]):
        one, other = found["one"], found["other"]
        one = one if one[1:] != one[1:].lower() else f"{one[0].lower()}{one[1:]}"
        one = re.sub("^(?:The|An?|Its|Our|Those) ", lambda of: of[0].lower(), one)
        for less in _OPPOSITES[found["more"].lower()]:
            told = f"{found['verb']} {less}{found['what']} than {one}{found['rest'].rstrip('.')}"
            yield f"{other[0].upper()}{other[1:]} {told}."
    found = _COMPARED_WITHIN.fullmatch(sentence)
    if found is not None:
        for less in _OPPOSITES[found["more"].lower()]:
            told = f"{found['verb']} {less} {found['other'].rstrip('.')} than {found['one']}"
            yield f"{found['what']} {told}."
