"""Whether a claim states one cell of a cited table: its row, its column and its value.

A table says that the thing of a row has, in what a column is called, the value where both meet. The
claim may use the caption's words, too, and must name row and column so that no other is meant. The
scale or the unit of a header belongs to each value below it ("$ million").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.verifier.slots import compare_slots, measure_coverage
from spanproof.verifier.slots.content import read_content
from spanproof.verifier.slots.numbers import find_numbers
from spanproof.verifier.support.agreed import find_doubts
from spanproof.verifier.support.table_cells import read_grid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span
    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.support.table_cells import Grid

_WORD = re.compile(r"\w+")
#: Words of a claim that say no more than that a thing has a value.
_LIGHT = frozenset(
    _WORD.findall(
        "amount amounts amounted come comes came stand stands stood total totals totalled totaled "
        "include includes included offer offers offered record records recorded bring brings "
        "brought contain contains contained number numbered figure value reported"
    )
)
_BRACKET = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_SCALE = re.compile(
    r"(?:\bin )?(?P<currency>[$€£]|\b(?:EUR|USD|GBP|CHF))?\s*"
    r"(?P<scale>thousand|million|billion|trillion|'000|000|mn|bn|m|k)s?"
    r"(?: of)?(?: (?P<name>euros?|dollars?|pounds?|people))?",
    re.IGNORECASE,
)
_SCALES = {"'000": "thousand", "000": "thousand", "k": "thousand", "m": "million", "mn": "million",
           "bn": "billion"}  # fmt: skip
_NUMBER = re.compile(r"[-+−]?\d[\d.,\s]*")
#: Signs whose meaning a legend tells, and a sum that is taken away.
_UNSURE = re.compile(r"[*†‡§^]|^\s*[(\[].*[)\]]\s*$")
#: A table's name stands so near above it, on one line.
_MAX_CAPTION = 200
_MAX_TRIED = 400


def states_cell(extraction: Extraction, span: Span, hypothesis: str) -> bool:
    """Whether the claim says what one cited cell says, and nothing else."""
    grid = read_grid(extraction, span)
    if grid is None or not grid.header:
        return False
    text = extraction.text.text
    claim = read_content(hypothesis)
    caption = _find_caption(text, grid)
    tried = 0
    for row in grid.rows:
        name, *cells = row.items()
        if not _is_said(text[name[1].start : name[1].end], claim):
            continue
        if any(other is not row and _rivals(other, row, text, claim) for other in grid.rows):
            continue
        for column, cell in cells:
            tried += 1
            if tried > _MAX_TRIED:
                return False
            header = grid.header.get(column)
            if header is None or not span.contains(cell) or not _names(claim, grid, column, text):
                continue
            read = _write(text, grid, (name[1], header, cell), caption)
            if read is not None and _says(hypothesis, read):
                return True
    return False


def _find_caption(text: str, grid: Grid) -> str:
    """The line above the table, if it is short."""
    start = min(cell.start for cell in grid.header.values())
    start = text.rfind("\n", 0, start) + 1
    above = text[max(0, start - 2 * _MAX_CAPTION) : start].rstrip()
    line = above.rsplit("\n", 1)[-1].strip().lstrip("# ")
    return line if len(line) <= _MAX_CAPTION else ""


def _is_said(words: str, claim: Content) -> bool:
    """Whether the claim has each word of a name."""
    own = read_content(words)
    indexes = [index for index, empty in enumerate(own.empty) if not empty]
    return bool(indexes) and all(
        any(key in claim.places for key in own.same[index]) for index in indexes
    )


def _rivals(other: dict[str, Span], row: dict[str, Span], text: str, claim: Content) -> bool:
    """Whether the claim names another row as well, but for one whose name is a part of this one."""
    theirs, ours = (next(iter(each.values())) for each in (other, row))
    words, own = text[theirs.start : theirs.end], text[ours.start : ours.end]
    if not _is_said(words, claim):
        return False
    return words.strip() == own.strip() or not _is_said(words, read_content(own))


def _names(claim: Content, grid: Grid, column: str, text: str) -> bool:
    """Whether the claim names a column by what only that one is called, and names no other."""
    headers = list(grid.header.items())[1:]
    if len(headers) == 1:
        return True
    said = [other for other, cell in headers if _is_named(claim, other, headers, text)]
    return said == [column]


def _is_named(claim: Content, column: str, headers: Sequence[tuple[str, Span]], text: str) -> bool:
    own = set(_list_keys(dict(headers)[column], text))
    others = {key for other, cell in headers if other != column for key in _list_keys(cell, text)}
    alone = own - others
    return bool(alone) and any(key in claim.places for key in alone)


def _list_keys(cell: Span, text: str) -> Iterator[str]:
    read = read_content(_BRACKET.sub(" ", text[cell.start : cell.end]))
    for index, empty in enumerate(read.empty):
        if not empty:
            yield from read.same[index]


def _write(text: str, grid: Grid, place: tuple[Span, Span, Span], caption: str) -> str | None:
    """A sentence of a cell: caption, row, column and value with its unit; None if it is unsure."""
    name, header, cell = (text[each.start : each.end].strip() for each in place)
    first = next(iter(grid.header.values()))
    corner = text[first.start : first.end].strip()
    if not cell or _UNSURE.search(cell):
        return None
    value = _measure(cell, (header, corner, caption))
    if value is None:
        return None
    plain = (_BRACKET.sub(" ", each).strip(" .:") for each in (caption, corner, name, header))
    return " ".join(f"{each}," for each in plain if each) + f" {value}."


def _measure(cell: str, names: Sequence[str]) -> str | None:
    """A value with the scale or the unit that the nearest of the names gives; None if unsure."""
    if not _NUMBER.fullmatch(cell):
        return cell
    for nearest, name in enumerate(names):
        for bracket in _BRACKET.findall(name):
            scale = _SCALE.fullmatch(bracket.strip())
            if scale is not None:
                named = scale["scale"].lower()
                unit = _SCALES.get(named, named)
                kind = f" {scale['name']}" if scale["name"] else ""
                currency = scale["currency"] or ""
                gap = " " if currency.isalpha() else ""
                return f"{currency}{gap}{cell} {unit}{kind}"
            if re.search(r"thousand|million|billion|000|except", bracket):
                return None
            if not nearest:
                return f"{bracket}{cell}" if bracket in {"$", "€", "£"} else f"{cell} {bracket}"
    return cell


def _says(hypothesis: str, read: str) -> bool:
    """Whether the claim says the cell's sentence, its value and nothing else."""
    left = measure_coverage(hypothesis, read).leftover
    if any(hypothesis[part.start : part.end].lower() not in _LIGHT for part in left):
        return False
    claim, value = read_content(hypothesis), read_content(read.rsplit(", ", 1)[-1])
    stated = find_numbers(value.words, "en").stated
    if not stated <= find_numbers(claim.words, "en").stated:
        return False
    if not stated and not _is_said(value.words.text, claim):
        return False
    doubts = find_doubts(hypothesis, read, "possible")
    return not compare_slots(hypothesis, read, premise_start=0) and all(
        doubt.claim.lower() in _LIGHT for doubt in doubts
    )
