"""The pieces of a chunk: stretches of the source, each equal to its part of the chunk.

Lines that follow each other in the text, with nothing but white space or a line-end hyphen between
them there and in the chunk, are one piece. Between two pieces the chunk has a blank. A reader that
writes none between two cells (``12,500.00DIRECTOR``) may set them side by side where no number and
no word can be read out of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import DASHES, WHITE_SPACE, MatchView
from spanproof.core.documents.page_lines import lines_of
from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Candidate
from spanproof.verifier.language.joined_words import may_be_other_word
from spanproof.verifier.language.protected import is_number_character, unfoldable_words
from spanproof.verifier.quotes.folds import judge_folds
from spanproof.verifier.quotes.side_by_side import LINE_END_HYPHENS, first_word, last_word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.documents.document import Extraction

Pieces = tuple[Candidate, ...]
_WHITE = "".join(sorted(WHITE_SPACE))
#: Letters of a word that may stand beside another cell's without a blank.
_LEAST_WORD, _LEAST_WORD_BY_NUMBER = 3, 4
#: Characters of the source outside a chunk that are looked at for such marks.
_MARKS_REACH = 32


@dataclass(slots=True, kw_only=True)
class _Piece:
    """A stretch of the source, and the places of its first and behind its last letter."""

    span: Span
    start: int
    end: int


def judge_pieces(quote: str, extraction: Extraction, lines: Iterable[Span]) -> Pieces:
    """The pieces of a reading of these lines; none where one is not the chunk's own.

    The letters of the lines, one behind the other, are those of the chunk.
    """
    pieces, text = _join_lines(quote, extraction, lines), extraction.text.text
    edge, found = 0, list[Candidate]()
    for at, piece in enumerate(pieces):
        behind = pieces[at + 1].start if at + 1 < len(pieces) else len(quote)
        start, stop = piece.start, piece.end
        # Marks that no view keeps stand with the letters beside them, up to the next blank.
        while start > edge and quote[start - 1] not in WHITE_SPACE:
            start -= 1
        while stop < behind and quote[stop] not in WHITE_SPACE:
            stop += 1
        before = found[-1].span.end if at else max(0, piece.span.start - _MARKS_REACH)
        if not _same_marks(quote[edge:start], text[before : piece.span.start], at_edge=not at):
            return ()
        if at and start == edge and not _may_touch(quote[:start], quote[start:]):
            return ()
        span = _judge(quote[start:stop], extraction, piece.span)
        if span is None:
            return ()
        found.append(Candidate(span=span, doc_hash=extraction.document.doc_hash))
        edge = stop
    last = found[-1].span.end
    same = _same_marks(quote[edge:][::-1], text[last : last + _MARKS_REACH][::-1], at_edge=True)
    return tuple(found) if same else ()


def _same_marks(quote: str, source: str, *, at_edge: bool) -> bool:
    """Whether the dashes between two pieces (cells that hold nothing else) are the source's too.

    At an edge of the chunk the source may have more, farther off.
    """
    wanted = "".join(quote.split())
    parted = at_edge or bool(MatchView.of(source).text)
    if not wanted:
        return parted or DASHES.isdisjoint(source)
    if not set(wanted) <= DASHES or (parted and not at_edge):
        return False
    there = source
    for mark in reversed(wanted):
        there = there.rstrip(_WHITE)
        if there[-1:] != mark:
            return False
        there = there[:-1]
    return at_edge or not there.strip(_WHITE)


def _join_lines(quote: str, extraction: Extraction, lines: Iterable[Span]) -> list[_Piece]:
    text, positions, at = extraction.text.text, MatchView.of(quote).positions, 0
    pieces: list[_Piece] = []
    for line in lines:
        letters = len(MatchView.of(text[line.start : line.end]).text)
        start, end = int(positions[at]), int(positions[at + letters - 1]) + 1
        at += letters
        last = pieces[-1] if pieces else None
        if last is not None and _goes_on(quote[last.end : start], extraction, last.span, line):
            last.span, last.end = Span(last.span.start, line.end), end
        else:
            pieces.append(_Piece(span=line, start=start, end=end))
    return pieces


def _goes_on(between: str, extraction: Extraction, one: Span, other: Span) -> bool:
    """Whether one line goes on in the other, in the text and in the chunk."""
    if not one.end <= other.start:
        return False
    source = extraction.text.text[one.end : other.start]
    if MatchView.of(source).text or not source:
        return False
    hyphen = not LINE_END_HYPHENS.isdisjoint(source)
    blank = any(character in WHITE_SPACE for character in between)
    left = other.start - (len(source) - len(source.rstrip(_WHITE)))
    crossing = lines_of(extraction).find_crossing(extraction, left, other.start)
    return crossing is None and (blank or hyphen)


def _judge(quote: str, extraction: Extraction, span: Span) -> Span | None:
    """The place that is equal to the piece: the span, or with the marks beside it."""
    text, start, end = extraction.text.text, span.start, span.end
    while start and text[start - 1] in DASHES:
        start -= 1
    while end < len(text) and text[end] in DASHES:
        end += 1
    for place in dict.fromkeys((span, Span(span.start, end), Span(start, end))):
        if judge_folds(quote, extraction, place, spacing=extraction.has_geometry).equal:
            return place
    return None


def _may_touch(before: str, after: str) -> bool:
    left, right = before[-1], after[0]
    head, tail = last_word(before[-_reach(before[::-1]) :]), first_word(after[: _reach(after)])
    if is_number_character(left) and is_number_character(right):
        return False
    known = unfoldable_words()
    if is_number_character(left):
        return right.isupper() and len(tail) >= _LEAST_WORD_BY_NUMBER and tail not in known
    if is_number_character(right):
        return left.isalpha() and len(head) >= _LEAST_WORD_BY_NUMBER and head not in known
    if not (left.isalpha() and right.isalpha()):
        return left not in DASHES and right not in DASHES and not {left, right} & set(".,'’/")
    short = min(len(head), len(tail)) < _LEAST_WORD
    other = may_be_other_word(head, tail) or not known.isdisjoint({head, tail, head + tail})
    return right.isupper() and not short and not other


def _reach(text: str) -> int:
    return next((at for at, mark in enumerate(text) if mark in WHITE_SPACE), len(text))
