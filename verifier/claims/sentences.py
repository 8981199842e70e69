"""Prose → sentences with exact offsets: sentencex where it is right, rules where it is not.

sentencex (Wikimedia) keeps every character and knows abbreviations and decimals. It gets one
paragraph at a time; wrong and missing cuts are corrected here. A table row is one
sentence. Code has no sentences, except lines of prose in it. No cut falls inside an address or
inline code.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spanproof.core.span import Span
from spanproof.verifier.claims.paragraphs import split_paragraphs
from spanproof.verifier.claims.quotation_marks import pair_quotation_marks
from spanproof.verifier.claims.statements import states_something

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanproof.verifier.claims.paragraphs import Paragraph

SentenceKind = Literal["sentence", "heading", "header", "row", "code"]

_WORD = re.compile(r"[^\W_]")
_INLINE_CODE = re.compile(r"(?<!`)(?P<marks>`++)[^`\r\n](?:[^`\r\n]*[^`\r\n])?(?P=marks)(?!`)")
_ADDRESS = re.compile(r"(?:\b(?:https?|ftp)://|\bwww\.)[^\s<>\"“”«»，。、；！？「」]+")
_AFTER_ADDRESS = ".,;:!?)]}'’*_"
#: After these a stop ends no sentence when a digit, a sign or a small letter follows.
_ABBREVIATION = re.compile(
    r"\b(?:a\.k\.a|al|app|approx|art|arts|ca|cf|ch|cl|col|ed|eds|eq|eqs|esp|est|etc|e\.g|i\.e|"
    r"ex|exs|fig|figs|ibid|incl|lit|max|min|no|nos|op|para|paras|pp?|pt|ref|refs|resp|sec|secs|"
    r"sect|seq|tab|vers|viz|vol|vols|vs)\.\s*$",
    re.IGNORECASE,
)
_SECTION_NUMBER = re.compile(r"\d\.\d{1,3}\.\s+$")
_ELLIPSIS = re.compile(r"(?:\.\.\.|…)[\"'”’»)\]]*\s*$")
#: A piece that only counts what follows: "1." or "b)".
_ENUMERATOR = re.compile(r"\s*\(?(?:\d{1,3}|[A-Za-z])[.)]\s*")
_LONGEST_ENUMERATOR = 12
_AFTER_COLON = re.compile(r"[:：]\s+\(?\d{1,2}[.)]\s+$")
_CLOSERS = re.compile(r"[)\]}”»」』）】]+")
_GOES_ON_AFTER = frozenset("$€£¥#(+<≤≥~≈-−")
_QUOTE_ENDS = re.compile(r"[」』]$")
#: After a quotation these go on with the sentence that quotes: particles of Japanese.
_PARTICLES = frozenset("とはがのにをもでやへ、，,って")
_BRACKETED = re.compile(r"\s*\([^()]{1,1000}[.!?…][\"”’]?\)\s+")
_AFTER_QUOTE = re.compile(r"[.。…][”\"»]\s+")
_MARKS = frozenset('"“”„«»「」『』')
#: Characters that sentencex is given at a time: its effort grows with the square of open quotes.
_MAX_WINDOW = 4000
#: Characters before a cut that the rules look at.
_LOOK_BACK = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence, heading or table row; white space at its ends is left out.

    ``header`` is the header row of the table that a row belongs to.
    """

    span: Span
    kind: SentenceKind
    header: Span | None = None


def find_sentences(prose: str, ends: Sequence[int] = ()) -> tuple[Sentence, ...]:
    """The sentences in order, header rows among them, without code and lines without letters.

    ``ends`` are places, in order, at which a sentence ends whatever the rules say.
    """
    found: list[Sentence] = []
    for paragraph in split_paragraphs(prose):
        found.extend(_read(prose, paragraph, ends))
    return tuple(found)


