"""Bytes → a stored document: hashed while staged, read in a cage, kept or refused whole."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from spanproof.core.errors import ExtractionError
from spanproof.operations.documents.cross_check import cross_check_document
from spanproof.operations.documents.ingest_report import IngestReport, to_refused_report, to_report
from spanproof.operations.documents.references import load_record
from spanproof.operations.errors import (
    DigestMismatchError,
    DocumentTooLargeError,
    UnreadableFileError,
)
from spanproof.operations.keeping.words import find_words

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from pathlib import Path

    from spanproof.core.digest import Digest
    from spanproof.ingest.limits import OcrChoice
    from spanproof.operations.context import Context
    from spanproof.store.blobs.port import StagedBlob

CHUNK_BYTES = 1024**2
# Between two looks at whether the documents that were being read are given up.
_POLL_SECONDS = 0.05
#: What clients send as a type when they know none (curl: a form).
_NO_WORD = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/x-www-form-urlencoded"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOptions:
    """How a document is read, beyond the settings.

    ``ocr`` asks for another extraction, in which pages without text are read from their images;
    ``cross_check`` lets the second PDF engine read the whole document and keeps the differences.
    """

    ocr: OcrChoice | None = None
    cross_check: bool = False


_AS_IT_IS = IngestOptions()


def ingest_files(
    context: Context,
    paths: Iterable[Path],
    *,
    doc_id: str | None = None,
    options: IngestOptions = _AS_IT_IS,
    on_done: Callable[[], None] | None = None,
) -> Generator[IngestReport]:
    """Ingest files, several at once; the reports come in the order of the paths.

    Calls ``on_done`` as each file is done, in any order, from any thread.
    """
    reading: set[Path] = set()

    def ingest(path: Path) -> IngestReport:
        reading.add(path)
        try:
            return ingest_file(context, path, doc_id=doc_id, options=options)
        finally:
            reading.discard(path)
            if on_done is not None:
                on_done()

    with ThreadPoolExecutor(max_workers=context.workers) as pool:
        try:
            yield from pool.map(ingest, paths)
        except BaseException:
            # After an early stop (an interrupt, a full disk) wait neither for files that have not
            # started nor for those being read; a file at its beginning opens the parser again.
            pool.shutdown(wait=False, cancel_futures=True)
            while reading:
                context.parser.close()
                time.sleep(_POLL_SECONDS)
            raise


def ingest_file(
    context: Context,
    path: Path,
    *,
    doc_id: str | None = None,
    options: IngestOptions = _AS_IT_IS,
) -> IngestReport:
    """Ingest one file; a refusal is a report, so that one bad file never stops the others."""
    with context.store.blobs.stage() as staged:
        try:
            stage_chunks(context, staged, _read_chunks(path))
        except (ExtractionError, UnreadableFileError) as error:
            return to_refused_report(str(path), error)
        try:
            announced = Announced(filename=path.name, doc_id=doc_id)
            return ingest_staged(context, staged, announced, options).at(str(path))
        except ExtractionError as error:
            return to_refused_report(
                str(path), error, doc_hash=staged.digest, byte_length=staged.size
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """What a caller says of a document's bytes.

    The first bytes decide the type; ``media_type`` only settles what they leave open (plain text or
    Markdown, and its charset). ``expected`` is the digest that the bytes must have.
    """

    media_type: str | None = None
    filename: str | None = None
    doc_id: str | None = None
    title: str | None = None
    expected: Digest | None = None


def ingest_stream(  # noqa: PLR0913 - what a caller may say of bytes it sends
    context: Context,
    chunks: Iterable[bytes],
    *,
    media_type: str | None,
    filename: str | None,
    doc_id: str | None,
    title: str | None = None,
    expected: Digest | None = None,
    options: IngestOptions = _AS_IT_IS,
) -> IngestReport:
    """Ingest bytes as they come; raise ExtractionError where they are refused."""
    with context.store.blobs.stage() as staged:
        stage_chunks(context, staged, chunks)
        announced = Announced(
            media_type=media_type,
            filename=filename,
            doc_id=doc_id,
            title=title,
            expected=expected,
        )
        return ingest_staged(context, staged, announced, options)


def _read_chunks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as stream:
            yield from iter(partial(stream.read, CHUNK_BYTES), b"")
    except OSError as error:
        msg = f"Expected a file that can be read, got {str(path)!r} ({error.strerror})."
        raise UnreadableFileError(msg, hint="Check the path and its permissions.") from error


def stage_chunks(context: Context, staged: StagedBlob, chunks: Iterable[bytes]) -> None:
    """Add chunks to staged bytes; raise DocumentTooLargeError once they pass the cap."""
    cap = context.settings.max_document_bytes
    for chunk in chunks:
        if staged.size + len(chunk) > cap:
            raise to_too_large(cap, staged.size + len(chunk))
        staged.write(chunk)


def to_too_large(cap: int, got: int) -> DocumentTooLargeError:
    """The refusal of a document over the cap."""
    msg = f"Expected at most {cap} bytes, got {got} or more."
    return DocumentTooLargeError(msg, hint="Split the document, or raise the limit.")


def ingest_staged(
    context: Context,
    staged: StagedBlob,
    announced: Announced,
    options: IngestOptions = _AS_IT_IS,
) -> IngestReport:
    """Read and keep bytes that are staged whole; if this raises, nothing is kept."""
    check_expected(staged, announced.expected)
    content, filename, doc_id = staged.path.read_bytes(), announced.filename, announced.doc_id
    hint = find_text_hint(content, filename, announced.media_type)
    try:
        extraction = context.parser.extract(
            content, media_type=hint, filename=filename, ocr=options.ocr
        )
    except ExtractionError:
        context.metrics.count_document("refused")
        raise
    is_new = context.store.documents.add(
        extraction,
        staged,
        doc_id=doc_id,
        title=announced.title,
        added_at=datetime.now(UTC),
        seals=find_words(context).mode == "encrypted",
    )
    refusal = cross_check_document(context, extraction, content) if options.cross_check else None
    # By its own id: the document's current extraction may be a newer pipeline's.
    record = load_record(context, str(extraction.extraction_id))
    report = to_report(
        record, path=filename, doc_id=doc_id, is_new=is_new, cross_check_refusal=refusal
    )
    context.metrics.count_document(report.status)
    return report


def check_expected(staged: StagedBlob, expected: Digest | None) -> None:
    """Raise DigestMismatchError where the bytes are not those that were announced."""
    if expected is not None and staged.digest != expected:
        msg = f"Expected bytes of {expected}, got {staged.digest}."
        raise DigestMismatchError(msg, hint="Send the file again, whole and unchanged.")


def find_text_hint(content: bytes, filename: str | None, media_type: str | None) -> str | None:
    """The caller's media type for text; the bytes of a PDF or a container show their own type.

    Text that was announced as something else (an error page sent as a PDF) is refused by the
    extraction, which gets that word. Clients that know no type send none or a form's.
    """
    from spanproof.ingest.media_detection import is_self_describing

    kind = (media_type or "").partition(";")[0].strip().lower()
    return None if kind in _NO_WORD or is_self_describing(content, filename) else media_type


def walk_paths(paths: Iterable[Path]) -> Iterator[Path]:
    """The files to ingest: folders in sorted order, without hidden files and links.

    A path that cannot be walked is yielded as it is: ingesting it says why it cannot be read.
    """
    for path in paths:
        try:
            children = sorted(path.iterdir()) if path.is_dir() else None
        except OSError:
            children = None
        if children is None:
            yield path
        else:
            # A link may lead out of the folder, or back to where it stands; a pipe would be waited
            # on for ever.
            yield from walk_paths(child for child in children if _is_walked(child))


def _is_walked(child: Path) -> bool:
    if child.name.startswith("."):
        return False
    try:
        return not child.is_symlink() and (child.is_file() or child.is_dir())
    except OSError:
        return True
