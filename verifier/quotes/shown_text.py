"""The text that a page shows where its fonts tell otherwise: a view, and quotes found in it.

A ligature told as one letter gives "classiied"; the page shows "classified". A quote of what the
page shows is found there, with the fold ``shown_glyphs``. Its span has the code LOST_GLYPHS, so a
person looks at it.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spanproof.core.span import Span
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.core.verdicts.verdict import Candidate, Existence

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

SHOWN_GLYPHS = "shown_glyphs"
# A quote at more places than these is ambiguous all the same.
_MOST = 20


class _View:
    """The shown text, white space as one space, and where each of its characters comes from."""

    def __init__(self, extraction: Extraction) -> None:
        text, done = extraction.text.text, 0
        out: list[str] = []
        #: The canonical start and end of each character.
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.places: list[Span] = []
        for one in sorted(extraction.glyph_texts, key=lambda found: found.span.start):
            if one.span.start < done or not len(one.span):
                continue
            self._add(out, text[done : one.span.start], done)
            shown = unicodedata.normalize("NFKC", one.glyphs)
            out.append(shown)
            self.starts += [one.span.start] * len(shown)
            self.ends += [one.span.end] * len(shown)
            self.places.append(one.span)
            done = one.span.end
        self._add(out, text[done:], done)
        self.text = "".join(out)

    def _add(self, out: list[str], text: str, start: int) -> None:
        for index, character in enumerate(text, start=start):
            if character.isspace() and self.ends and out[-1].endswith(" "):
                self.ends[-1] = index + 1
                continue
            plain = " " if character.isspace() else _plain(character)
            out.append(plain)
            self.starts += [index] * len(plain)
            self.ends += [index + 1] * len(plain)

    def holds_shown(self, span: Span) -> bool:
        """Whether a glyph that is told otherwise lies in the span."""
        first = bisect_right(self.places, span.start, key=lambda place: place.end)
        return first < len(self.places) and self.places[first].start < span.end


_VIEWS: WeakKeyDictionary[Extraction, _View] = WeakKeyDictionary()


def find_shown(
    quote: str, span: Span | None, cited: Extraction, *, given: bool
) -> Existence | None:
    """The quote's place in what the pages show; None where that is what the text says.

    ``span`` is the place that the citation gives, ``given`` whether it gives any.
    """
    if not any(len(one.span) for one in cited.glyph_texts):
        return None
    if cited not in _VIEWS:
        _VIEWS[cited] = _View(cited)
    view = _VIEWS[cited]
    wanted = "".join(map(_plain, " ".join(quote.split())))
    found: list[Span] = []
    at = view.text.find(wanted) if wanted else -1
    while at >= 0 and len(found) < _MOST:
        place = Span(view.starts[at], view.ends[at + len(wanted) - 1])
        if view.holds_shown(place):
            found.append(place)
        at = view.text.find(wanted, at + 1)
    folds = (SHOWN_GLYPHS,)
    if not found:
        return None
    if span in found or (len(found) == 1 and not given):
        place = span if span is not None and span in found else found[0]
        return Existence(status=ExistenceStatus.FOLD_EQUAL, span=place, folds=folds)
    if len(found) == 1:
        return Existence(status=ExistenceStatus.MOVED, span=found[0], folds=folds)
    own = cited.document.doc_hash
    places = tuple(Candidate(span=one, doc_hash=own, folds=folds) for one in found)
    return Existence(status=ExistenceStatus.AMBIGUOUS, candidates=places)


def _plain(character: str) -> str:
    """A ligature's letters; any other character as it is."""
    decomposed = unicodedata.decomposition(character)
    is_ligature = decomposed.startswith("<compat>") and character.isalpha()
    return unicodedata.normalize("NFKC", character) if is_ligature else character
