"""The ``[n]`` grammar: ``[1]``, ``[1][2]``, ``[1, 2]``; nothing inside code is an anchor."""

from __future__ import annotations

import re

from core.citation import Anchor
from core.span import Span

#: Digits are ASCII: U+0661 is no anchor number. Four digits keep "[20241]" prose.
_ANCHOR = re.compile(r"\[[ \t]*([0-9]{1,4}(?:[ \t]*,[ \t]*[0-9]{1,4})*)[ \t]*\]")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)


def find_anchors(prose: str) -> tuple[Anchor, ...]:
    """Every anchor of the prose in order; ``[1, 2]`` gives two with the bracket's span."""
    code = [match.span() for match in _CODE.finditer(prose)]
    found: list[Anchor] = []
    for match in _ANCHOR.finditer(prose):
        if any(start <= match.start() < end for start, end in code):
            continue
        span = Span(*match.span())
        numbers = dict.fromkeys(int(number) for number in match.group(1).split(","))
        found.extend(Anchor(number=number, span=span) for number in numbers)
    return tuple(found)
