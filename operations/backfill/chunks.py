"""Backfill: chunks that an existing store keeps without offsets are found in their documents.

A chunk's own words decide: where they stand at one place of its document, the patch says which
extraction, offsets, boxes and digest belong to it. Words that stand at several places, that the
document has otherwise, or that it does not have, are listed with the reason and get no offsets: a
guess here would make every later citation of the chunk a lie.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.documents.locate import locate_span
from spanproof.core.errors import InputError, NotFoundError, OutputError
from spanproof.core.json_reader.object_reader import load_json
from spanproof.core.shown import show_value
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.operations.errors import UnreadableFileError
from spanproof.verifier.quotes.existence import find_cut, find_quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from io import BufferedWriter
    from pathlib import Path

    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span
    from spanproof.core.verdicts.verdict import Existence
    from spanproof.operations.context import Context
    from spanproof.store.records import DocumentRecord

Row = dict[str, Any]
#: One line: a chunk's text, or a log's answer, is no longer.
MOST_LINE_BYTES = 8 << 20
#: Extractions in memory at once; chunks come document by document.
_CACHED = 4
_FOUND = frozenset({ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL, ExistenceStatus.EDITORIAL})
_WHY = {
    ExistenceStatus.AMBIGUOUS: "ambiguous",
    ExistenceStatus.ALTERED: "altered",
    ExistenceStatus.STITCHED: "stitched",
    ExistenceStatus.UNVERIFIABLE: "no_text_layer",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedChunk:
    """The place of a chunk's words, which a citation of it needs."""

    doc_id: str
    doc_hash: Digest
    span: Span
    text: str


@dataclass(slots=True, kw_only=True)
class BackfillReport:
    """How many chunks came, by what became of them, and the places of those that were found."""

    statuses: Counter[str] = field(default_factory=Counter)
    placed: dict[str, PlacedChunk] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """Whether every chunk was found."""
        return set(self.statuses) <= {"located"}

    def to_json(self) -> dict[str, Any]:
        """``chunks``, ``located`` and the number of each other status."""
        others = {name: count for name, count in self.statuses.items() if name != "located"}
        return {
            "chunks": self.statuses.total(),
            "located": self.statuses["located"],
            "unlocatable": dict(sorted(others.items())),
        }


def backfill_chunks(context: Context, path: Path, output: Path) -> BackfillReport:
    """Write a line for each chunk of a JSONL file, in order: its patch, or why it has no patch.

    A chunk has ``chunk_id``, ``text`` and one of ``doc_hash`` and ``doc_id``; other fields are not
    looked at. The output is there whole or not at all.
    """
    cache, report = _ExtractionCache(context), BackfillReport()
    with writing(output) as out:
        for number, raw in read_lines(path):
            row = _backfill_one(cache, raw, number, report)
            report.statuses[row["status"]] += 1
            out.write(json.dumps(row, allow_nan=False).encode("ascii") + b"\n")
    return report


def _backfill_one(cache: _ExtractionCache, raw: bytes, number: int, report: BackfillReport) -> Row:
    chunk = parse_line(raw)
    problem = "expected an object of JSON" if chunk is None else _name_problem(chunk, report.placed)
    if chunk is None or problem is not None:
        name = None if chunk is None else chunk.get("chunk_id")
        why = f"line {number}: {problem}"
        return _to_row(name if isinstance(name, str) else None, "malformed", why)
    name, text = chunk["chunk_id"], chunk["text"]
    try:
        record, extraction = cache.load(chunk.get("doc_hash") or chunk["doc_id"])
    except NotFoundError as error:
        # Erased, or never ingested: the code says which.
        return _to_row(name, "unknown_document", f"{error.code}: {error}")
    existence = find_quote(text, extraction)
    if existence.status not in _FOUND or existence.span is None:
        return _explain(name, existence, extraction)
    span = existence.span
    pieces = [piece.span for piece in existence.candidates] or [span]
    words = extraction.text.slice(span)
    placed = PlacedChunk(
        doc_id=record.doc_ids[0],
        doc_hash=record.document.doc_hash,
        span=span,
        text=words,
    )
    report.placed[name] = placed
    pages = [page.number for page in extraction.pages_of(span)]
    return _to_row(name, "located", None) | {
        "folds": list(existence.folds),
        "codes": [*_edit_codes(existence), *find_cut(extraction, span)],
        "patch": {
            "doc_id": placed.doc_id,
            "doc_hash": str(placed.doc_hash),
            "extraction_id": str(extraction.extraction_id),
            "extraction_pipeline": extraction.pipeline.name,
            "char_start": span.start,
            "char_end": span.end,
            "text_sha256": str(Digest.of(words.encode("utf-8"))),
            "page_start": pages[0] if pages else None,
            "page_end": pages[-1] if pages else None,
            "pieces": [
                {"char_start": piece.start, "char_end": piece.end}
                for piece in (pieces if len(pieces) > 1 else ())
            ],
            "quads": [
                {"page": place.page, "points": quad.to_list()}
                for piece in pieces
                for place in locate_span(extraction, piece)
                for quad in place.quads
            ],
        },
    }


