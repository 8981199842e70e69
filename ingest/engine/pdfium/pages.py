"""One pass of pdfium over a document's pages: text, segments, glyphs that differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.core.errors import BrokenDocumentError
from spanproof.core.geometry import PageFrame
from spanproof.ingest.assembly.actual_text import PageText, read_page_text
from spanproof.ingest.assembly.assemble import assemble
from spanproof.ingest.assembly.characters import is_space
from spanproof.ingest.assembly.joining import Batches, PageReport, hidden_pages
from spanproof.ingest.assembly.stream import put_together
from spanproof.ingest.engine.pdfium.annotations import read_segments
from spanproof.ingest.engine.pdfium.columns import Columns, no_text, open_text, read_columns
from spanproof.ingest.engine.pdfium.documents import open_page, read_label
from spanproof.ingest.engine.pdfium.frames import LETTER, read_frame, reading_frame
from spanproof.ingest.engine.pdfium.ink import see_page
from spanproof.ingest.engine.pdfium.library import load_calls, load_pdfium
from spanproof.ingest.engine.pdfium.lines import make_stream
from spanproof.ingest.engine.pdfium.objects import find_actual_text, image_share, remove_marks
from spanproof.ingest.engine.pdfium.user_unit import may_scale, read_user_unit
from spanproof.ingest.limits import check_limit, report_page

if TYPE_CHECKING:
    from spanproof.ingest.assembly.characters import Flags
    from spanproof.ingest.assembly.segments import Segment
    from spanproof.ingest.assembly.stream import CharStream
    from spanproof.ingest.limits import Limits

# Pages are put together until there are about so many characters.
_BATCH_CHARACTERS = 100_000
_BATCH_PAGES = 256
# Hidden text under an image that takes this share of the page is the text layer of a scan.
_COVERED_SHARE = 0.5


@dataclass(slots=True, kw_only=True)
class _Reading:
    """What was read of one page."""

    columns: Columns
    report: PageReport
    segments: list[Segment] = field(default_factory=list)
    #: Where the page has ActualText; offsets count the page's own characters.
    own_text: PageText | None = None


@dataclass(slots=True, kw_only=True)
class PageWalk:
    """One pass over the pages, batch by batch."""

    opened: Any
    form: Any
    data: bytes
    limits: Limits
    only: frozenset[int] | None = None
    batches: Batches = field(default_factory=Batches)
    reports: list[PageReport] = field(default_factory=list)
    characters: int = 0

    def run(self) -> None:
        """Walk all pages, with the labels that the document gives them."""
        scaled = may_scale(self.opened, self.data)
        waiting: list[_Reading] = []
        size = 0
        for index in range(load_pdfium().FPDF_GetPageCount(self.opened)):
            reading = self._read_page(index, scaled=scaled, waiting=size)
            self.reports.append(reading.report)
            waiting.append(reading)
            size += len(reading.columns)
            if size >= _BATCH_CHARACTERS or len(waiting) >= _BATCH_PAGES:
                self._take(waiting)
                waiting, size = [], 0
        if waiting:
            self._take(waiting)

    def _read_page(self, index: int, *, scaled: bool, waiting: int) -> _Reading:
        frame = PageFrame(view_box=LETTER, media_box=LETTER)
        label: str | None = None
        if self.only is not None and index + 1 not in self.only:
            return _Reading(columns=no_text(), report=PageReport(frame=frame, label=label))
        report_page(index + 1)
        try:
            unit = read_user_unit(self.opened, index) if scaled else 1.0
            with open_page(self.opened, index) as page:
                frame = read_frame(page, unit)
                label = read_label(self.opened, index)
                segments = read_segments(
                    self.form, page, most=self.limits.max_characters - self.characters
                )
                with reading_frame(page, frame):
                    columns = self._read_text(page, waiting)
                    own_text = self._read_glyphs(page, columns, frame)
        except BrokenDocumentError as error:
            report = PageReport(frame=frame, label=label, problem=error.message)
            return _Reading(columns=no_text(), report=report)
        report = PageReport(frame=frame, label=label)
        return _Reading(columns=columns, report=report, segments=segments, own_text=own_text)

    def _read_text(self, page: Any, waiting: int = 0) -> Columns:  # noqa: ANN401 - an untyped binding
        with open_text(page) as text:
            # pdfium counts two where a line ends and the text has one.
            least = self.characters + (waiting + load_calls().count(text)) // 2
            check_limit(least, self.limits.max_characters, "characters")
            return read_columns(text)

    def _read_glyphs(
        self,
        page: Any,  # noqa: ANN401 - an untyped binding
        columns: Columns,
        frame: PageFrame,
    ) -> PageText | None:
        marks = find_actual_text(page)
        if not marks:
            return None
        remove_marks(marks)
        shown = self._read_text(page)
        return read_page_text(make_stream([columns], [frame]), make_stream([shown], [frame]))

    def _take(self, waiting: list[_Reading]) -> None:
        frames = [reading.report.frame for reading in waiting]
        stream = make_stream([reading.columns for reading in waiting], frames)
        own = {index: reading.own_text for index, reading in enumerate(waiting) if reading.own_text}
        stream = put_together(
            stream, {index: one.stream for index, one in own.items() if one.order is not None}
        )
        ends = stream.char_ends()
        first = len(self.reports) - len(waiting)
        seen = [
            self._see(first + index, stream.page(index), reading)
            for index, reading in enumerate(waiting)
        ]
        batch = assemble(
            stream,
            frames,
            segments=[reading.segments for reading in waiting],
            painted=[
                one.moved(([0, *ends])[index])
                for index, text in own.items()
                for one in text.painted
            ],
            concealed=np.concatenate(seen),
        )
        self.characters += len(batch.text)
        check_limit(self.characters, self.limits.max_characters, "characters")
        self.batches.append(batch)

    def _see(self, index: int, stream: CharStream, reading: _Reading) -> Flags:
        """The flags of a page's characters that a reader sees nothing of, or struck out."""
        if not len(stream):
            return np.zeros(0, np.uint16)
        try:
            return see_page(self.opened, index, stream, reading.report.frame)
        except BrokenDocumentError:
            # What cannot be drawn is seen by nobody: it never passes as seen.
            return np.where(is_space(stream.points), 0, np.uint16(CharFlag.INVISIBLE))

    def find_covered(self) -> frozenset[int]:
        """The pages with mostly hidden text on which an image takes most of the page."""
        return frozenset(
            index
            for index in hidden_pages(self.batches)
            if self._image_share(index) >= _COVERED_SHARE
        )

    def _image_share(self, index: int) -> float:
        try:
            with open_page(self.opened, index) as page:
                return image_share(page, self.reports[index].frame.view_box)
        except BrokenDocumentError:
            return 0.0
