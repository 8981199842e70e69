"""The second engine of ``ingest --cross-check`` and of verification: real files, real cage."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from structlog.testing import capture_logs

from spanproof.core.documents.document import Pipeline
from spanproof.core.span import Span
from spanproof.operations.assembly import open_context
from spanproof.operations.documents.cross_check import (
    MOST_PAGES,
    SampledCrossCheck,
    answer_from,
    find_other_engine,
    is_sampled,
)
from spanproof.operations.documents.ingest import IngestOptions, ingest_file
from spanproof.operations.documents.stored import show_document
from spanproof.operations.verification.verify import verify_payload
from spanproof.store.records import CrossCheckReport
from tests.builders import ScriptedModel, make_extraction
from tests.sources import SECOND, SENTENCE, make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.core.documents.document import Extraction
    from spanproof.ingest.limits import EngineName
    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.context import Context
    from spanproof.operations.documents.ingest_report import IngestReport
    from spanproof.operations.settings import Settings

READ_ALONG = IngestOptions(cross_check=True)
PIPELINE = Pipeline(name="pypdfium2@5+canon-1", config_json='{"name":"pypdfium2"}')


@pytest.fixture
def asking(settings: Settings, warm_parser: Parser) -> Iterator[Context]:
    """Context that ask the second engine about every cited span."""
    asking = settings.model_copy(update={"cross_check_rate": 1.0})
    with open_context(asking, parser=warm_parser, model=ScriptedModel()) as context:
        yield context


def keep(
    context: Context, tmp_path: Path, content: bytes, *, options: IngestOptions | None = None
) -> IngestReport:
    path = tmp_path / "terms.pdf"
    path.write_bytes(content)
    return ingest_file(context, path, options=options or IngestOptions())


def load(context: Context, report: IngestReport) -> Extraction:
    assert report.extraction_id is not None
    return context.store.documents.load_extraction(report.extraction_id)


def add_report(context: Context, extraction: Extraction, *disagreements: Span) -> None:
    report = CrossCheckReport(
        engine=PIPELINE.name,
        pipeline_digest=PIPELINE.digest,
        characters=100,
        agreeing=90,
        disagreements=disagreements,
        unread=(),
    )
    context.store.documents.add_cross_check(
        extraction.extraction_id, report, pipeline=PIPELINE, added_at=datetime.now(UTC)
    )


def cite(context: Context, report: IngestReport, words: str = SENTENCE) -> dict[str, Any]:
    """The one verdict on an answer that cites these words."""
    span = {"text": words}
    answer = {
        "answer": "Defective goods are replaced within four business days [1].",
        "citations": [{"anchor": 1, "doc_hash": str(report.doc_hash), "span": span}],
    }
    response = verify_payload(context, json.dumps(answer).encode()).response
    (verdict,) = response["verification"]["verdicts"]
    found: dict[str, Any] = verdict
    return found


def without_table(content: bytes) -> bytes:
    """A PDF cut off before its table: one engine mends it, the other refuses."""
    return content[: content.rindex(b"xref", 0, content.rindex(b"startxref"))]


def test_reading_along_keeps_what_the_other_engine_says(context: Context, tmp_path: Path) -> None:
    content = make_pdf(f"{SENTENCE}\n{SECOND}")
    row = keep(context, tmp_path, content, options=READ_ALONG).to_json()
    witness = row["witness"]
    assert witness["engine"].startswith("pypdfium2@")
    assert witness["characters"] == witness["agreeing"] > 100
    assert (witness["disagreements"], witness["unread"], witness["problem"]) == ([], [], None)
    assert (witness["extra"], witness["extra_spaces"], witness["extra_pages"]) == (0, 0, [])
    assert show_document(context, row["doc_hash"]).to_json()["witness"] == witness


def test_nothing_is_read_along_unless_it_is_asked_for(context: Context, tmp_path: Path) -> None:
    row = keep(context, tmp_path, make_pdf()).to_json()
    assert row["witness"] is None
    assert row["sandbox"] in ("none", "limits", "landlock", "landlock+seccomp")


def test_a_text_has_no_second_engine(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "terms.txt"
    path.write_text(SENTENCE)
    row = ingest_file(context, path, options=READ_ALONG).to_json()
    assert (row["status"], row["witness"]) == ("ok", None)


def test_an_engine_that_refuses_the_document_leaves_it_kept(
    context: Context, tmp_path: Path
) -> None:
    content = without_table(make_pdf())
    row = keep(context, tmp_path, content, options=READ_ALONG).to_json()
    assert row["status"] == "degraded"
    assert row["witness"]["problem"]["code"] == "DOCUMENT_BROKEN"
    assert row["witness"]["engine"] is None
    assert show_document(context, row["doc_hash"]).to_json()["witness"] is None


def test_a_cited_span_is_read_by_the_second_engine(asking: Context, tmp_path: Path) -> None:
    verdict = cite(asking, keep(asking, tmp_path, make_pdf()))
    witness = verdict["locator"]["witness"]
    assert (witness["status"], witness["moved"], witness["reason"]) == ("AGREES", 0.0, None)
    assert witness["engine"].startswith("pypdfium2@")
    engine, result = 'engine="pdfium"', 'result="agrees"'
    line = f"spanproof_witness_spans_total{{{engine},{result}}} 1.0"
    assert line in asking.metrics.render().decode()


def test_without_a_sample_no_span_is_read(context: Context, tmp_path: Path) -> None:
    verdict = cite(context, keep(context, tmp_path, make_pdf()))
    assert verdict["locator"]["witness"]["status"] == "NOT_ASKED"


def test_a_failure_of_the_cross_check_fails_nothing(asking: Context, tmp_path: Path) -> None:
    verdict = cite(asking, keep(asking, tmp_path, without_table(make_pdf())))
    assert verdict["locator"]["witness"] == {
        "status": "NOT_RUN",
        "engine": "pdfium",
        "read": None,
        "moved": None,
        "reason": "document_broken",
    }
    assert verdict["outcome"] == "pass"
    assert "WITNESS_NOT_RUN" in verdict["codes"]


def test_an_engine_that_cannot_read_a_document_is_asked_once_in_a_verification(
    asking: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extraction = load(asking, keep(asking, tmp_path, without_table(make_pdf())))
    asked: list[frozenset[int] | None] = []
    read = asking.parser.read_with_engine

    def count(
        data: bytes, *, engine: EngineName, pages: frozenset[int] | None = None
    ) -> Extraction:
        asked.append(pages)
        return read(data, engine=engine, pages=pages)

    monkeypatch.setattr(asking.parser, "read_with_engine", count)
    sampled = SampledCrossCheck(asking)
    readings = [sampled.read(extraction, Span(start, start + 20)) for start in range(5)]
    assert {one.reason for one in readings if one} == {"document_broken"}
    assert len(readings) == 5
    assert len(asked) == 1


def test_a_kept_report_answers_for_every_span(context: Context, tmp_path: Path) -> None:
    report = keep(context, tmp_path, make_pdf())
    extraction = load(context, report)
    start = extraction.text.text.index(SECOND)
    add_report(context, extraction, Span(start, start + len(SECOND)))
    assert cite(context, report)["locator"]["witness"]["status"] == "AGREES"
    with capture_logs() as logs:
        verdict = cite(context, report, SECOND[:30])
    assert verdict["locator"]["witness"]["status"] == "DISAGREES"
    assert verdict["outcome"] == "review"
    (event,) = (one for one in logs if one["event"] == "witness_disagrees")
    assert event == {
        "event": "witness_disagrees",
        "log_level": "warning",
        "extraction_id": str(extraction.extraction_id),
        "start": start,
        "end": start + 30,
        "engine": "pdfium",
    }


def test_a_span_that_the_report_could_not_read_is_not_run() -> None:
    extraction = make_extraction("Refunds take four business days.\n \nNobody knows.")
    report = CrossCheckReport(
        engine="pypdfium2",
        pipeline_digest=PIPELINE.digest,
        characters=30,
        agreeing=30,
        disagreements=(),
        unread=(Span(33, 34), Span(35, 48)),
    )
    ends = {"AGREES": [(0, 32), (0, 35), (10, 36)], "NOT_RUN": [(35, 48), (20, 48), (32, 35)]}
    for status, spans in ends.items():
        for start, end in spans:
            assert answer_from(report, extraction, Span(start, end)).status == status, (start, end)


def test_a_span_over_too_many_pages_is_not_read(asking: Context, tmp_path: Path) -> None:
    pages = [f"Page {number}." for number in range(MOST_PAGES + 1)]
    extraction = load(asking, keep(asking, tmp_path, make_pdf(*pages)))
    reading = SampledCrossCheck(asking).read(extraction, Span(0, len(extraction.text)))
    assert reading is not None
    assert (reading.status, reading.reason) == ("NOT_RUN", "too_many_pages")


def test_only_the_pages_of_the_span_are_read(asking: Context, tmp_path: Path) -> None:
    content = make_pdf(SENTENCE, SECOND)
    extraction = load(asking, keep(asking, tmp_path, content))
    other = asking.parser.read_with_engine(content, engine="pdfium", pages=frozenset({2}))
    assert [len(page.span) > 1 for page in other.pages] == [False, True]
    start = extraction.pages[1].span.start
    reading = SampledCrossCheck(asking).read(extraction, Span(start, start + 20))
    assert reading is not None
    assert reading.status == "AGREES"


def test_the_sample_is_the_same_every_time_and_as_large_as_asked() -> None:
    extraction = make_extraction("x" * 3000)
    spans = [Span(start, start + 40) for start in range(2000)]
    drawn = [is_sampled(extraction, span, 0.05) for span in spans]
    assert drawn == [is_sampled(extraction, span, 0.05) for span in spans]
    assert 60 <= sum(drawn) <= 140
    assert not any(is_sampled(extraction, span, 0.0) for span in spans)
    assert all(is_sampled(extraction, span, 1.0) for span in spans)


def test_each_engine_has_the_other_for_its_cross_check() -> None:
    ours = make_extraction("x", pipeline="pymupdf@2.0+canon-1+flags-3")
    assert find_other_engine(ours) == "pdfium"
    theirs = replace(ours, pipeline=PIPELINE)
    assert find_other_engine(theirs) == "mupdf"
