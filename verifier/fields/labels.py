"""Common words as values: ``high`` or ``open`` says little unless the field's label is near."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from spanproof.verifier.fields.words import fold, gather_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from spanproof.verifier.fields.words import Occurrence

#: A label that ends so many code points before the value, or begins so many after it, is near.
LABEL_DISTANCE = 40
#: Confidence of a common word without its label, and of words whose ends the script hides.
CAPPED = 0.5
#: Values that ordinary prose says anyway.
COMMON_WORDS = gather_words(
    "able active all any approved available average bad basic best big black blue central "
    "clear closed cold common complete completed current daily dark default done early east "
    "easy enabled end expert external fair false fast female few final first fixed free full "
    "general global good gray great green grey hard heavy high home hot idle inactive internal "
    "known large last late left less light limited live local long low main major male manual "
    "many medium middle minor mixed mobile moderate monthly more most near negative neutral "
    "new next no none normal north null off old on one open other out own paid partial past "
    "pending personal poor positive possible private public quick rare ready recent red "
    "regular related remote right safe same second short simple single slow small soft some "
    "south special stable standard start strong sure team third top true two unknown up urgent "
    "valid warm weak weekly west white whole work yellow yes young"
)
#: Parts of a field's name that do not say which field it is.
_GENERIC = gather_words(
    "class code field flag grade group id kind label level mode name number rating score state "
    "status type value"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def find_label_words(leaf: str) -> tuple[str, ...]:
    """The words of a field's name that tell it from others; all of them where none does."""
    words = fold(_CAMEL.sub(" ", leaf).replace("_", " ").replace("-", " ")).split()
    telling = [word for word in words if word not in _GENERIC and len(word) > 1]
    return tuple(dict.fromkeys(telling or words))


def is_common(folded_value: str, more: Collection[str] = ()) -> bool:
    """Whether ordinary prose says this word."""
    return folded_value in COMMON_WORDS or folded_value in more


def keep_near(found: Iterable[Occurrence], labels: Sequence[Occurrence]) -> tuple[Occurrence, ...]:
    """The places that have a label within reach before or after them."""
    starts = sorted(label.span.start for label in labels)
    ends = sorted(label.span.end for label in labels)
    return tuple(each for each in found if _is_near(each, starts, ends))


def _is_near(place: Occurrence, starts: Sequence[int], ends: Sequence[int]) -> bool:
    # The last label that ends before the value, and the first that begins after it.
    before = bisect_right(ends, place.span.start)
    after = bisect_left(starts, place.span.end)
    return (before > 0 and ends[before - 1] >= place.span.start - LABEL_DISTANCE) or (
        after < len(starts) and starts[after] <= place.span.end + LABEL_DISTANCE
    )
