"""Prose → paragraphs: text, list items, headings, table rows and code, by their lines.

Markdown as answers use it, read line by line: a blank line, or a line that starts an item, a
heading, a row or a fence, ends the paragraph before it. Nothing is rendered and no offset changes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

ParagraphKind = Literal["text", "item", "heading", "header", "row", "code"]

_LINE = re.compile(r"[^\r\n]+(?:\r\n?|\n|$)|\r\n?|\n")
#: Possessive, like the rest: no attempt is repeated, however many blanks a line has.
_QUOTED = r"[ \t]*+(?:>[ \t]*+)*+"
_BLANK = re.compile(_QUOTED + "$")
_ITEM = re.compile(_QUOTED + r"(?:[-*+•‣◦▪–][ \t]+|\d{1,3}[.)][ \t]+|\d{1,3}[、．])")
_HEADING = re.compile(_QUOTED + r"#{1,6}(?:[ \t]+|$)")
_FENCE = re.compile(_QUOTED + r"(?:(?:[-*+]|\d{1,3}[.)])[ \t]++)?(`{3,}+(?=[^`]*$)|~{3,}+)")
_RULE = re.compile(_QUOTED + r"(?:(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$")
_UNDERLINE = re.compile(_QUOTED + r"(?:=++|-{2,}+)[ \t]*+$")
#: Between the header of a table and its rows; it holds a bar, or it is a rule.
_DELIMITER = re.compile(r"(?=[^|]*\|)(?=[^-]*-)[ \t|:-]++$")
_STOPPED = re.compile(r"[.!?。！？…؟।۔][\"'”’»」』)\]]*\s*$")
_LEAD = re.compile(_QUOTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """One paragraph; its words begin at ``body``, after an item's or a heading's mark.

    ``header`` is the header row of the table that a row belongs to.
    """

    span: Span
    kind: ParagraphKind
    body: int
    header: Span | None = None


def split_paragraphs(prose: str) -> tuple[Paragraph, ...]:
    """The paragraphs in order; blank lines, rules and the lines under headers are in none."""
    reader = _Reader()
    for match in _LINE.finditer(prose):
        reader.read(match.group().rstrip("\r\n"), match.start())
    return tuple(reader.finish())


class _Reader:
    """The paragraphs that are open while the lines are read."""

    def __init__(self) -> None:
        self._done: list[Paragraph] = []
        self._kind: ParagraphKind = "text"
        self._start: int | None = None
        self._body = self._end = 0
        self._last_line = ("", 0)
        self._fence: str | None = None
        self._header: Span | None = None
        self._in_table = False

    def read(self, line: str, start: int) -> None:
        """One line, without its line end."""
        stop = start + len(line)
        if self._fence is not None:
            self._end = stop
            # A fence is closed by as many marks of its kind, alone on their line.
            closing = line.strip(" \t>")
            if closing.startswith(self._fence) and not closing.strip(self._fence[0]):
                self._fence = None
                self._flush()
            return
        fence = _FENCE.match(line)
        if fence is not None:
            self._open("code", start, start, stop)
            self._fence = fence[1]
        elif _BLANK.match(line):
            self._flush()
            self._in_table = False
        elif self._is_row(line):
            self._read_row(line, start, stop)
        else:
            self._in_table = False
            self._read_text(line, start, stop)
        self._last_line = (line, start)

    def finish(self) -> Iterator[Paragraph]:
        """Close what is open and give everything."""
        self._flush()
        yield from self._done

    def _is_row(self, line: str) -> bool:
        if line.lstrip(" \t>").startswith("|") or (self._in_table and "|" in line):
            return True
        above = self._start is not None and self._kind == "text" and "|" in self._last_line[0]
        return above and bool(_DELIMITER.match(line))

    def _read_row(self, line: str, start: int, stop: int) -> None:
        if _DELIMITER.match(line):
            self._make_header()
            return
        self._flush()
        if not self._in_table:
            self._in_table, self._header = True, None
        lead = _LEAD.match(line)
        begin = start + (lead.end() if lead else 0)
        self._done.append(
            Paragraph(span=Span(begin, stop), kind="row", body=begin, header=self._header)
        )

    def _make_header(self) -> None:
        """The line above a delimiter heads the table, whether a row or the end of a paragraph."""
        if self._start is not None:
            line, start = self._last_line
            span = Span(start, start + len(line))
            if self._start < start:
                self._end = start
                self._flush()
            self._start = None
        elif self._in_table and self._done and self._done[-1].kind == "row":
            span = self._done.pop().span
        else:
            return
        self._done.append(Paragraph(span=span, kind="header", body=span.start))
        self._header, self._in_table = span, True

    def _read_text(self, line: str, start: int, stop: int) -> None:
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if heading is not None:
            self._open("heading", start, start + heading.end(), stop)
            self._flush()
        elif self._start is not None and _UNDERLINE.match(line):
            if self._kind == "text" and not _STOPPED.search(self._last_line[0]):
                self._kind = "heading"
            self._flush()
        elif _RULE.match(line):
            self._flush()
        elif item is not None:
            self._open("item", start, start + item.end(), stop)
        elif self._start is None:
            lead = _LEAD.match(line)
            self._open("text", start, start + (lead.end() if lead else 0), stop)
        else:
            self._end = stop

    def _open(self, kind: ParagraphKind, start: int, body: int, stop: int) -> None:
        self._flush()
        self._kind, self._start, self._body, self._end = kind, start, body, stop

    def _flush(self) -> None:
        if self._start is not None:
            span = Span(self._start, self._end)
            self._done.append(Paragraph(span=span, kind=self._kind, body=self._body))
        self._start = None
