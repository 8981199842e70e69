"""Two alternatives of one message: the words of one that a reader of the other does not see."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from spanproof.core.documents.layout import CharFlag
from spanproof.ingest.elements.inline import Mark
from spanproof.ingest.elements.styles.seen import UNSEEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.ingest.elements.piece import Piece

_WORD = re.compile(r"\w+")
# Longer alternatives are compared word by word without their order.
_MOST_WORDS = 8_000


def mark_unshown(plain: Sequence[Piece], shown: Sequence[Piece]) -> list[Piece]:
    """The plain pieces, with marks on words that differ from those of the pieces that are shown.

    Where the shown ones have words that the plain ones lack, their neighbours are marked.
    """
    words = [
        (index, found.start(), found.end(), found.group().casefold())
        for index, piece in enumerate(plain)
        for found in _WORD.finditer(piece.text)
    ]
    differing = _find_differing([word for *_, word in words], list(_shown_words(shown)))
    marks: dict[int, list[Mark]] = {}
    for place in sorted(differing):
        index, start, end, _ = words[place]
        marks.setdefault(index, []).append(Mark(start, end, UNSEEN))
    return [
        replace(piece, marks=(*piece.marks, *marks.get(index, ())))
        for index, piece in enumerate(plain)
    ]


def _shown_words(pieces: Sequence[Piece]) -> Iterator[str]:
    for piece in pieces:
        hidden = [mark for mark in piece.marks if mark.flags & CharFlag.INVISIBLE]
        for found in _WORD.finditer(piece.text):
            if not any(mark.start <= found.start() < mark.end for mark in hidden):
                yield found.group().casefold()
        yield from _shown_words(piece.inner)


def _find_differing(plain: list[str], shown: list[str]) -> set[int]:
    if max(len(plain), len(shown)) > _MOST_WORDS:
        known = set(shown)
        return {place for place, word in enumerate(plain) if word not in known}
    found: set[int] = set()
    for kind, start, end, _, _ in SequenceMatcher(None, plain, shown).get_opcodes():
        if kind in {"replace", "delete"}:
            found.update(range(start, end))
        elif kind == "insert":
            found.update(place for place in (start - 1, start) if 0 <= place < len(plain))
    return found
