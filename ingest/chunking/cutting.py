"""Where a text may be cut, and a long stretch of it cut into pieces of limited length.

A cut comes after white space, best at the end of a paragraph, else of a sentence, a line, a word.
A word that is longer than a piece is cut at a word boundary of UAX 29 (between two ideographs,
say), else between two grapheme clusters. A cluster is never cut: one that is longer than a piece
is a piece.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from spanproof.core.documents.match_views import WHITE_SPACE
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Every white space character; what holds nothing else says nothing.
WHITE = "".join(sorted(WHITE_SPACE))
# A no-break space holds a number and its unit together: it is part of the word.
_BREAKING = "".join(sorted(WHITE_SPACE - frozenset("\xa0\u2007\u202f")))
_PARAGRAPH, _SENTENCE, _LINE, _WORD = 4, 3, 2, 1
# White space behind a cut is looked at this far to tell what ends there.
_LOOK_AHEAD = 64
# What ends a sentence, and what may appear between that and the space.
_ENDING = frozenset(".!?…。！？｡")
_CLOSING = "”’」』）»\"')]"
_LONGEST_CLOSE = 4
_HYPHENS = frozenset("-\xad\u2010")
_LINE_ENDS = frozenset({"\n", "\r\n"})


def cut_span(text: str, span: Span, *, limit: int, overlap: int = 0) -> Iterator[Span]:
    """The span in pieces of at most ``limit`` characters that together cover it.

    Each piece after the first begins up to ``overlap`` characters before the end of the one before,
    at the start of a sentence or else of a word; where none starts there, nothing is repeated.
    """
    start = cut = span.start
    while cut < span.end:
        repeats = overlap and cut > span.start
        start = _start_again(text, start, cut, overlap) if repeats else cut
        end = _find_cut(text, start, cut, start + limit, span.end)
        if end is None and start < cut:
            # Nothing new fits behind what was to be repeated: rather repeat nothing.
            start = cut
            end = _find_cut(text, start, cut, start + limit, span.end)
        if end is None:
            end = _cut_word(text, start, limit, span.end)
        yield Span(start, end)
        cut = end


def _find_cut(text: str, start: int, after: int, most: int, stop: int) -> int | None:
    """The best place to cut in ``(after, most]``; None where a word fills all of it."""
    if most >= stop:
        return stop
    half = max(after, start + (most - start) // 2)
    seen = min(stop, most + _LOOK_AHEAD)
    found = [(_rank(text, match), at) for match, at in _breaks(text, half, most, seen)]
    best = next(
        (at for _, at in sorted(found, reverse=True) if _is_boundary(text, start, at)), None
    )
    if best is not None:
        return best
    early = [at for _, at in _breaks(text, after, half, half)]
    return next((at for at in reversed(early) if _is_boundary(text, start, at)), None)


def _start_again(text: str, floor: int, cut: int, overlap: int) -> int:
    """Where the next piece begins so that it repeats the end of this one, which began at floor."""
    first = max(floor, cut - overlap - 1)
    found = [
        (_rank(text, match) >= _SENTENCE, -at)
        for match, at in _breaks(text, first, cut - 1, cut - 1)
        if cut - overlap <= at and not _is_break(text[at])
    ]
    found.sort(reverse=True)
    known = (-at for _, at in found if _is_boundary(text, floor, -at))
    again = next(known, None)
    if again is None and len(text[floor:cut].split(maxsplit=1)) == 1:
        # Writing without spaces: repeat whole words of it.
        words = _word_bounds(text, max(floor + 1, cut - overlap), cut)
        again = next((at for at in words if at < cut and _is_boundary(text, floor, at)), None)
    return cut if again is None else again


def _breaks(text: str, after: int, most: int, seen: int) -> Iterator[tuple[Any, int]]:
    """What ends in ``(after, most]`` and its place; white space is looked at up to ``seen``."""
    for match in _break_pattern().finditer(text, after, seen):
        start, end = match.span()
        if start > most:
            return
        if (end > most and not _is_break(text[start])) or _is_hyphenated(text, start, end):
            continue
        at = min(end, most)
        if at > after:
            yield match, at


def _is_hyphenated(text: str, start: int, end: int) -> bool:
    """Whether a line's end parts a word at its hyphen: to cut there were to cut the word."""
    return (
        text[max(0, start - 1) : start] in _HYPHENS
        and text[start:end] in _LINE_ENDS
        and text[max(0, start - 2) : start - 1].isalpha()
        and text[end : end + 1].islower()
    )


def _rank(text: str, match: Any) -> int:  # noqa: ANN401 - an untyped library
    start, run = match.start(), match.group()
    if not _is_break(run[0]):
        return _SENTENCE
    if "\f" in run or run.count("\n") > 1 or run.count("\r") > 1:
        return _PARAGRAPH
    if text[max(0, start - _LONGEST_CLOSE) : start].rstrip(_CLOSING)[-1:] in _ENDING:
        return _SENTENCE
    return _LINE if "\n" in run or "\r" in run else _WORD


def _cut_word(text: str, start: int, limit: int, stop: int) -> int:
    """The end of the piece that begins inside, or with, a word that is longer than the limit."""
    ends: list[int] = []
    for match in _cluster_pattern().finditer(text, start):
        if match.end() > min(start + limit, stop):
            break
        ends.append(match.end())
    else:
        return stop
    if not ends:
        return int(match.end())
    half = start + limit // 2
    words = set(_word_bounds(text, half, start + limit))
    return next((end for end in reversed(ends) if end in words), ends[-1])


def _is_boundary(text: str, floor: int, at: int) -> bool:
    """Whether ``at`` parts two grapheme clusters; ``floor`` is a place before it that does."""
    if at <= floor or at >= len(text):
        return True
    before, behind = text[at - 1], text[at]
    if before.isascii() and behind.isascii():
        return (before, behind) != ("\r", "\n")
    for match in _cluster_pattern().finditer(text, floor):
        if match.end() >= at:
            return bool(match.end() == at)
    return True


def _word_bounds(text: str, start: int, end: int) -> Iterator[int]:
    return (match.start() for match in _word_pattern().finditer(text, start, end + 1))


def _is_break(character: str) -> bool:
    return character in _BREAKING


# ``regex`` and not ``re``: clusters and word boundaries as Unicode defines them. It is loaded late:
# a tenth of a second that no other command should pay.
@cache
def _break_pattern() -> Any:  # noqa: ANN401 - an untyped library
    return _compile(rf"[{_BREAKING}]+|[。！？｡]+[”’」』）]*(?![{_BREAKING}])")


@cache
def _cluster_pattern() -> Any:  # noqa: ANN401 - see above
    return _compile(r"\X")


@cache
def _word_pattern() -> Any:  # noqa: ANN401 - see above
    return _compile(r"(?w)\b")


def _compile(pattern: str) -> Any:  # noqa: ANN401 - see above
    import regex

    return regex.compile(pattern)
