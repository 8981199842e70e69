"""Things that a sentence tells alike: "copper, nickel and zinc are mined here" is one of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.verifier.slots.roles.lines import is_participle

if TYPE_CHECKING:
    from collections.abc import Iterator

_THING = r"(?:[Tt]he )?[\w’'-]+(?: [\w’'-]+){0,2}"
_ALIKE = re.compile(
    rf"(?P<things>{_THING}(?:, {_THING})+,? and {_THING}) (?P<be>are|were|have been|had been) "
    r"(?P<verb>[a-z]+)(?P<rest> [^,;:()]*)?\.?"
)
#: What several do or undergo with each other, in sum, or each in another way.
_TOGETHER = re.compile(
    r"\b(?:together|each|other|another|one|both|between|among|joint\w*|merged|combined|united|"
    r"married|mixed|compared|divided|separated|joined|linked|connected|grouped|named|called|known|"
    r"respectively|total|altogether|but|while|whereas|or|only)\b"
)


def write_members(sentence: str) -> Iterator[str]:
    """One sentence for each thing of a list that undergoes the same."""
    found = _ALIKE.fullmatch(sentence)
    if found is None or _TOGETHER.search(sentence) or not is_participle(found["verb"]):
        return
    for thing in re.split(r",? and |, ", found["things"]):
        yield f"{thing} {found['be']} {found['verb']}{found['rest'] or ''}."
