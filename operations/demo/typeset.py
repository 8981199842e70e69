r"""Marked-up text → lines placed in two columns: as little as a word processor needs.

Markup: ``# `` title, ``## `` heading, blank line between paragraphs, ``\-`` where a word may be
hyphenated, ``[^1]`` a footnote's mark and ``[^1]: `` its text. "fi" and "fl" become ligatures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spanproof.operations.demo.font_metrics import measure

if TYPE_CHECKING:
    from spanproof.operations.demo.font_metrics import FontName

PAGE_WIDTH, PAGE_HEIGHT = 595.0, 842.0
_LEFT, _TOP, _BOTTOM = 68.0, 764.0, 84.0
_COLUMN, _GAP = 218.0, 23.0
_MAX_STRETCH = 6.0
_DEPTH, _SLACK = _TOP - _BOTTOM, 20.0
_MARK = re.compile(r"\[\^(\d+)\]")
_NOTE = re.compile(r"\[\^(\d+)\]: (.*)", re.DOTALL)

Kind = Literal["title", "heading", "paragraph", "note"]
_SHAPES: dict[Kind, tuple[FontName, float, float, float]] = {
    # font, size, leading, space before
    "title": ("F2", 20.0, 26.0, 0.0),
    "heading": ("F2", 12.0, 15.0, 9.0),
    "paragraph": ("F1", 11.0, 15.5, 5.0),
    "note": ("F1", 8.5, 10.5, 0.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of text: where its baseline starts, and the extra width of each of its spaces."""

    text: str
    x: float
    y: float
    font: FontName
    size: float
    stretch: float = 0.0
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """The lines of one page in reading order, and the rules (x, y, width) drawn above footnotes."""

    lines: tuple[Line, ...]
    rules: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    text: str
    kind: Kind
    space: float
    is_last: bool
    mark: str


def typeset(source: str, *, footer: str) -> tuple[Sheet, ...]:
    """Place the whole text, as many pages as it needs."""
    blocks = [block.strip() for block in source.strip().split("\n\n")]
    notes = {match[1]: match[2] for block in blocks if (match := _NOTE.fullmatch(block))}
    rows = [row for block in blocks if not _NOTE.fullmatch(block) for row in _break_block(block)]
    sheets: list[Sheet] = []
    while rows:
        number = len(sheets) + 1
        sheet, rest = _fill_sheet(rows, notes, number=number, footer=footer, depth=_DEPTH)
        if not rest:
            # The last page: half of its lines in each column.
            sheet, rest = _fill_sheet(
                rows, notes, number=number, footer=footer, depth=_measure_rows(rows) / 2 + _SLACK
            )
        sheets.append(sheet)
        rows = rest
    return tuple(sheets)


def _fill_sheet(
    rows: list[_Row], notes: dict[str, str], *, number: int, footer: str, depth: float
) -> tuple[Sheet, list[_Row]]:
    body: list[Line] = []
    below: list[Line] = []
    rules: list[tuple[float, float, float]] = []
    top = _TOP
    if rows[0].kind == "title":
        font, size, leading, _ = _SHAPES["title"]
        body.append(Line(text=rows[0].text, x=_LEFT, y=top, font=font, size=size))
        rows, top = rows[1:], top - leading
    for column in range(2):
        x = _LEFT + column * (_COLUMN + _GAP)
        y, bottom = top, max(_BOTTOM, top - depth) if column == 0 else _BOTTOM
        while rows:
            row = rows[0]
            font, size, leading, _ = _SHAPES[row.kind]
            note = _break_note(row.mark, notes) if row.mark else []
            floor = bottom + sum(_SHAPES["note"][2] for _ in note) + (8.0 if note else 0.0)
            # A heading never stands alone at the foot of a column.
            room = leading * (3 if row.kind == "heading" else 1)
            step = leading + (row.space if y < top else 0.0)
            if y - step - room + leading < floor:
                break
            y -= step
            stretch = _stretch(row, font, size)
            body.append(
                Line(text=row.text, x=x, y=y, font=font, size=size, stretch=stretch, mark=row.mark)
            )
            if note:
                below.extend(_place_note(note, x, row.mark))
                rules.append((x, _BOTTOM + len(note) * _SHAPES["note"][2] + 1.0, 72.0))
                bottom = floor
            rows = rows[1:]
    foot = Line(text=f"{footer} – page {number}", x=_LEFT, y=48.0, font="F1", size=8.5)
    return Sheet(lines=(*body, *below, foot), rules=tuple(rules)), rows


def _measure_rows(rows: list[_Row]) -> float:
    return sum(_SHAPES[row.kind][2] + row.space for row in rows)


def _break_block(block: str) -> list[_Row]:
    kind: Kind = "paragraph"
    for prefix, marked in (("## ", "heading"), ("# ", "title")):
        if block.startswith(prefix):
            kind, block = ("heading" if marked == "heading" else "title"), block[len(prefix) :]
            break
    font, size, _, before = _SHAPES[kind]
    width = 2 * _COLUMN + _GAP if kind == "title" else _COLUMN
    texts = _break_lines(block, font, size, width)
    rows = []
    for index, text in enumerate(texts):
        mark = _MARK.search(text)
        rows.append(
            _Row(
                text=_MARK.sub("", text),
                kind=kind,
                space=before if index == 0 else 0.0,
                is_last=index == len(texts) - 1,
                mark=mark[1] if mark else "",
            )
        )
    return rows


def _break_note(mark: str, notes: dict[str, str]) -> list[str]:
    font, size, _, _ = _SHAPES["note"]
    return _break_lines(notes[mark], font, size, _COLUMN - 6.0)


def _place_note(texts: list[str], x: float, mark: str) -> list[Line]:
    font, size, leading, _ = _SHAPES["note"]
    height = len(texts)
    return [
        Line(
            text=f"{mark} {text}" if index == 0 else text,
            x=x,
            y=_BOTTOM + (height - 1 - index) * leading - 6.0,
            font=font,
            size=size,
        )
        for index, text in enumerate(texts)
    ]


def _break_lines(text: str, font: FontName, size: float, width: float) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in text.split():
        parts = _ligate(word).split("\\-")
        lead = f"{line} " if line else ""
        if _fits(lead + "".join(parts), font, size, width):
            line = lead + "".join(parts)
            continue
        # The longest head of the word that still fits with its hyphen; none: the word goes down.
        for cut in range(len(parts) - 1, 0, -1):
            head = "".join(parts[:cut]) + "-"
            if _fits(lead + head, font, size, width):
                lines.append(lead + head)
                line = "".join(parts[cut:])
                break
        else:
            lines.append(line)
            line = "".join(parts)
    return [*lines, line]


def _fits(text: str, font: FontName, size: float, width: float) -> bool:
    return measure(_MARK.sub("", text), font, size) <= width


def _stretch(row: _Row, font: FontName, size: float) -> float:
    spaces = row.text.count(" ")
    if row.is_last or row.kind != "paragraph" or not spaces:
        return 0.0
    mark = 3.0 if row.mark else 0.0
    stretch = (_COLUMN - mark - measure(row.text, font, size)) / spaces
    # A line with too few words for its width stays ragged.
    return stretch if stretch < _MAX_STRETCH else 0.0


def _ligate(word: str) -> str:
    return word.replace("fi", "ﬁ").replace("fl", "ﬂ")