def find_code(prose: str) -> tuple[Span, ...]:
    """Where code stands, fenced and inline, in order."""
    spans: list[Span] = []
    for paragraph in split_paragraphs(prose):
        if paragraph.kind == "code":
            spans.append(paragraph.span)
        else:
            text = prose[paragraph.span.start : paragraph.span.end]
            spans += [
                Span(*match.span()).shift(paragraph.span.start)
                for match in _INLINE_CODE.finditer(text)
            ]
    return tuple(spans)


def _read(prose: str, paragraph: Paragraph, ends: Sequence[int]) -> Iterator[Sentence]:
    if paragraph.kind == "code":
        for span in find_code_prose(prose, paragraph.span):
            yield Sentence(span=span, kind="code")
        return
    kind: SentenceKind = "sentence"
    if paragraph.kind in {"heading", "header", "row"}:
        kind = paragraph.kind
        places: Iterable[Span] = [paragraph.span]
    else:
        places = _cut(prose, paragraph, ends)
    for place in places:
        text = prose[place.start : place.end]
        visible = text.strip()
        if _WORD.search(visible):
            start = place.start + text.index(visible)
            yield Sentence(
                span=Span(start, start + len(visible)), kind=kind, header=paragraph.header
            )


def _cut(prose: str, paragraph: Paragraph, ends: Sequence[int]) -> list[Span]:
    """The pieces of a paragraph; one without a letter ("… [2] .") belongs to the one before."""
    first, last = paragraph.body, paragraph.span.end
    body = prose[first:last]
    forced = (end - first for end in ends[bisect_right(ends, first) : bisect_right(ends, last)])
    edges = sorted({0, *_find_cuts(body), *forced, len(body)})
    pieces: list[Span] = []
    for start, end in itertools.pairwise(edges):
        if pieces and not _WORD.search(body, start, end):
            pieces[-1] = Span(pieces[-1].start, end)
        elif start < end:
            pieces.append(Span(start, end))
    shifted = [piece.shift(first) for piece in pieces]
    if shifted:
        shifted[0] = Span(paragraph.span.start, shifted[0].end)
    return shifted


def _find_cuts(body: str) -> list[int]:
    import sentencex

    quoted = pair_quotation_marks(body)
    closed = {span.end - 1 for span in quoted}
    cuts: set[int] = set()
    for start, window in _split_windows(_hide_marks(body, quoted)):
        position = start
        for piece in sentencex.segment("en", window):
            position += len(piece)
            cuts.add(position)
        # The end of a window is arbitrary and not the end of a sentence.
        cuts.discard(start + len(window))
    cuts |= {
        match.end()
        for match in _AFTER_QUOTE.finditer(body)
        if match.start() + 1 in closed and body[match.end() : match.end() + 1].isupper()
    }
    kept: list[int] = []
    start = 0
    ends = _move_behind_closers(body, cuts, closed) - _find_uncut(body)
    for cut in sorted(ends | {len(body)}):
        for end in (*_cut_behind_brackets(body, start, cut), cut):
            if start < end < len(body) and not _goes_on(body, start, end):
                kept.append(end)
                start = end
    return kept


def _hide_marks(body: str, quoted: Iterable[Span]) -> str:
    """Replaces marks that quote nothing (inches, unclosed ones), which sentencex would pair."""
    if _MARKS.isdisjoint(body):
        return body
    real = {place for span in quoted for place in (span.start, span.end - 1)}
    return "".join(
        "″" if letter in _MARKS and index not in real else letter
        for index, letter in enumerate(body)
    )


