"""Editorial quotes: the source's words with the edits that writing makes, each of them listed.

Allowed are, and nothing else: an end stop that the source lacks or has otherwise, the first
letter's case, wrapping quotation marks, an ellipsis for words left out, emphasis and links of
Markdown, the mark or numeral of a list item that has none in the source, and a reference mark
(``[12]``, ``¹²``) of the source left out. ``(12)`` and ``[Smith 2020]`` may be an amount or a name:
they stay. None may touch a protected token: words left out neither deny nor limit, and are no part
of an amount or a name that stays (``left_out``), a first letter is not that of such a word or of a
name, and no edge cuts a number. Brackets that add words are no such edit. The words between the
edits must be the source's own under the folds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spanproof.core.documents.match_views import MatchView
from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Difference, Edit
from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.language.protected import unfoldable_words
from spanproof.verifier.quotes.baselines import without_shifted
from spanproof.verifier.quotes.cuts import cuts_token
from spanproof.verifier.quotes.edited.left_out import loses_number, may_leave_out
from spanproof.verifier.quotes.edited.marks import RemovedMarks, count_letters, strip_marks
from spanproof.verifier.quotes.folds import judge_folds
from spanproof.verifier.quotes.places import find_places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.document import Extraction

#: A longer quote is no sentence or two that somebody wrote down.
MOST_CHARACTERS = 5_000
#: Words of each stretch beside an ellipsis, stretches, and characters that one may leave out.
_LEAST_WORDS, _MOST_STRETCHES, _MOST_LEFT_OUT = 3, 8, 1_000
#: Characters before a place that are looked at.
_LOOK = 8
#: Places of a stretch that are looked at.
_MOST_PLACES = 16
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:…|\.{3})\s*\]|\(\s*(?:…|\.{3})\s*\)|…|\.{3})\s*")
#: Such a mark of the source's own, behind which another numeral would be a change.
_OWN_NUMERAL = re.compile(r"\w[.)][ \t\u00a0]*$")
_MARK = r"\d{1,3}(?:\s?[,–-]\s?\d{1,3})*"
#: "[12]"; or "¹²" behind a stop or a word that is no unit.
_REFERENCE = re.compile(
    rf"[ \u00a0]?\[{_MARK}\]"
    r"|(?:(?<=[^\W\d_][.,;:!?”’\"])|(?<=[^\W\d_]{5}))[⁰¹²³⁴-⁹]{1,3}(?:[,⁻–][⁰¹²³⁴-⁹]{1,3})*(?!\w)"
)
_RAISED_UNIT = re.compile(r"(?:met(?:re|er)|inche|mile|yard|acre)s?$", re.IGNORECASE)
_STOPS = ".,;:"
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
#: "3.1", "2)", "(a)", "•" alone before a place of its line: a sentence or an item begins there.
_ITEM_HEAD = re.compile(
    r"[ \t]*(?:[-*+•–]|\d{1,3}(?:\.\d{1,3})+[.)]?|\d{1,3}[.)]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})\))"
    r"[ \t\u00a0]+"
)


_MARKS: WeakKeyDictionary[Extraction, tuple[tuple[int, int], ...]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """One place of one stretch of the quote, and the edits there."""

    span: Span
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A place of the quote, and what was edited."""

    span: Span
    difference: Difference


def find_edited(quote: str, extraction: Extraction) -> tuple[Edited, ...]:
    """The places of the quote but for editorial edits; empty where it takes more, or none."""
    if len(quote) > MOST_CHARACTERS:
        return ()
    plain, removed = strip_marks(quote)
    stretches = [part for part in _ELLIPSIS.split(plain) if part.strip()]
    cut = len(stretches) > 1
    if not stretches or len(stretches) > _MOST_STRETCHES:
        return ()
    if cut and any(len(_WORD.findall(part)) < _LEAST_WORDS for part in stretches):
        return ()
    found = [
        list(_find_stretch(part, extraction, first=at == 0, last=at == len(stretches) - 1))
        for at, part in enumerate(stretches)
    ]
    numbered = any(mark.kind == "list_numeral" for mark in removed)
    ways = [
        way
        for first in found[0]
        if not (numbered and _has_numeral(extraction.text.text, first.span.start))
        and (way := _go_on(first, found[1:], extraction))
    ]
    edited = {way[0].span.start: _to_edited(way, removed, extraction) for way in ways}
    return tuple(each for each in edited.values() if each.difference.edits)


def _has_numeral(source: str, start: int) -> bool:
    line = source[max(0, start - _LOOK) : start].rpartition("\n")[2]
    return _OWN_NUMERAL.search(line) is not None


def _find_stretch(
    part: str, extraction: Extraction, *, first: bool, last: bool
) -> Iterator[_Stretch]:
    """Places of a stretch as it is, then without its stop, then with the other first letter."""
    bare = part.rstrip(_STOPS)
    for words in dict.fromkeys((part, bare) if last and count_letters(bare) else (part,)):
        turned = words[0].swapcase() + words[1:]
        for text in (words, turned) if first and len(turned) == len(words) else (words,):
            places = list(_stand(text, extraction))
            for span, found in places:
                source, start, end = extraction.text.text, span.start, span.end
                if cuts_token(*without_shifted(extraction, span)):
                    continue
                edits = list(found)
                if text != words:
                    if not _may_turn(words, source, start):
                        continue
                    edits.insert(0, _edit("first_letter", words[0], source, start, start + 1))
                if words != part:
                    if loses_number(words, source, end):
                        continue
                    has = end + (source[end : end + 1] in tuple(_STOPS))
                    edits.append(_edit("end_stop", part[len(words) :], source, end, has))
                yield _Stretch(span=span, edits=tuple(edits))
            if places:
                return


