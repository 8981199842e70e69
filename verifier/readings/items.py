"""Each item of a list as one sentence with the line that leads in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK = re.compile(
    r"\s*(?:(?:and|or) (?=\())?(?:[-*•–‣▪]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+(?=\S)"
)
#: "(a) damage by water; (b) wear": items on the line that leads in.
_INLINE = re.compile(r"(?<=[:;,]) (?=(?:and |or )?\((?:\d{1,2}|[a-z]|[ivx]{1,4})\) )|(?<=: )(?=- )")
_FOLLOWING = re.compile(
    r"\b(?:(?:all|each|every one) of )?the following"
    r"(?:(?: [a-z]+)??(?= (?:is|are|was|were|must|may|can|cannot|shall|should|will|"
    r"do|does|apply|applies|count|counts|have|has)\b)|"
    r"(?: [a-z]+){0,2}$)",
    re.IGNORECASE,
)
#: Of such a list not each item holds, or not by itself.
_CHOICE = re.compile(
    r"\b(?:one of|any of|either|at least|at most|some of|two of|three of|or|unless|if|when|where|"
    r"most of|choose|select|not all|example|exceptions?|except|only|total|together|both)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|never|no|cannot|prohibited|forbidden|without)\b", re.IGNORECASE)
_JOINT = re.compile(r"[;,]?\s*\b(and|or)\s*$|[;,.]\s*$", re.IGNORECASE)
#: A line that leads in is short, and so is a list.
_MAX_LEAD, _MAX_ITEMS = 300, 60


def write_items(lines: str) -> Iterator[str]:
    """The line that leads in with each of its items; none of a list of choices."""
    lead, items = "", list[str]()
    for line in [*_INLINE.sub("\n", lines).splitlines(), "", "."]:
        mark = _MARK.match(line)
        if mark is not None:
            items.append(line[mark.end() :].strip())
        elif items and line[:1].islower():
            items[-1] += f" {line.strip()}"
        elif items:
            if not line.strip():
                continue
            yield from _join(lead, items)
            lead, items = line.strip(), []
        elif line.strip():
            lead = f"{lead} {line.strip()}" if lead[-1:] not in {"", ".", ":"} else line.strip()


def _join(lead: str, items: list[str]) -> Iterator[str]:
    if not lead.endswith(":") or len(lead) > _MAX_LEAD or not 0 < len(items) <= _MAX_ITEMS:
        return
    joints = [_JOINT.search(item) for item in items]
    ends_in_or = any(j is not None and (j[1] or "").lower() == "or" for j in joints)
    # "Must not: climb, or swim" forbids each.
    if _CHOICE.search(lead) or (ends_in_or and not _DENIED.search(lead)):
        return
    text = re.split(r"(?<=[.!?])\s+", lead.removesuffix(":").strip())[-1]
    following = _FOLLOWING.search(text)
    for item, joint in zip(items, joints, strict=True):
        words = item if joint is None else item[: joint.start()]
        if following is None:
            yield f"{text} {words}."
        else:
            yield f"{text[: following.start()]}{words}{text[following.end() :]}."
