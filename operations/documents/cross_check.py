"""The second PDF engine: reads whole documents at ingestion, and a sample of the cited spans."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from spanproof.core.errors import ExtractionError, SettingsError
from spanproof.core.ports import CrossCheckReading
from spanproof.store.records import CrossCheckReport

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span
    from spanproof.ingest.limits import EngineName
    from spanproof.operations.context import Context

#: A span over more pages than this is not read again: it would take too long for one citation.
MOST_PAGES = 16


def cross_check_document(
    context: Context, extraction: Extraction, data: bytes
) -> ExtractionError | SettingsError | None:
    """Let the other engine read a whole PDF and keep the differences; only PDF has two engines.

    The error that kept it from reading is returned, not raised: the document is kept by then.
    """
    from spanproof.ingest.cross_check import compare

    if extraction.layout is None:
        return None
    try:
        other = context.parser.read_with_engine(data, engine=find_other_engine(extraction))
    except (ExtractionError, SettingsError) as error:
        return error
    found = compare(extraction, other)
    report = CrossCheckReport(
        engine=other.pipeline.name,
        pipeline_digest=other.pipeline.digest,
        characters=found.characters,
        agreeing=found.agreeing,
        disagreements=found.disagreements,
        unread=found.unread,
        extra=found.extra,
        extra_spaces=found.extra_spaces,
        extra_pages=found.extra_pages,
    )
    context.store.documents.add_cross_check(
        extraction.extraction_id, report, pipeline=other.pipeline, added_at=datetime.now(UTC)
    )
    return None


def find_other_engine(extraction: Extraction) -> EngineName:
    """The engine that did not make this extraction."""
    return "mupdf" if extraction.pipeline.name.startswith("pypdfium2") else "pdfium"


class SampledCrossCheck:
    """Answers from a whole document's report where one is kept; else reads a sample of the spans.

    Only the span decides the sample, so the same citation is always checked, or never.
    A failure is an answer (NOT_RUN), never an error, and an engine that cannot read a document is
    not asked for it again. Only what the store itself has lost or changed is raised.
    """

    def __init__(
        self,
        context: Context,
        *,
        draw: Callable[[Extraction, Span], bool] | None = None,
        until: datetime | None = None,
    ) -> None:
        """A replay gives the ``draw`` that was made then, and the reports kept ``until`` then."""
        self._context = context
        self._draw = draw
        self._until = until
        self._read: dict[tuple[Digest, EngineName, int], Extraction] = {}
        self._reports: dict[Digest, CrossCheckReport | None] = {}
        self._refused: dict[tuple[Digest, EngineName], str] = {}

    def read(self, extraction: Extraction, span: Span) -> CrossCheckReading | None:
        """What the second engine says of a span; None where it is not in the sample."""
        report = self._find_report(extraction.extraction_id)
        if report is not None:
            reading = answer_from(report, extraction, span)
        elif self._is_drawn(extraction, span):
            reading = self._read_live(extraction, span)
        else:
            return None
        engine = find_other_engine(extraction)
        self._context.metrics.count_cross_check(engine=engine, result=reading.status)
        if reading.status == "DISAGREES":
            import structlog

            # Where, never what: the words are a document's.
            structlog.get_logger().warning(
                "witness_disagrees",
                extraction_id=str(extraction.extraction_id),
                start=span.start,
                end=span.end,
                engine=engine,
            )
        return reading

    def _is_drawn(self, extraction: Extraction, span: Span) -> bool:
        if self._draw is not None:
            return self._draw(extraction, span)
        return is_sampled(extraction, span, self._context.settings.cross_check_rate)

    def _find_report(self, extraction_id: Digest) -> CrossCheckReport | None:
        if extraction_id not in self._reports:
            found = self._context.store.documents.find_cross_check(extraction_id, until=self._until)
            self._reports[extraction_id] = found
        return self._reports[extraction_id]

    def _read_live(self, extraction: Extraction, span: Span) -> CrossCheckReading:
        from spanproof.ingest.cross_check import check_span

        engine = find_other_engine(extraction)
        pages = frozenset(page.number for page in extraction.pages_of(span))
        if len(pages) > MOST_PAGES:
            return CrossCheckReading(status="NOT_RUN", engine=engine, reason="too_many_pages")
        key = (extraction.document.doc_hash, engine)
        if key in self._refused:
            return CrossCheckReading(status="NOT_RUN", engine=engine, reason=self._refused[key])
        try:
            other = self._read_pages(extraction, engine, pages)
        except (ExtractionError, SettingsError) as error:
            self._refused[key] = error.code.lower()
            return CrossCheckReading(status="NOT_RUN", engine=engine, reason=self._refused[key])
        return check_span(extraction, span, other)

    def _read_pages(
        self, extraction: Extraction, engine: EngineName, pages: frozenset[int]
    ) -> Extraction:
        doc_hash = extraction.document.doc_hash
        known = {self._read.get((doc_hash, engine, page)) for page in pages}
        if len(known) == 1 and (only := known.pop()) is not None:
            return only
        data = self._context.store.documents.read_source(doc_hash)
        found = self._context.parser.read_with_engine(data, engine=engine, pages=pages)
        self._read |= {(doc_hash, engine, page): found for page in pages}
        return found


def is_sampled(extraction: Extraction, span: Span, rate: float) -> bool:
    """Whether a span falls into the sample: by a digest, so that a verification replays."""
    name = f"{extraction.extraction_id} {span.start} {span.end}"
    drawn = int.from_bytes(hashlib.sha256(name.encode("ascii")).digest()[:8], "big")
    return drawn < rate * 2**64


def answer_from(report: CrossCheckReport, extraction: Extraction, span: Span) -> CrossCheckReading:
    """What a kept report says of a span: it names lines, so a span in such a line counts."""
    from spanproof.ingest.cross_check import MOST_UNREAD

    engine = report.engine
    if any(one.intersection(span) for one in report.disagreements):
        return CrossCheckReading(status="DISAGREES", engine=engine)
    letters = _count_letters(extraction, span)
    unread = (one.intersection(span) for one in report.unread)
    unread_letters = sum(_count_letters(extraction, part) for part in unread)
    if not letters or unread_letters > MOST_UNREAD * letters:
        return CrossCheckReading(status="NOT_RUN", engine=engine, reason="nothing_to_compare")
    return CrossCheckReading(status="AGREES", engine=engine)


def _count_letters(extraction: Extraction, span: Span) -> int:
    return len("".join(extraction.text.slice(span).split()))
