"""Prose in code: whole lines, comments and strings that state something to whoever reads them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.claims.statements import states_something

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE = re.compile(r"[^\r\n]+")
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:`{3}|~{3})")
#: Marks of a quotation, of a comment, and of an item, before the words of a line.
_LEAD = re.compile(r"[\s>]*(?:(?://+|#+|--+|/\*+|\*+/?|;+|%+|<!--|[-+•]|\d{1,3}[.)])\s+)?")
_TAIL = re.compile(r"\s*(?:\*+/|-->)?\s*$")
#: Words of prose, and the marks between them; a bracket may stand behind a blank.
_PROSE = re.compile(
    r"[\"“'(]?[^\W\d_][^\W_'’-]*(?:['’-][^\W_]+)*"
    r"(?:[,;:.!?\"“”'’)]*[ \t]+[\"“'(\[$€£#]*[^\W_]+(?:[-'’.,/][^\W_]+)*[%\])°]*)+[.!?\"”')\]:]*"
)
_STOPPED = re.compile(r"[.!?][\"”')\]]*$")
_STRING = re.compile(r"\"([^\"\r\n]{8,1000})\"|'([^'\r\n]{8,1000})'")
_MIN_WORDS = 3


def find_code_prose(text: str, code: Span) -> Iterator[Span]:
    """Where lines of the code at ``code`` are prose, in order; a fence is none of them."""
    for match in _LINE.finditer(text, code.start, code.end):
        if not _FENCE.match(match.group()):
            yield from _read_line(text, Span(*match.span()))


def _read_line(text: str, line: Span) -> Iterator[Span]:
    lead = _LEAD.match(text, line.start, line.end)
    start = line.start if lead is None else lead.end()
    tail = _TAIL.search(text, start, line.end)
    end = line.end if tail is None else tail.start()
    if _is_prose(text[start:end]):
        yield Span(start, end)
        return
    for string in _STRING.finditer(text, start, end):
        group = 1 if string[1] is not None else 2
        if _is_prose(string[group]):
            yield Span(*string.span(group))


def _is_prose(words: str) -> bool:
    if len(words) < _MIN_WORDS or not _PROSE.fullmatch(words):
        return False
    if len(words.split()) >= _MIN_WORDS and _STOPPED.search(words):
        return True
    return states_something(words)
