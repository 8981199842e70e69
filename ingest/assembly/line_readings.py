"""What a recogniser read of a line, fitted to the line's text: what its lost glyphs show.

A reading counts only where all letters and digits that the text does know are in it, equal and in
order. Then what stands in the place of the lost glyphs (U+FFFD) is taken from it, if that place is
certain and the reading is of a kind that recognisers get right.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import QUOTE_MARKS
from spanproof.ingest.assembly.actual_text import Painted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOST = "\ufffd"
#: How a line's reading is fitted: part of every pipeline that does.
LINE_READINGS = "lost-lines-1"
# Known letters and digits that a reading must agree with; never fewer than the glyphs it tells.
_FEWEST_KNOWN = 4
# Signs that one glyph at a letter or digit may be; others are bullets, arrows and symbols misread.
_SIGNS = frozenset("-'%$€£")
# What a table's rules look like to a recogniser; beside a letter it may be a letter itself.
_RULES = frozenset("|_")
# Leaders, which are read as signs, digits and letters.
_NOISE = re.compile(r"[\W_]{3}|([^\W\d_])\1{3}")


def may_be_fitted(cells: Sequence[str]) -> bool:
    """Whether a line has lost glyphs, and enough known letters and digits to check a reading by."""
    lost = sum(cell == LOST for cell in cells)
    return 0 < lost <= len(known := _letters("".join(cells))) and len(known) >= _FEWEST_KNOWN


def fit_reading(cells: Sequence[str], reading: str) -> list[Painted]:
    """The places of a line with lost glyphs, and what the reading has there.

    ``cells`` are the line's characters, each as the page shows it, U+FFFD where that is lost.
    """
    groups = list(_find_groups(cells))
    if not groups or not may_be_fitted(cells):
        return []
    read = unicodedata.normalize("NFKC", reading)
    at = [index for index, character in enumerate(read) if character.isalnum()]
    gaps = _align([group.before for group in groups], groups[-1].behind, _letters(read))
    found = []
    for group, (first, last) in zip(groups, gaps, strict=False):
        between = read[at[first - 1] + 1 if first else 0 : at[last] if last < len(at) else None]
        glyphs = _judge(group, between)
        if glyphs:
            found.append(Painted(start=group.start, end=group.end, glyphs=glyphs, differs=False))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Lost glyphs with no letter or digit between them: characters ``[start, end)`` of the line.

    ``before`` and ``behind`` are the letters and digits up to the groups beside it. The other
    texts are what stands between those and the lost glyphs, and among the lost glyphs.
    """

    start: int
    end: int
    before: str
    behind: str
    left: str
    right: str
    among: str
    count: int


def _find_groups(cells: Sequence[str]) -> Iterator[_Group]:
    known = [LOST if cell == LOST else unicodedata.normalize("NFKC", cell) for cell in cells]
    runs: list[list[int]] = []
    for index, cell in enumerate(known):
        if cell != LOST:
            continue
        if not runs or _letters("".join(known[runs[-1][-1] : index])):
            runs.append([])
        runs[-1].append(index)
    ends = [0, *(run[-1] + 1 for run in runs)]
    starts = [*(run[0] for run in runs), len(known)]
    texts = ["".join(known[end:start]) for end, start in zip(ends, starts, strict=True)]
    for run, left, right in zip(runs, texts, texts[1:], strict=False):
        yield _Group(
            start=run[0],
            end=run[-1] + 1,
            before=_letters(left),
            behind=_letters(right),
            left=left,
            right=right,
            among="".join(known[run[0] : run[-1] + 1]),
            count=len(run),
        )


def _align(before: Sequence[str], behind: str, letters: str) -> list[tuple[int, int]]:
    """Where each group stands among the letters read; nothing where that is not certain.

    The known stretches are looked for from the left and from the right: there is one way only
    where both find the same places.
    """
    end = len(letters) - len(behind)
    if not letters.startswith(before[0]) or not letters.endswith(behind):
        return []
    left, right = [(0, len(before[0]))], [(end, len(letters))]
    for part in before[1:]:
        at = letters.find(part, left[-1][1])
        if at < 0:
            return []
        left.append((at, at + len(part)))
    for part in reversed(before[1:]):
        at = letters.rfind(part, 0, right[-1][0])
        if at < 0:
            return []
        right.append((at, at + len(part)))
    left.append((end, len(letters)))
    right.append((0, len(before[0])))
    right.reverse()
    if left != right or left[-2][1] > end:
        return []
    return [(one[1], two[0]) for one, two in pairwise(left)]


def _judge(group: _Group, between: str) -> str:
    """What the lost glyphs show by what was read between their known letters; "" for nothing."""
    left, right = _tail(group.left), _head(group.right)
    read = _strip(_strip(_fold(between), _marks(left))[::-1], _marks(right)[::-1])[::-1]
    if not _holds(read, _marks(group.among)):
        return ""
    words = [word for word in read.split() if not _RULES.issuperset(word)]
    if any(_RULES.intersection(word) or _NOISE.search(word) for word in words):
        return ""
    if group.count == 1:
        return _judge_one(group, "".join(words), is_blank=read.isspace())
    shown = " ".join(word if _letters(word) else LOST for word in words)
    size = sum(len(word) for word in words)
    if not _letters(shown) or not group.count / 2 <= size <= 2 * group.count + 1:
        return ""
    # White space may be among the lost glyphs.
    before = " " if read[:1].isspace() and group.left[-1:].isalnum() else ""
    behind = " " if read[-1:].isspace() and group.right[:1].isalnum() else ""
    return before + shown + behind


def _judge_one(group: _Group, word: str, *, is_blank: bool) -> str:
    """A single glyph is read as part of a word: by itself it is a bullet or a symbol."""
    sides = _count_letters(group.left[::-1]), _count_letters(group.right)
    beside = max(sides)
    if not word and all(sides):
        return " " if is_blank else ""
    if word in _SIGNS:
        return word if beside else ""
    # A single letter in a short word may be a symbol ("µg") that the recogniser has no sign for.
    enough = beside >= (2 if len(word) == 1 else 1)
    return word if enough and word.isalnum() and len(word) <= 3 else ""


def _letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text) if c.isalnum())


def _count_letters(text: str) -> int:
    """How many letters and digits a text begins with."""
    return next((i for i, character in enumerate(text) if not character.isalnum()), len(text))


def _head(text: str) -> str:
    """What stands before the first letter or digit."""
    at = (index for index, character in enumerate(text) if character.isalnum())
    return text[: next(at, len(text))]


def _tail(text: str) -> str:
    return _head(text[::-1])[::-1]


def _fold(text: str) -> str:
    return "".join(
        "-" if unicodedata.category(c) == "Pd" or c == "\u2212" else QUOTE_MARKS.get(c, c)
        for c in text
    )


def _marks(text: str) -> str:
    return "".join(c for c in _fold(text) if not c.isspace() and c != LOST)


def _strip(text: str, marks: str) -> str:
    """A text without the marks that it begins with; without any text where it does not."""
    for mark in marks:
        text = text.lstrip()
        if not text.startswith(mark):
            return ""
        text = text[1:]
    return text


def _holds(text: str, marks: str) -> bool:
    """Whether the marks are in the text, in their order."""
    rest = iter(text)
    return all(mark in rest for mark in marks)
