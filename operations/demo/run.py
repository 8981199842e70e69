"""The demo as a use case: documents → store → answer → verification → pictures, each step real."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import IntegrityError
from spanproof.operations.demo.answer import Places, build_answer
from spanproof.operations.demo.cases import AGREEMENT, CASES, POLICY, Case, read_pdf
from spanproof.operations.documents.find import find
from spanproof.operations.documents.ingest import ingest_file
from spanproof.operations.documents.locate import MarkedSpan, locate, page_image
from spanproof.operations.verification.verify import verify_payload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context
    from spanproof.operations.demo.cases import DemoDocument
    from spanproof.operations.documents.ingest_report import IngestReport


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What was expected of one citation, and the verdict that came."""

    case: Case
    verdict: dict[str, Any]

    @property
    def is_as_expected(self) -> bool:
        """Whether outcome, existence and, where a span is judged, support are those of the case."""
        support = self.case.support
        return (
            self.verdict["outcome"] == self.case.outcome
            and self.verdict["existence"]["status"] == self.case.existence
            and (support is None or self.verdict["support"]["status"] == support)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoReport:
    """The response, how each case came out, and the files that were written."""

    response: dict[str, Any]
    results: tuple[CaseResult, ...]
    files: tuple[Path, ...]

    @property
    def is_as_expected(self) -> bool:
        """Whether every case has one verdict, the expected one, and so has the whole answer."""
        return (
            len(self.results) == len(CASES)
            and all(result.is_as_expected for result in self.results)
            and self.response["verification"]["result"] == "fail"
        )


def run_demo(context: Context, output: Path, announce: Callable[[str], None]) -> DemoReport:
    """Run every step, write its files into ``output``, and announce each step before it starts."""
    output.mkdir(parents=True, exist_ok=True)
    announce("Ingesting two PDF documents …")
    reports = {document.doc_id: _ingest(context, document, output) for document in DOCUMENTS}
    announce("Building an answer with six citations …")
    places = Places(find=partial(find, context), locate=partial(locate, context))
    payload = json.dumps(build_answer(reports, places), ensure_ascii=False, indent=2)
    announce("Verifying it (the entailment model loads once) …")
    response = verify_payload(context, payload.encode("utf-8")).response
    announce("Drawing the pages …")
    files = [
        _write(output / "answer.json", payload.encode("utf-8")),
        _write(
            output / "verification.json",
            json.dumps(response, ensure_ascii=False, indent=2).encode("utf-8"),
        ),
        *_draw(context, reports, response["verification"]["verdicts"], output),
    ]
    return DemoReport(response=response, results=_pair(response), files=tuple(files))


DOCUMENTS = (POLICY, AGREEMENT)


def _ingest(context: Context, document: DemoDocument, output: Path) -> IngestReport:
    path = _write(output / document.file_name, read_pdf(document))
    report = ingest_file(context, path, doc_id=document.doc_id)
    if report.status != "ok":
        msg = f"Expected {path.name} to be ingested, got {report.to_json()['problem']}."
        raise IntegrityError(msg, hint="Run 'spanproof doctor'.")
    return report


def _pair(response: dict[str, Any]) -> tuple[CaseResult, ...]:
    verdicts = response["verification"]["verdicts"]
    if [verdict["anchor"] for verdict in verdicts] != list(range(1, len(CASES) + 1)):
        return ()
    return tuple(
        CaseResult(case=case, verdict=verdict)
        for case, verdict in zip(CASES, verdicts, strict=True)
    )


def _draw(
    context: Context,
    reports: dict[str, IngestReport],
    verdicts: list[dict[str, Any]],
    output: Path,
) -> Iterator[Path]:
    for doc_id, report in reports.items():
        ref = str(report.doc_hash)
        marked: dict[int, list[MarkedSpan]] = {}
        for verdict in verdicts:
            for start, end in _list_spans(verdict, report.doc_hash):
                for page in locate(context, ref, start, end).pages:
                    span = MarkedSpan(start=start, end=end, outcome=verdict["outcome"])
                    marked.setdefault(page.page, []).append(span)
        for page_number, spans in sorted(marked.items()):
            image = page_image(context, ref, page_number, spans)
            yield _write(output / f"{doc_id}-page-{page_number}.png", image)


def _list_spans(verdict: dict[str, Any], doc_hash: Digest | None) -> Iterator[tuple[int, int]]:
    existence = verdict["existence"]
    if existence["char_start"] is not None and verdict["identity"]["doc_hash"] == str(doc_hash):
        yield existence["char_start"], existence["char_end"]
        return
    for candidate in existence["candidates"]:
        if candidate["doc_hash"] == str(doc_hash):
            yield candidate["char_start"], candidate["char_end"]


def _write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