def _split_windows(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    while start < len(text):
        end = start + _MAX_WINDOW
        if end < len(text):
            gap = text.rfind(" ", start + 1, end)
            end = gap if gap > 0 else end
        yield start, text[start:end]
        start = end


def _move_behind_closers(body: str, cuts: set[int], closed: set[int]) -> set[int]:
    """Brackets and quotation marks that close a sentence belong to the sentence."""
    moved = set()
    for cut in cuts:
        place = cut
        if 0 < cut < len(body) and not body[cut - 1].isspace():
            closers = _CLOSERS.match(body, cut)
            place = closers.end() if closers else cut
            if place in closed and body[place] == '"':
                place += 1
        moved.add(place)
    return moved


def _cut_behind_brackets(body: str, start: int, end: int) -> Iterator[int]:
    """Sentences that stand in brackets whole end where their brackets close."""
    match = _BRACKETED.match(body, start, end)
    while match is not None and match.end() < end and body[match.end()].isupper():
        yield match.end()
        match = _BRACKETED.match(body, match.end(), end)


def _goes_on(body: str, start: int, cut: int) -> bool:
    """Whether the sentence that began at ``start`` goes on behind the cut."""
    rest = body[cut : cut + 2].lstrip()[:1]
    before = body[max(start, cut - _LOOK_BACK) : cut]
    if rest.islower() and (_SECTION_NUMBER.search(before) or _ELLIPSIS.search(before)):
        return True
    shown = rest.islower() or rest.isdigit() or rest in _GOES_ON_AFTER
    if rest and shown and _ABBREVIATION.search(before):
        return True
    counts = cut - start <= _LONGEST_ENUMERATOR and _ENUMERATOR.fullmatch(body, start, cut)
    if counts or _AFTER_COLON.search(before):
        return True
    return bool(_QUOTE_ENDS.search(before)) and rest in _PARTICLES


def _find_uncut(body: str) -> set[int]:
    """The places that are never cut: inside inline code and addresses."""
    inside: set[int] = set()
    for match in _INLINE_CODE.finditer(body):
        inside.update(range(match.start() + 1, match.end()))
    for match in _ADDRESS.finditer(body):
        end = match.start() + len(match.group().rstrip(_AFTER_ADDRESS))
        inside.update(range(match.start() + 1, end))
    return inside


_LINE = re.compile(r"[^\r\n]+")
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:`{3}|~{3})")
#: Marks of a quotation, of a comment, and of an item, before the words of a line.
_LEAD = re.compile(r"[\s>]*(?:(?://+|#+|--+|/\*+|\*+/?|;+|%+|<!--|[-+•]|\d{1,3}[.)])\s+)?")
_CLOSING = re.compile(r"(?<!\*)\*++/\Z|-->\Z")
#: Words of prose, and the marks between them; a bracket may stand behind a blank.
_PROSE = re.compile(
    r"[\"“'(]?[^\W\d_][^\W_'’-]*(?:['’-][^\W_]+)*"
    r"(?:[,;:.!?\"“”'’)]*[ \t]+[\"“'(\[$€£#]*[^\W_]+(?:[-'’.,/][^\W_]+)*[%\])°]*)+[.!?\"”')\]:]*"
)
_STOPPED = re.compile(r"[.!?][\"”')\]]*$")
_STRING = re.compile(r"\"([^\"\r\n]{8,1000})\"|'([^'\r\n]{8,1000})'")
_MIN_WORDS = 3
_LONGEST_CLOSE = 200


def find_code_prose(text: str, code: Span) -> Iterator[Span]:
    """Where lines of the code at ``code`` are prose, in order; a fence is not prose."""
    for match in _LINE.finditer(text, code.start, code.end):
        if not _FENCE.match(match.group()):
            yield from _read_line(text, Span(*match.span()))


def _read_line(text: str, line: Span) -> Iterator[Span]:
    lead = _LEAD.match(text, line.start, line.end)
    start = line.start if lead is None else lead.end()
    end = start + len(_without_close(text[start : line.end]))
    if _is_prose(text[start:end]):
        yield Span(start, end)
        return
    for string in _STRING.finditer(text, start, end):
        group = 1 if string[1] is not None else 2
        if _is_prose(string[group]):
            yield Span(*string.span(group))


def _without_close(line: str) -> str:
    """Without the mark that ends a comment, and blanks at the end."""
    shown = line.rstrip()
    mark = _CLOSING.search(shown, max(0, len(shown) - _LONGEST_CLOSE))
    return shown if mark is None else shown[: mark.start()].rstrip()


def _is_prose(words: str) -> bool:
    if len(words) < _MIN_WORDS or not _PROSE.fullmatch(words):
        return False
    if len(words.split()) >= _MIN_WORDS and _STOPPED.search(words):
        return True
    return states_something(words)
