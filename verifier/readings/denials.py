"""What a sentence with "no" or "except" says of one thing: prohibited, not allowed, closed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: "No smoking is allowed in the hall": one thing, and nothing that qualifies it.
_NO = re.compile(
    r"No (?P<what>[a-z][\w’'-]*(?: (?:or|and) [a-z][\w’'-]*)?) "
    r"(?P<be>is|are|was|were|will be) (?P<rest>(?:allowed|permitted|tolerated)\b[^,;:]*)"
)
#: "It is open daily except on Mondays".
_OPEN = re.compile(
    r"(?P<what>[^,;:]{1,80}?) (?P<be>is|are|was|were) open\b(?P<when>[^;]*?),? "
    r"(?:except|excluding|apart from|other than|but not)(?: for)? "
    r"(?P<days>(?:(?:on|in|at|during) )?[\w’' ]+?)\.?"
)


def write_denials(sentence: str) -> Iterator[str]:
    """What is denied of a thing, told of the thing."""
    found = _NO.fullmatch(sentence.rstrip(". "))
    if found is not None:
        rest = re.sub("^(?:allowed|permitted|tolerated)", "prohibited", found["rest"])
        yield f"{found['what'].capitalize()} {found['be']} {rest}."
        yield f"{found['what'].capitalize()} {found['be']} not {found['rest']}."
    found = _OPEN.fullmatch(sentence)
    if found is not None:
        yield f"{found['what']} {found['be']} closed {found['days']}."
        yield f"{found['what']} {found['be']} not open {found['days']}."
