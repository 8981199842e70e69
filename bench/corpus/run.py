"""A folder of documents, each read and checked against the invariants, all in the cage."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from bench.corpus.report import CorpusFile, CorpusReport
from bench.invariants.document import INVARIANTS_OF, OTHER_FAMILIES, PDF_FAMILIES
from bench.invariants.finding import Finding, Violation
from bench.invariants.repeat import check_i4
from spanproof.core.errors import ExtractionError, InputError, LimitExceededError
from spanproof.ingest.media_type import PDF
from spanproof.ingest.sandbox import Parser
from spanproof.operations.documents.ingest import walk_paths
from spanproof.store.documents.intake import find_problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bench.invariants.caged import CheckingParser
    from bench.invariants.document import Family
    from spanproof.core.documents.document import Extraction

_T = TypeVar("_T")

#: So many documents are repeated a hundredfold to see that work grows with the characters alone:
#: of few pages, so that the copies stay small, and of text enough to be worth measuring.
_GROWN, _GROWN_PAGES, _GROWN_CHARACTERS = 3, 8, range(2_000, 40_000)


def check_corpus(
    parser: CheckingParser,
    folder: Path,
    *,
    sample: int | None = None,
    on_start: Callable[[int], None] = lambda _: None,
    on_file: Callable[[CorpusFile], None] = lambda _: None,
) -> CorpusReport:
    """Read every file below a folder (or so many, evenly spread) and check what can be checked.

    Nothing is stored. ``on_start`` gets the number of files, ``on_file`` each as it is done.
    """
    began, moment = time.monotonic(), datetime.now(UTC)
    paths = _spread(list(walk_paths([folder])), sample)
    if not paths or not folder.is_dir():
        msg = f"Expected a folder with files, got {str(folder)!r}."
        raise InputError(msg, hint="Name the folder that holds the documents.")
    on_start(len(paths))
    with Parser(parser.limits, engine=parser.engine, cage=parser.cage) as second:
        examiner = _Examiner(parser=parser, second=second, folder=folder)
        with ThreadPoolExecutor(parser.workers) as pool:
            files = []
            for file in pool.map(examiner.examine, paths):
                on_file(file)
                files.append(file)
        files = examiner.grow(files)
    return CorpusReport(
        taken_at=moment,
        engine=parser.engine,
        cage=parser.check_cage(),
        workers=parser.workers,
        files=tuple(files),
        seconds=time.monotonic() - began,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Examiner:
    """Two parsers: one with a worker a core, and one with a single worker and other processes."""

    parser: CheckingParser
    second: Parser
    folder: Path

    def examine(self, path: Path) -> CorpusFile:
        """Read one file twice, then check every family that its kind has."""
        began = time.monotonic()
        name = path.relative_to(self.folder).as_posix()
        try:
            data = path.read_bytes()
            extraction = self.parser.extract(data, filename=path.name)
        except OSError as error:
            return CorpusFile(path=name, status="refused", code="IO_ERROR", detail=str(error))
        except ExtractionError as error:
            return CorpusFile(path=name, status="refused", code=error.code, detail=error.message)
        is_pdf = extraction.document.media_type == PDF
        families = PDF_FAMILIES if is_pdf else OTHER_FAMILIES
        again = self._read_again(extraction, data, path.name)
        findings = (again, *self._check(data, path.name, families))
        return _to_file(name, extraction, findings, time.monotonic() - began)

    def grow(self, files: list[CorpusFile]) -> list[CorpusFile]:
        """The files again, some of them checked for I14, one at a time because it measures time."""
        fit = [
            index
            for index, file in enumerate(files)
            if file.media_type == PDF
            and file.status == "ok"
            and file.pages <= _GROWN_PAGES
            and file.characters in _GROWN_CHARACTERS
        ]
        for index in _spread(fit, _GROWN):
            file = files[index]
            path = self.folder / file.path
            findings = self._check(path.read_bytes(), path.name, ("growth",))
            files[index] = replace(file, findings=(*file.findings, *findings))
        return files

    def _check(
        self, data: bytes, filename: str, families: tuple[Family, ...]
    ) -> tuple[Finding, ...]:
        try:
            return self.parser.check_invariants(data, families, filename=filename)
        except ExtractionError as error:
            if len(families) > 1:
                # One family ended the child or was late: the others are asked for one by one.
                return tuple(
                    finding
                    for family in families
                    for finding in self._check(data, filename, (family,))
                )
            reason = error.message
        return tuple(Finding.skip(one, "cases", reason) for one in INVARIANTS_OF[families[0]])

    def _read_again(self, extraction: Extraction, data: bytes, filename: str) -> Finding:
        try:
            return check_i4(extraction, self.second.extract(data, filename=filename))
        except LimitExceededError as error:
            return Finding.skip("I4", "readings", error.message)
        except ExtractionError as error:
            detail = f"read the first time, refused the second: {error.message}"
            broken = [Violation(invariant="I4", detail=detail)]
            return Finding.of("readings", 1, broken, invariant="I4")


def _to_file(
    name: str, extraction: Extraction, findings: tuple[Finding, ...], seconds: float
) -> CorpusFile:
    problem = find_problem(extraction)
    return CorpusFile(
        path=name,
        status="ok" if problem is None else "degraded",
        code=None if problem is None else problem.code,
        detail=None if problem is None else problem.detail,
        media_type=extraction.document.media_type,
        pipeline=extraction.pipeline.name,
        pages=len(extraction.pages),
        characters=len(extraction.text),
        findings=findings,
        seconds=seconds,
    )


def _spread(items: list[_T], most: int | None) -> list[_T]:
    """At most so many of a list, evenly spread over it."""
    if most is None or len(items) <= most:
        return items
    return [items[index * len(items) // most] for index in range(most)]
