"""OpenAI's prompted citation markers, and the text without them.

``U+E200 cite U+E202 turn0file0 U+E202 L8-L13 U+E201``: a family, one or more source ids, and an
optional line locator in the last part (guide "Citation formatting"). They are not words: a reader
sees three private-use boxes, so they are stripped, with at most one blank beside them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.formats.providers.payload import find_cited

if TYPE_CHECKING:
    from spanproof.verifier.formats.draft import Draft

START, STOP, BETWEEN = "\ue200", "\ue201", "\ue202"
_MARKER = re.compile("\ue200([^\ue200-\ue202\n]{0,64})((?:\ue202[^\ue200-\ue202\n]{0,256})+)\ue201")
_SOURCE = re.compile(r"[A-Za-z0-9_-]+")
_LINES = re.compile(r"L(\d+)(?:-L(\d+))?")
#: Families that cite; others (navigation, pictures) are widgets of one product.
_CITING = frozenset({"cite", "filecite"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One marker: its place in the clean text, and the sources that it names."""

    offset: int
    family: str
    sources: tuple[str, ...]
    lines: str | None
    raw: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedText:
    """A text as it came (``raw``) and without its markers (``clean``); ``cuts`` are raw."""

    raw: str
    clean: str
    marks: tuple[Mark, ...]
    cuts: tuple[Span, ...]

    def to_clean(self, offset: int) -> int:
        """The offset in the clean text; of a place inside a marker, where the marker stood."""
        gone = sum(min(offset, cut.end) - cut.start for cut in self.cuts if cut.start < offset)
        return offset - gone


def strip_markers(raw: str) -> MarkedText:
    """Remove the markers; an unclosed one stays."""
    clean: list[str] = []
    marks: list[Mark] = []
    cuts: list[Span] = []
    length, position = 0, 0
    for match in _MARKER.finditer(raw):
        cut = _widen(raw, match.start(), match.end(), floor=position)
        clean.append(raw[position : cut.start])
        length += cut.start - position
        position = cut.end
        cuts.append(cut)
        marks.append(_read(match, length))
    clean.append(raw[position:])
    return MarkedText(raw=raw, clean="".join(clean), marks=tuple(marks), cuts=tuple(cuts))


def _widen(raw: str, start: int, end: int, *, floor: int) -> Span:
    """The marker, with the blank before it unless the text after it needs one."""
    follows = raw[end : end + 1]
    closes = not follows or follows.isspace() or follows in ".,;:!?)" or follows == START
    return Span(start - (closes and start > floor and raw[start - 1] == " "), end)


def _read(match: re.Match[str], offset: int) -> Mark:
    parts = match.group(2).split(BETWEEN)[1:]
    lines = parts.pop() if len(parts) > 1 and _LINES.fullmatch(parts[-1]) else None
    return Mark(
        offset=offset,
        family=match.group(1),
        sources=tuple(parts),
        lines=lines,
        raw=match.group().translate({0xE200: "<", 0xE201: ">", 0xE202: "|"}),
    )


def write_marked(draft: Draft, pointer: str, text: MarkedText) -> Span:
    """Write the clean text, cite the sources of its markers, and return its span."""
    span = draft.write(text.clean)
    for mark in text.marks:
        segment, marker = attach_at(draft, span, span.start + mark.offset)
        well_formed = all(_SOURCE.fullmatch(source) for source in mark.sources)
        if mark.family not in _CITING or not well_formed:
            draft.skip(pointer, f"The marker {mark.raw!r} is not a citation of this grammar.")
            continue
        for source in mark.sources:
            if mark.lines is not None:
                detail = f"{source} is cited for lines {mark.lines}; lines are not compared."
                draft.remark(pointer, "LINES_GIVEN", detail)
            draft.cite(
                document=find_cited(draft, pointer, file_id=source),
                named=source,
                quote=None,
                segment=segment,
                marker=marker,
            )
    if START in text.clean or STOP in text.clean:
        draft.skip(pointer, "The text holds a citation marker that is cut or broken.")
    return span


def attach_at(draft: Draft, within: Span, at: int) -> tuple[Span | None, Span | None]:
    """The segment and the marker of an insertion point of the prose.

    A point that touches the words before it belongs to their sentence, which is then the segment.
    Between two sentences without a blank (Chinese, Japanese) no marker is set: it would be taken
    for one of the sentence that it precedes.
    """
    from spanproof.verifier.claims.claims import split_sentences

    marker = Span(at, at)
    body = draft.prose[within.start : within.end]
    point = at - within.start
    follows = body[point : point + 1]
    if point == 0 or body[point - 1].isspace() or follows.isspace():
        return None, marker
    for sentence in split_sentences(body):
        if sentence.span.end == point:
            return sentence.span.shift(within.start), None if follows else marker
    return None, marker