def _name_problem(chunk: Row, placed: Mapping[str, PlacedChunk]) -> str | None:
    for name in ("chunk_id", "text"):
        value = chunk.get(name)
        if not isinstance(value, str) or not value.strip():
            return f"expected a string with words at /{name}, got {show_value(value)}"
    refs = [chunk.get(name) for name in ("doc_hash", "doc_id") if chunk.get(name) is not None]
    if not refs or not all(isinstance(ref, str) and ref for ref in refs):
        return "expected a string at /doc_hash or /doc_id, got neither"
    if chunk["chunk_id"] in placed:
        return f"expected each chunk_id once, got {show_value(chunk['chunk_id'])} again"
    return None


def _edit_codes(existence: Existence) -> list[str]:
    return ["EXISTENCE_EDITORIAL"] if existence.status is ExistenceStatus.EDITORIAL else []


def _explain(name: str, existence: Existence, extraction: Extraction) -> Row:
    """Why a chunk has no place; for several, or for other words, where they stand."""
    places = [existence.span] if existence.span is not None else []
    places += [each.span for each in existence.candidates]
    status = _WHY.get(existence.status, "absent")
    return _to_row(name, status, f"The quote is {existence.status.value} in the document.") | {
        "candidates": [
            {
                "char_start": span.start,
                "char_end": span.end,
                "page": extraction.page_at(span.start).number,
            }
            for span in dict.fromkeys(places)
        ]
    }


def _to_row(name: str | None, status: str, reason: str | None) -> Row:
    return {
        "chunk_id": name,
        "status": status,
        "reason": reason,
        "folds": [],
        "codes": [],
        "candidates": [],
        "patch": None,
    }


class _ExtractionCache:
    """The current extractions of the documents that chunks name, the last few in memory."""

    def __init__(self, context: Context) -> None:
        self._documents = context.store.documents
        self._records: dict[str, DocumentRecord] = {}
        self._held: dict[Digest, Extraction] = {}

    def load(self, ref: str) -> tuple[DocumentRecord, Extraction]:
        """The document of a reference; NotFoundError where it is not kept."""
        record = self._records.get(ref)
        if record is None:
            record = self._documents.find(ref)
            if record is None:
                msg = f"Expected a document that is kept here, got {ref!r}."
                raise NotFoundError(msg, hint="Ingest it first.")
            self._records[ref] = record
        name = record.current_extraction.extraction_id
        if name not in self._held:
            while len(self._held) >= _CACHED:
                del self._held[next(iter(self._held))]
            self._held[name] = self._documents.load_extraction(name)
        return record, self._held[name]


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers; a line that is too long comes cut."""
    try:
        with path.open("rb") as stream:
            number = 0
            while raw := stream.readline(MOST_LINE_BYTES + 1):
                number += 1
                is_cut = len(raw) > MOST_LINE_BYTES
                while is_cut and not raw.endswith(b"\n"):
                    if not (rest := stream.readline(MOST_LINE_BYTES)) or rest.endswith(b"\n"):
                        break
                if raw.strip():
                    yield number, raw
    except OSError as error:
        msg = f"Expected a file of lines at {str(path)!r}, got {error.strerror or error!r}."
        raise UnreadableFileError(msg, hint="Check the path and its permissions.") from error


def parse_line(raw: bytes) -> Row | None:
    """The object of a line; None for anything else."""
    if len(raw) > MOST_LINE_BYTES:
        return None
    try:
        value = load_json(raw)
    except InputError:
        return None
    return value if isinstance(value, dict) else None


@contextmanager
def writing(path: Path) -> Iterator[BufferedWriter]:
    """A file beside its place that takes it when all is written; OutputError where it cannot."""
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") as out:
            yield out
        partial.replace(path)
    except OSError as error:
        msg = f"Expected to write {str(path)!r}, got {error.strerror or error!r}."
        raise OutputError(msg, hint="Give a file in a folder of yours.") from error
    finally:
        partial.unlink(missing_ok=True)


def require_other(path: Path, *others: Path) -> None:
    """Raise InputError where an output would take the place of an input."""
    if path.resolve() in {each.resolve() for each in others}:
        msg = f"Expected another file for the output, got {str(path)!r}, which is read."
        raise InputError(msg, hint="Give --output a name of its own.")
