"""One pass of MuPDF over a document's pages: text page, segments, glyphs that differ, OCR."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.core.geometry import PageFrame, Rect
from spanproof.ingest.assembly.actual_text import PageText, Painted, read_page_text
from spanproof.ingest.assembly.assemble import assemble
from spanproof.ingest.assembly.characters import is_space
from spanproof.ingest.assembly.joining import Batches, PageReport
from spanproof.ingest.assembly.stream import put_together
from spanproof.ingest.engine.mupdf.annotations import read_segments
from spanproof.ingest.engine.mupdf.damage import DamageWatch
from spanproof.ingest.engine.mupdf.font_tables import FontTables
from spanproof.ingest.engine.mupdf.frames import read_frame, unrotate
from spanproof.ingest.engine.mupdf.library import (
    GLYPHS,
    TEXT_FLAGS,
    is_memory,
    library_errors,
    load_pymupdf,
    make_text_page,
    memory_error,
    one_line,
)
from spanproof.ingest.engine.mupdf.look import read_looks, read_shapes, record_look
from spanproof.ingest.engine.mupdf.lost_lines import LostLines
from spanproof.ingest.engine.mupdf.stext import CHAR_BYTES, read_stream, widest_count
from spanproof.ingest.engine.mupdf.unmapped import read_unmapped
from spanproof.ingest.engine.mupdf.visibility import Visibility
from spanproof.ingest.limits import check_limit, report_page

if TYPE_CHECKING:
    from spanproof.ingest.assembly.characters import Flags
    from spanproof.ingest.assembly.segments import Segment
    from spanproof.ingest.assembly.stream import CharStream
    from spanproof.ingest.engine.mupdf.actual_text_pages import MarkedContent
    from spanproof.ingest.engine.mupdf.look import Look
    from spanproof.ingest.engine.mupdf.recognition import Recogniser
    from spanproof.ingest.limits import Limits
    from spanproof.ingest.tables.rules import Boxes

# Pages are walked together until their characters fill about this much memory.
_BATCH_BYTES = 8 << 20
_BATCH_PAGES = 256
# So many pages are looked at together: what one of them draws may be large.
_LOOKED_AT = 16
_LETTER = Rect(0.0, 0.0, 612.0, 792.0)


@dataclass(slots=True, kw_only=True)
class _Reading:
    """What was read of one page."""

    text_page: Any
    report: PageReport
    #: The page itself, where its ink may be looked at.
    page: Any = None
    segments: list[Segment] = field(default_factory=list)
    #: Where the page shows other characters; offsets count the page's own.
    painted: list[Painted] = field(default_factory=list)
    #: The glyphs' own reading of the page, and the text made of both, where it needs both.
    glyph_page: Any = None
    merged: PageText | None = None
    is_compared: bool = False
    #: What the page draws besides text and images: boxes in user space.
    shapes: Boxes | None = None


@dataclass(slots=True, kw_only=True)
class PageWalk:
    """One pass over the pages, batch by batch."""

    opened: Any
    limits: Limits
    marked: MarkedContent
    recogniser: Recogniser | None = None
    only: frozenset[int] | None = None
    batches: Batches = field(default_factory=Batches)
    reports: list[PageReport] = field(default_factory=list)
    characters: int = 0
    #: Whether a page has no text, or a line of text glyphs that nothing but OCR may read.
    needs_ocr: bool = False
    visibility: Visibility = field(default_factory=Visibility)
    fonts: FontTables = field(default_factory=FontTables)
    damage: DamageWatch = field(default_factory=DamageWatch)
    #: By page number, what the page draws besides text and images: boxes in user space.
    shapes: dict[int, Boxes] = field(default_factory=dict)

    def run(self) -> None:
        """Walk all pages, with the labels that the document gives them."""
        labelled = _has_labels(self.opened)
        waiting: list[_Reading] = []
        size = 0
        for index in range(self.opened.page_count):
            reading = self._read_page(index, labelled=labelled)
            self.reports.append(reading.report)
            waiting.append(reading)
            size += widest_count(reading.text_page) * CHAR_BYTES
            if size >= _BATCH_BYTES or len(waiting) >= _BATCH_PAGES:
                self._take(waiting)
                waiting, size = [], 0
        if waiting:
            self._take(waiting)

    def _read_page(self, index: int, *, labelled: bool) -> _Reading:
        mupdf = load_pymupdf().mupdf
        frame = PageFrame(view_box=_LETTER, media_box=_LETTER)
        empty = mupdf.FzStextPage(mupdf.FzRect())
        label: str | None = None
        if self.only is not None and index + 1 not in self.only:
            return _Reading(text_page=empty, report=PageReport(frame=frame, label=label))
        report_page(index + 1)
        try:
            page = self.opened.load_page(index)
            if not mupdf.pdf_is_dict(mupdf.pdf_page_from_fz_page(page.this).obj()):
                # The page tree names an object that is not there: MuPDF shows a blank page.
                problem = "Expected a page, got a reference to nothing."
                report = PageReport(frame=frame, label=label, problem=problem)
                return _Reading(text_page=empty, report=report)
            rotation = unrotate(page)
            frame = read_frame(page, rotation)
            label = (page.get_label() or None) if labelled else None
            self.damage.begin()
            text_page = make_text_page(page, TEXT_FLAGS)
            damage = self.damage.end()
        except MemoryError as error:
            raise memory_error() from error
        except library_errors() as error:
            if is_memory(error):
                raise memory_error() from error
            problem = f"Expected a readable page, got an error ({one_line(error)})."
            report = PageReport(frame=frame, label=label, problem=problem)
            return _Reading(text_page=empty, report=report)
        report = PageReport(frame=frame, label=label)
        reading = _Reading(text_page=text_page, report=report, page=page)
        self._compare_actual_text(page, reading)
        lack = damage.describe(is_compared=reading.is_compared)
        if lack is not None and reading.report.lack is None:
            reading.report = replace(reading.report, lack=lack)
        return reading

    def _compare_actual_text(self, page: Any, reading: _Reading) -> None:  # noqa: ANN401 - an untyped binding
        """What the text page does not tell; what fails here is a lack of the page, no more."""
        most = self.limits.max_characters - self.characters
        try:
            reading.segments = read_segments(page, most=most)
            if self.marked.may_replace(page):
                glyphs = make_text_page(page, TEXT_FLAGS | GLYPHS)
                said, shown = (read_stream([one], most=most) for one in (reading.text_page, glyphs))
                text = read_page_text(said, shown)
                reading.painted, reading.is_compared = text.painted, True
                if text.order is not None:
                    reading.glyph_page, reading.merged = glyphs, text
            if self.recogniser is not None and self._is_blank(reading.text_page):
                self._recognise(page, reading, self.recogniser)
        except library_errors() as error:
            if is_memory(error):
                raise memory_error() from error
            lack = f"Expected all of the page to be readable, got an error ({one_line(error)})."
            reading.report = replace(reading.report, lack=lack)

    def _recognise(self, page: Any, reading: _Reading, recogniser: Recogniser) -> None:  # noqa: ANN401 - see above
        self.needs_ocr = True
        lack = recogniser.find_refusal(reading.report.frame)
        if lack is None:
            reading.text_page = recogniser.read(page, reading.report.frame)
        reading.report = replace(reading.report, lack=lack, is_recognised=lack is None)

    def _is_blank(self, text_page: Any) -> bool:  # noqa: ANN401 - see above
        stream = read_stream([text_page], most=self.limits.max_characters)
        return bool(is_space(stream.points).all())

    def _take(self, waiting: list[_Reading]) -> None:
        most = self.limits.max_characters - self.characters
        stream = read_stream([reading.text_page for reading in waiting], most=most)
        merged = {
            index: reading.merged.stream
            for index, reading in enumerate(waiting)
            if reading.merged is not None and not reading.report.is_recognised
        }
        stream = put_together(stream, merged)
        check_limit(len(stream), most, "characters")
        ends = stream.char_ends()
        concealed = np.concatenate(self._see_all(waiting, stream))
        batch = assemble(
            stream,
            [reading.report.frame for reading in waiting],
            segments=[reading.segments for reading in waiting],
            painted=[
                one.moved(end)
                for reading, end in zip(waiting, [0, *ends[:-1]], strict=True)
                for one in reading.painted
            ],
            recognised=frozenset(
                index for index, reading in enumerate(waiting) if reading.report.is_recognised
            ),
            concealed=concealed,
        )
        self.characters += len(batch.text)
        check_limit(self.characters, self.limits.max_characters, "characters")
        self.batches.append(batch)
        first = len(self.reports) - len(waiting) + 1
        for number, reading in enumerate(waiting, start=first):
            if reading.shapes is not None:
                self.shapes[number] = reading.shapes

    def _see_all(self, waiting: list[_Reading], stream: CharStream) -> list[Flags]:
        """The flags of each page's characters that a reader sees nothing of, or struck out."""
        found = [np.zeros(0, np.uint16)] * len(waiting)
        for start in range(0, len(waiting), _LOOKED_AT):
            places = range(start, min(start + _LOOKED_AT, len(waiting)))
            parts = {index: stream.page(index) for index in places}
            looks = _look_at({i: waiting[i] for i in places if len(parts[i])})
            for index, part in parts.items():
                reading = waiting[index]
                found[index] = self._see(reading, part, looks.get(index, []))
                self._read_lines(reading, part, len(self.reports) - len(waiting) + index + 1)
        return found

    def _see(
        self, reading: _Reading, stream: CharStream, looks: list[Look] | BaseException
    ) -> Flags:
        if reading.page is None or reading.report.is_recognised or not len(stream):
            return np.zeros(len(stream), np.uint16)
        try:
            if isinstance(looks, BaseException):
                raise looks
            reading.shapes = read_shapes(looks, reading.report.frame)
            reading.painted += self.fonts.find_painted(
                reading.page,
                stream,
                [one for one in (reading.text_page, reading.glyph_page) if one is not None],
                None if reading.merged is None else reading.merged.order,
            )
            if reading.merged is None:
                reading.painted += read_unmapped(reading.page, stream)
            return self.visibility.flags_of(reading.page, stream, reading.report.frame, looks)
        except library_errors() as error:
            if is_memory(error):
                raise memory_error() from error
            # What cannot be drawn is seen by nobody: it never passes as seen.
            return np.where(is_space(stream.points), 0, np.uint16(CharFlag.INVISIBLE))

    def _read_lines(self, reading: _Reading, stream: CharStream, number: int) -> None:
        if self.recogniser is None or reading.page is None:
            return
        lost = LostLines.of(stream, reading.painted)
        if lost.lines:
            self.needs_ocr = True
            report_page(number)
            reading.painted += lost.read(reading.page, self.recogniser)


def _look_at(readings: dict[int, _Reading]) -> dict[int, list[Look] | BaseException]:
    """What each page draws, or why that is not known; none where the release is not known."""
    recorded: list[tuple[int, Any]] = []
    found: dict[int, list[Look] | BaseException] = {}
    for index, reading in readings.items():
        if reading.page is None or reading.report.is_recognised:
            continue
        try:
            looks = [record_look(reading.page)]
            if reading.merged is not None:
                looks.append(record_look(reading.page, glyphs=True))
        except library_errors() as error:
            found[index] = error
        else:
            recorded += [(index, one) for one in looks if one is not None]
    looked = read_looks([one for _, one in recorded])
    for (index, _), look in zip(recorded, looked, strict=True):
        of_page = found.setdefault(index, [])
        if isinstance(of_page, list):
            of_page.append(look)
    return found


def _has_labels(opened: Any) -> bool:  # noqa: ANN401 - see above
    try:
        return bool(opened.get_page_labels())
    except library_errors():
        # A broken label tree costs the labels, not the document.
        return False
