"""Marks of writing around or before words: emphasis, links, list marks, quotation marks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from spanproof.verifier.language.lexicon import lexicon_of

_WRAPPED = re.compile(
    r"\s*(?:“(.+)”|\"(.+)\"|‘(.+)’|'(.+)'|«\s?(.+?)\s?»|‹\s?(.+?)\s?›|„(.+)[“”]|「(.+)」)\s*",
    re.DOTALL,
)
_LINK = re.compile(r"\[([^\]\[\n]+)\]\([^()\s]+\)")
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3}|`)(?=\S)([^*_`\n]*[^\s*_`])\1")
_LIST_MARK = re.compile(r"^[ \t]*[-*+•–][ \t]+(?![\d.,])", re.MULTILINE)
#: "1.", "2)", "(a)", "iv)" before the quote's words. "J." may be a name's first letter.
_NUMERAL = re.compile(r"^\s*(?:\d{1,2}[.)]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})\))[ \t]+(?=[^\W\d_])")
#: Words that an item with a numeral has at least: "6. May 2020" is a day.
_LEAST_ITEM_WORDS = 5
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedMarks:
    """Marks of the quote, and how many letters and digits stand before them."""

    kind: str
    marks: str
    letters: int


def strip_marks(quote: str) -> tuple[str, list[RemovedMarks]]:
    """The quote without such marks, and the marks in the order in which they went."""
    plain, removed = quote, list[RemovedMarks]()

    def take(kind: str, pattern: re.Pattern[str], group: int | None) -> None:
        nonlocal plain
        while (match := pattern.search(plain)) is not None:
            inner = "" if group is None else match[group]
            marks = match[0].replace(inner, " ", 1).strip() if inner else match[0].strip()
            letters = count_letters(plain[: match.start()])
            removed.append(RemovedMarks(kind=kind, marks=marks, letters=letters))
            plain = plain[: match.start()] + inner + plain[match.end() :]

    take("link", _LINK, 1)
    take("emphasis", _EMPHASIS, 2)
    take("list_mark", _LIST_MARK, None)
    numeral = _NUMERAL.match(plain)
    if numeral is not None and _may_be_item(plain[numeral.end() :]):
        removed.append(RemovedMarks(kind="list_numeral", marks=numeral[0].strip(), letters=0))
        plain = plain[numeral.end() :]
    wrapped = _WRAPPED.fullmatch(plain)
    if wrapped is not None:
        inner = next(part for part in wrapped.groups() if part is not None)
        marks = plain.strip()[0] + plain.strip()[-1]
        removed.append(RemovedMarks(kind="quotation_marks", marks=marks, letters=0))
        plain = inner
    return plain.strip(), removed


def _may_be_item(words: str) -> bool:
    found = _WORD.findall(words)
    return len(found) >= _LEAST_ITEM_WORDS and found[0].lower() not in lexicon_of("en").months


def count_letters(text: str) -> int:
    """How many letters and digits a text has."""
    return sum(map(str.isalnum, text))
