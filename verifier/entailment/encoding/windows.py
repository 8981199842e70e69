"""Cut a premise's tokens into overlapping windows that together hold every one of them.

Cuts fall where a word begins, a next window preferably where a sentence does, so that no window
shows half a number; only a "word" longer than the overlap is cut inside.
"""

from __future__ import annotations

import bisect
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

#: A break in the text after which a sentence, list item or line begins.
_SENTENCE_BREAK = re.compile(r"(?<=[.!?;:])[\"'”’)\]]*\s+|\n+")

Window = tuple[int, int]


def plan_windows(
    text: str, offsets: Sequence[tuple[int, int]], *, size: int, overlap: int
) -> list[Window]:
    """Half-open ranges of token indexes, in order: at most ``size`` long, neighbours overlapping.

    ``offsets`` are the tokens' code points in ``text``. Needs ``size > 2 * overlap``, which makes
    each window reach further than the one before.
    """
    count = len(offsets)
    if count <= size:
        return [(0, count)] if count else []
    words = _find_word_starts(text, offsets)
    sentences = _find_sentence_starts(text, offsets)
    windows: list[Window] = []
    start = 0
    while True:
        if start + size >= count:
            windows.append((start, count))
            return windows
        end = _last_within(words, start + size - overlap // 2, start + size) or start + size
        windows.append((start, end))
        latest, earliest = end - overlap, max(start + 1, end - 2 * overlap)
        start = (
            _last_within(sentences, earliest, latest)
            or _last_within(words, earliest, latest)
            or max(latest, start + 1)
        )


def _find_word_starts(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    return [
        index for index, (start, _) in enumerate(offsets) if start == 0 or text[start - 1].isspace()
    ]


def _find_sentence_starts(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    starts = [start for start, _ in offsets]
    found = {
        bisect.bisect_left(starts, match.end()) for match in _SENTENCE_BREAK.finditer(text)
    } - {len(starts)}
    return sorted(found)


def _last_within(indexes: Sequence[int], low: int, high: int) -> int | None:
    """The greatest of the sorted indexes in ``[low, high]``; index 0 is never a cut."""
    place = bisect.bisect_right(indexes, high) - 1
    if place < 0 or indexes[place] < max(low, 1):
        return None
    return indexes[place]
