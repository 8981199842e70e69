"""The kind ``report``: a report of any length into the job's own folder, signed with its manifest.

Failures are written to a file of lines as they are found, so that a report of many thousand answers
needs no more memory than one of ten; the totals, which stand first, are known only at their end.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from spanproof.core.errors import ExtractionError, SettingsError
from spanproof.operations.export.drawing import draw_crops
from spanproof.operations.export.folder import staged_pack, write_zip
from spanproof.operations.export.log_files import LogFiles
from spanproof.operations.report.files import (
    ARCHIVE,
    CHECK,
    FOLDER,
    KIND,
    PAGE,
    PDF,
    ZIP,
    shows_erased,
)
from spanproof.operations.report.material import (
    FAILURES,
    choose_answers,
    describe_failure,
    describe_scope,
    iterate_cases,
    list_suspects,
)
from spanproof.operations.report.pdf import write_pdf
from spanproof.operations.report.rendering import (
    read_style,
    render_check,
    render_failure,
    render_front,
    stream_page,
)
from spanproof.receipt.export.evidence_pack import MANIFEST, SEAL, seal_manifest, write_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanproof.operations.context import Context
    from spanproof.operations.export.drawing import Crop
    from spanproof.operations.export.folder import PackFolder
    from spanproof.operations.export.material import Case, CitedVerdict
    from spanproof.operations.jobs.kinds import ProgressCall
    from spanproof.operations.jobs.records import Job

TITLE: Final = "Report of verified answers"


@dataclass(slots=True)
class Counts:
    """What the failures come to; ``standing`` counts by what people decided."""

    failures: int = 0
    answers: int = 0
    undecided: int = 0
    erased: int = 0
    problems: int = 0
    standing: Counter[str] = field(default_factory=Counter)


def run(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Write the report; ``seed`` is the job's id, ``asked_at`` the end of an open period.

    A run that died leaves nothing: the next one begins anew. So does one in which something that it
    shows was erased.
    """
    began_at = datetime.now(UTC)
    place = context.jobs.outputs.path(arguments["seed"])
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in (FOLDER, ARCHIVE):
        shutil.rmtree(place / name, ignore_errors=True)
    made_at = datetime.fromisoformat(arguments["asked_at"])
    chosen = choose_answers(context, arguments["view"], now=made_at)
    scope = describe_scope(context, arguments["view"], chosen, made_at=made_at)
    log = LogFiles.open(context)
    with (
        tempfile.TemporaryDirectory(dir=place) as scratch,
        staged_pack(place / FOLDER, is_zip=False) as folder,
    ):
        writer = _Writer(context, folder, Path(scratch))
        suspects = list_suspects(chosen)
        with closing(writer):
            for number, case in enumerate(iterate_cases(context, suspects)):
                progress(number, len(suspects) + 1)
                writer.add(case)
        counts = writer.counts
        front = render_front(scope, title=TITLE, origin=log.origin, counts=counts)
        html = stream_page(TITLE, front, writer.list(), writer.sections())
        folder.write_stream(PAGE, html)
        drawn = writer.pictures / PDF
        pages = write_pdf(
            drawn, writer.bookmarks(front), style=read_style(on_screen=False), title=TITLE,
            made_at=made_at,
        )  # fmt: skip
        folder.write_stream(PDF, [drawn.read_bytes()])
        folder.write(CHECK, render_check())
        folder.write("trust.json", log.trust)
        manifest = write_manifest(
            folder.files, verifications=writer.names, origin=log.origin, made_at=made_at
        )
        folder.write(SEAL, seal_manifest(manifest, context.issuer.keys.find_entry_key()))
        folder.write(MANIFEST, manifest)
    files = sorted(each.name for each in (place / FOLDER).iterdir())
    (place / ARCHIVE).mkdir(mode=0o700)
    write_zip(place / ARCHIVE / ZIP, place / FOLDER, files)
    if shows_erased(context, writer.names, context.store.erasures.list(), since=began_at):
        return run(context, arguments, progress)
    context.jobs.outputs.share(arguments["seed"])
    progress(len(suspects) + 1, len(suspects) + 1)
    return {"answers": scope.answers, "failures": counts.failures, "pages": pages}


def start_report(context: Context, view: Mapping[str, Any], *, job_id: str) -> Job:
    """Queue a report of a view that ``material.write_view`` wrote."""
    now = datetime.now(UTC).replace(microsecond=0).isoformat()
    arguments = {"seed": job_id, "view": dict(view), "asked_at": now}
    return context.jobs.start(KIND, arguments, job_id=job_id)


class _Writer:
    """The failures, as lines of a file until they are set."""

    def __init__(self, context: Context, folder: PackFolder, scratch: Path) -> None:
        self._context = context
        self._folder = folder
        self._lines = scratch / "failures.jsonl"
        self._stream = self._lines.open("w", encoding="ascii")
        #: Pictures beside the PDF while it is set.
        self.pictures = scratch
        self.counts = Counts()
        self.names: list[str] = []

    def add(self, case: Case | None) -> None:
        """The failures of one answer."""
        if case is None:
            self.counts.erased += 1
            return
        failing = [each for each in case.verdicts if each.raw["outcome"] in FAILURES]
        self.counts.answers += bool(failing)
        if failing:
            self.names.append(case.verification_id)
        for verdict in failing:
            self.counts.failures += 1
            failure = describe_failure(case, verdict, self.counts.failures)
            if failure.standing is None:
                self.counts.undecided += 1
            else:
                self.counts.standing[failure.standing] += 1
            html = render_failure(failure, self._draw(verdict, failure.number))
            row = [failure.number, failure.heading, failure.outcome, html]
            self._stream.write(json.dumps(row) + "\n")

    def _draw(self, verdict: CitedVerdict, number: int) -> tuple[Crop, ...]:
        try:
            found = draw_crops(self._context, verdict, name=f"failure-{number}")
        except (ExtractionError, SettingsError):
            self.counts.problems += 1
            return ()
        for crop, image in found:
            self._folder.write(crop.path, image)
            (self.pictures / crop.path).write_bytes(image)
        return tuple(crop for crop, _ in found)

    def close(self) -> None:
        """No failure comes any more."""
        self._stream.close()

    def _rows(self) -> Iterator[list[Any]]:
        with self._lines.open(encoding="ascii") as lines:
            for line in lines:
                yield json.loads(line)

    def list(self) -> Iterator[tuple[int, str, str]]:
        """Number, heading and outcome of each."""
        return ((row[0], row[1], row[2]) for row in self._rows())

    def sections(self) -> Iterator[str]:
        """The page of each."""
        return (row[3] for row in self._rows())

    def bookmarks(self, front: str) -> Iterator[tuple[str, str]]:
        """The first pages and the page of each, with the words of its bookmark."""
        yield "Scope and totals", front
        for number, heading, _, html in self._rows():
            yield f"{number}. {heading}", html