def _stand(words: str, extraction: Extraction) -> Iterator[tuple[Span, tuple[Edit, ...]]]:
    for place in find_places(words, extraction).all[:_MOST_PLACES]:
        if not {"spacing", "row_joined"} & set(place.folds):
            yield place.span, ()
    text, letters = extraction.text.text, MatchView.of(words)
    marks = _marks_of(extraction)
    if not marks or not letters.text:
        return
    # The text without its reference marks, and the way back.
    edges = [0, *(edge for mark in marks for edge in mark), len(text)]
    kept = list(zip(edges[::2], edges[1::2], strict=True))
    views = [(start, MatchView.of(text[start:end])) for start, end in kept]
    joined = "".join(view.text for _, view in views)
    at = joined.find(letters.text)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        parts = list(_parts(views, at, at + len(letters.text)))
        if len(parts) > 1 and _same_words(words, letters, parts, extraction):
            gaps = [(one.end, other.start) for one, other in pairwise(parts)]
            edits = tuple(_edit("reference_mark", "", text, *gap) for gap in gaps)
            yield Span(parts[0].start, parts[-1].end), edits
        at = joined.find(letters.text, at + 1)


def _marks_of(extraction: Extraction) -> tuple[tuple[int, int], ...]:
    """Where the reference marks of the source are; looked for once while the extraction lives."""
    marks = _MARKS.get(extraction)
    if marks is None:
        text = extraction.text.text
        found = (m.span() for m in _REFERENCE.finditer(text) if not _is_unit(text, m))
        marks = _MARKS[extraction] = tuple(found)
    return marks


def _is_unit(text: str, mark: re.Match[str]) -> bool:
    """Whether a raised figure is a unit's: "square metres" written ``metres²``."""
    start = mark.start()
    return text[start] not in " \u00a0[" and bool(
        _RAISED_UNIT.search(text, max(0, start - _LOOK), start)
    )


def _parts(views: list[tuple[int, MatchView]], low: int, high: int) -> Iterator[Span]:
    passed = 0
    for start, view in views:
        first, last = max(low - passed, 0), min(high - passed, len(view.text))
        if first < last:
            yield view.span_of(first, last).shift(start)
        passed += len(view.text)


def _same_words(words: str, letters: MatchView, parts: list[Span], extraction: Extraction) -> bool:
    at = edge = 0
    for part in parts:
        end = at + len(MatchView.of(extraction.text.slice(part)).text)
        start, stop = int(letters.positions[at]), int(letters.positions[end - 1]) + 1
        glued = at and start == edge and words[start].isalnum() and words[start - 1].isalnum()
        if glued or words[edge:start].strip():
            return False
        if not judge_folds(words[start:stop], extraction, part).equal:
            return False
        at, edge = end, stop
    return not words[edge:].strip()


def _may_turn(words: str, source: str, start: int) -> bool:
    """Whether the first letter's case is the writer's choice: no name, no protected word."""
    match = _WORD.match(words)
    word = "" if match is None else match[0]
    plain = word.lower().replace("’", "'")
    known = plain in unfoldable_words() or plain in lexicon_of("en").months
    if not word[1:].islower() or known:
        return len(word) == 1 and plain == "a"
    # A capital of the source inside its sentence is a name's.
    before = source[max(0, start - 4) : start].rstrip()
    opens = not before or before[-1] in ".!?•“\"'" or "\n\n" in source[max(0, start - 3) : start]
    line = source[source.rfind("\n", 0, start) + 1 : start]
    return source[start].islower() or opens or _ITEM_HEAD.fullmatch(line) is not None


def _go_on(
    first: _Stretch, others: list[list[_Stretch]], extraction: Extraction
) -> tuple[_Stretch, ...]:
    """The nearest place of each further stretch behind the one before; empty without one."""
    way = [first]
    for places in others:
        end = way[-1].span.end
        near = [each for each in places if end <= each.span.start <= end + _MOST_LEFT_OUT]
        if not near:
            return ()
        chosen = min(near, key=lambda each: each.span.start)
        if not may_leave_out(extraction.text.text, end, chosen.span.start):
            return ()
        way.append(chosen)
    return tuple(way)


def _to_edited(
    way: tuple[_Stretch, ...], removed: list[RemovedMarks], extraction: Extraction
) -> Edited:
    source = extraction.text.text
    span = Span(way[0].span.start, way[-1].span.end)
    gaps = [
        _edit("ellipsis", "…", source, one.span.end, other.span.start)
        for one, other in pairwise(way)
    ]
    at = [i for each in way for i in range(each.span.start, each.span.end) if source[i].isalnum()]
    marks = []
    for each in removed:
        place = at[each.letters] if each.letters < len(at) else span.end
        marks.append(_edit(each.kind, each.marks, source, place, place))
    edits = [*marks, *gaps, *(edit for each in way for edit in each.edits)]
    ordered = tuple(sorted(edits, key=lambda edit: edit.span))
    return Edited(
        span=span, difference=Difference(source=source[span.start : span.end], edits=ordered)
    )


def _edit(kind: str, quote: str, source: str, start: int, end: int) -> Edit:
    span = Span(start, end)
    return Edit(kind=kind, quote=quote, source=source[start:end], span=span, protected=False)
