"""Common words as values: ``high`` or ``open`` says little unless the field's label is near."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verifier.fields.words import fold, gather_words, is_word_character

if TYPE_CHECKING:
    from collections.abc import Collection

    from core.span import Span
    from verifier.fields.words import FoldedText

#: A label this many code points before or after the value is near it.
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


def has_label_near(prose: FoldedText, span: Span, labels: Collection[str]) -> bool:
    """Whether one of the folded labels stands whole within reach, beside the value."""
    # The window is cut at words: half a word at its edge is not a word of the prose.
    before = prose.text[_snap_start(prose.text, span.start) : span.start]
    after = prose.text[span.end : _snap_end(prose.text, span.end)]
    sides = [type(prose).of(before), type(prose).of(after)]
    return any(next(side.find(label), None) is not None for side in sides for label in labels)


def _snap_start(text: str, place: int) -> int:
    start = max(0, place - LABEL_DISTANCE)
    while (
        0 < start < place and is_word_character(text[start]) and is_word_character(text[start - 1])
    ):
        start += 1
    return start


def _snap_end(text: str, place: int) -> int:
    end = min(len(text), place + LABEL_DISTANCE)
    while (
        place < end < len(text)
        and is_word_character(text[end])
        and is_word_character(text[end - 1])
    ):
        end -= 1
    return end
