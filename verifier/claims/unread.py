r"""Marks that a reader takes for citations and that the native format does not read.

"[1–3]" and "[1; 2]" are anchors; "[Source 1]", "[^1]", "¹", "【1】", "\[1\]", "[00001]" or a mark
in code are not: a reader takes them for citations that were checked. Some marks are as often
something else (a number in round brackets, an exponent, a letter). They count only at the end of a
statement, and only if the answer has a citation of that number.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.claims.sentences import find_code, find_sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from spanproof.core.citation import Answer

#: Characters that no reader sees.
INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_UNSEEN = re.compile(rf"[{INVISIBLE}\\*_^#]")
_OPEN, _CLOSE = "［【〔〖⟦❲⁅", "］】〕〗⟧❳⁆"
_SQUARE = re.compile(
    rf"\\?(?:[\[{_OPEN}]|&#91;|&lbrack;|&lsqb;)"
    rf"(?P<inside>[^\[\]{_OPEN}{_CLOSE}\r\n]{{1,80}}?)"
    rf"(?:[\]{_CLOSE}]|&#93;|&rbrack;|&rsqb;)"
)
_ROUND = re.compile(r"[(（](?P<inside>[^()（）\r\n]{1,80})[)）]")
_NUMBERS = r"\d{1,9}(?:\s*(?:[,;/&+\-‐‑–—−~]|and|to|\.\.)\s*[#^]?\d{1,9})*"
_WORD = (
    r"(?:sources?|src|refs?|references?|cite[sd]?|citations?|docs?|documents?|footnotes?|fn|chunks?"
    r"|passages?|contexts?|snippets?|quelle|fuente|fonte)"
)
#: The inside of square brackets: numbers, a word for a source with a number or a name, a page.
_CITES = re.compile(
    rf"(?:(?:see|cf\.?)\s+)?(?:(?:{_WORD}|notes?|nr|no|[sd])[\s.:№_-]*)?{_NUMBERS}[a-z]?"
    r"(?:\s*[,:;]?\s*(?:pp?|pages?|s|§|sec|lines?|l)\.?\s*\d+(?:\s*[-–]\s*\d+)?)?(?:†.*)?"
    rf"|(?:{_WORD}|see)\s*:\s*\S.*|@[\w:.-]+(?:[;,]\s*@[\w:.-]+)*"
    r"|\S.*[\s,](?:pp?\.|pages?|§)\s*\d+(?:\s*[-–]\s*\d+)?",
    re.IGNORECASE,
)
#: In round brackets a word for a source is needed, or a number at the end of a statement.
_NAMES_SOURCE = re.compile(
    rf"(?:(?:see|cf\.?)\s+)?{_WORD}[\s.:№_-]*{_NUMBERS}(?:\s*,\s*(?:pp?|pages?)\.?\s*\d+)?"
    rf"|{_WORD}\s*:\s*\S.*",
    re.IGNORECASE,
)
_ONLY_NUMBERS = re.compile(_NUMBERS)
_NUMBER = re.compile(r"\d+")
_SYMBOL = re.compile(r"[ivx]{1,5}|[a-z]|\*{1,3}|[†‡§¶]{1,2}", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d(?:\s*[-–—]\s*(?:1[5-9]|20|21)?\d\d)?")
_TIME = re.compile(r"\d{1,2}:\d{2}")
_SUPERSCRIPT = re.compile(r"⁽?[⁰¹²³⁴-⁹](?:[⁰¹²³⁴-⁹⁻,’·–-]{0,12}[⁰¹²³⁴-⁹])?⁾?")
_RAISED = re.compile(
    r"<sup\b[^<>]{0,80}>\s*\[?(?P<inside>\d{1,4})\]?\s*</sup>|\$?\^\{?(?P<caret>\d{1,3})\}?\^?\$?",
    re.IGNORECASE,
)
_CIRCLED = re.compile(r"[①-⑳⑴-⑽❶-❿➀-➓]|[†‡]")
_COMMAND = re.compile(
    r"\\(?:cite\w{0,12}|footnote\w{0,8})\{[^{}\r\n]{1,80}\}|<(?:ref|cite)\b[^<>]{0,80}>"
)
#: What ends a statement behind a mark.
_ENDS = re.compile(r"[\s*_]*(?:[.;!?。！？]|$|[\r\n])")
_STOPPED = re.compile(r"[.!?。！？][\"'”’)*_]*\s*$")
_FIRST = re.compile(r"(?:^|[\r\n])[ \t>]*$")
_DEFINED = re.compile(r":(?=\s|$)")
#: "(1) …" at the beginning of a line or behind a colon: the numbers after it go on counting.
_FIRST_COUNTED = re.compile(r"(?:^|[\r\n:])[ \t>*-]*\(1\)[ \t]+\w")
#: A word that counts something, or a part of a law: "group (2)", "Section 4(1)", "point (3)".
_COUNTED = re.compile(
    r"(?:\d|[§)\]]|\b(?:sections?|articles?|art|paragraphs?|paras?|clauses?|subsections?|subclauses?|rules?"
    r"|regulations?|equations?|eqs?|fig(?:ures?|s)?|tables?|steps?|items?|options?|schedules?|types?"
    r"|class(?:es)?|phases?|grades?|levels?|parts?|chapters?|appendix|annex|groups?|points?|questions?"
    r"|notes?|cases?|conditions?|numbers?|nos?|stages?|category|categories|version))\.?\s*$",
    re.IGNORECASE,
)
#: Words that have an exponent.
_MEASURES = re.compile(
    r"sec|rad|mol|min|gal|ohm|bit|foot|feet|inch|inches|miles?|yards?|pixels?|chi|\w*met(?:er|re)s?"
    r"|grams?|\w{1,2}",
    re.IGNORECASE,
)
_LETTERS_BEFORE = re.compile(r"[^\W\d_]+$")
_LOOK_BACK = 24


def find_unread(answer: Answer) -> tuple[Span, ...]:
    """The marks in the order of the prose; none overlaps an anchor or what claims nothing."""
    prose = answer.prose
    taken = sorted({*(anchor.span for anchor in answer.anchors), *answer.unclaimed})
    known = {citation.anchor for citation in answer.citations}
    in_code = _make_code_test(prose)
    found: list[Span] = []
    for span in sorted({*_find_marks(prose, known)}):
        index = bisect_right(taken, span) - 1
        near = taken[max(index, 0) : index + 2]
        if any(span.overlaps(other) for other in (*near, *found[-1:])) or in_code(span):
            continue
        found.append(span)
    return tuple(found)


def _find_marks(prose: str, known: AbstractSet[int]) -> Iterator[Span]:
    for match in _SQUARE.finditer(prose):
        if _is_square_mark(prose, match):
            yield Span(*match.span())
    counted = _FIRST_COUNTED.search(prose)
    counts_from = len(prose) if counted is None else counted.end()
    for match in _ROUND.finditer(prose):
        is_next = match.start() >= counts_from and not _ENDS.match(prose, match.end())
        if not is_next and _is_round_mark(prose, match, known):
            yield Span(*match.span())
    for match in (*_SUPERSCRIPT.finditer(prose), *_RAISED.finditer(prose)):
        if _is_raised_mark(prose, match, known):
            yield Span(*match.span())
    for match in _CIRCLED.finditer(prose):
        value = _read(match.group())
        is_known = not value.isdigit() or int(value) in known
        if is_known and match.start() and _ends_statement(prose, match.start(), match.end()):
            yield Span(*match.span())
    yield from (Span(*match.span()) for match in _COMMAND.finditer(prose))


def _read(inside: str) -> str:
    """The inside of a mark as a reader sees it."""
    return unicodedata.normalize("NFKC", _UNSEEN.sub("", inside)).strip()


def _is_square_mark(prose: str, match: re.Match[str]) -> bool:
    start, end = match.span()
    inside = _read(match["inside"])
    if _FIRST.search(prose[max(0, start - _LOOK_BACK) : start]) and _DEFINED.match(prose, end):
        return False  # "[^1]: …" defines what another mark names
    if _CITES.fullmatch(inside):
        return not (_YEAR.fullmatch(inside) or _TIME.fullmatch(inside))
    stands_alone = start > 0 and not prose[start - 1].isalnum()
    is_symbol = _SYMBOL.fullmatch(match["inside"].strip())
    return bool(is_symbol) and stands_alone and _ends_statement(prose, start, end)


def _is_round_mark(prose: str, match: re.Match[str], known: AbstractSet[int]) -> bool:
    inside = _read(match["inside"])
    if _NAMES_SOURCE.fullmatch(inside):
        return True
    if not _ONLY_NUMBERS.fullmatch(inside) or not _are_known(inside, known):
        return False
    start, end = match.span()
    before = prose[max(0, start - _LOOK_BACK) : start]
    if _FIRST.search(before):
        return False  # "(1) The tenant …" counts
    return _ends_statement(prose, start, end) and not _COUNTED.search(before)


def _is_raised_mark(prose: str, match: re.Match[str], known: AbstractSet[int]) -> bool:
    start, end = match.span()
    numbers = _read(next((g for g in match.groups() if g), match.group()))
    # Raised numbers stand together without a gap: "¹²" may be two.
    if not (_are_known(numbers, known) or _are_known(" ".join(numbers), known)):
        return False
    if prose[end : end + 1].isalnum() or not start:
        return False
    before = prose[max(0, start - _LOOK_BACK) : start].rstrip("*_")
    if before[-1:].isalpha():
        letters = _LETTERS_BEFORE.search(before)
        return letters is not None and not _MEASURES.fullmatch(letters.group())
    return before[-1:] in set(".,;:!?\"”’'»") or (before[-1:].isspace() and bool(before.strip()))


def _are_known(text: str, known: AbstractSet[int]) -> bool:
    """Whether a number of the mark is one of a citation."""
    return any(len(n) < 10 and int(n) in known for n in _NUMBER.findall(text))


def _ends_statement(prose: str, start: int, end: int) -> bool:
    """Whether a mark stands where citations do: before or behind the stop of a sentence."""
    if _ENDS.match(prose, end):
        return bool(prose[max(0, start - _LOOK_BACK) : start].strip())
    return bool(_STOPPED.search(prose[max(0, start - _LOOK_BACK) : start]))


def _make_code_test(prose: str) -> Callable[[Span], bool]:
    """Whether a span is an index or a list in code, and no mark behind a statement."""
    code = find_code(prose) if "`" in prose or "~~~" in prose else ()
    stated = [s.span for s in find_sentences(prose) if s.kind == "code"] if code else []

    def holds(spans: Sequence[Span], span: Span) -> Span | None:
        index = bisect_right(spans, span.start, key=lambda other: other.start) - 1
        return spans[index] if index >= 0 and spans[index].overlaps(span) else None

    def is_code(span: Span) -> bool:
        held = holds(code, span)
        if held is None or holds(stated, span) is not None:
            return False
        # Inline code that is nothing but the mark, where a mark would stand.
        whole = prose[held.start : held.end].strip("` ") == prose[span.start : span.end]
        return not (whole and _ends_statement(prose, held.start, held.end))

    return is_code
