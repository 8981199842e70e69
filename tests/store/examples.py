"""Small extractions, blocks and payloads, and a child process to kill."""

from __future__ import annotations

import json
import os
import traceback
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.canonical_json import dumps
from spanproof.core.chunk_facts import pack_chunk
from spanproof.core.digest import Digest
from spanproof.core.documents.document import (
    CharacterCounts,
    Document,
    Extraction,
    Page,
    PageStatus,
    Pipeline,
)
from spanproof.core.documents.layout import Layout
from spanproof.core.geometry import PageFrame, Rect
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.core.verdicts.reanchoring import Channels, Reanchored, ReanchorStatus
from spanproof.core.verdicts.verdict import Candidate
from spanproof.store.indexes.index_rows import NewVersion
from spanproof.store.records import CrossCheckReport

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanproof.core.documents.document import TextSource
    from spanproof.store import Store
    from spanproof.store.indexes.index_rows import IndexVersion
    from spanproof.store.records import DocumentRecord

#: The bytes of a plain text.
SOURCE = b"Refunds take four business days.\n"
NOON = datetime(2026, 11, 20, 12, 0, 0, 123456, tzinfo=UTC)
HOUR = timedelta(hours=1)


def make_pipeline(name: str = "plain@1+canon-1") -> Pipeline:
    """A pipeline whose configuration is its name."""
    return Pipeline(name=name, config_json=dumps({"name": name}).decode())


def make_plain(
    source: bytes = SOURCE,
    *,
    text: str | None = None,
    pipeline: str = "plain@1+canon-1",
    text_source: TextSource = "born_digital",
    status: PageStatus = "ok",
    repaired: bool = False,
) -> Extraction:
    """Plain text: one page, no frame, no layout."""
    canonical = CanonicalText.of(source.decode() if text is None else text)
    page = Page(
        number=1,
        label=None,
        span=Span(0, len(canonical)),
        frame=None,
        text_source=text_source,
        counts=CharacterCounts(characters=len(canonical), soft_hyphen=2),
        status=status,
        problem=None if status == "ok" else "cycle in page tree",
    )
    return Extraction(
        document=Document(
            doc_hash=Digest.of(source), media_type="text/plain", byte_length=len(source)
        ),
        pipeline=make_pipeline(pipeline),
        text=canonical,
        pages=(page,),
        layout=None,
        repaired=repaired,
    )


def make_laid_out(source: bytes = b"%PDF-1.7 not really") -> Extraction:
    """Two characters in one run on the first of two pages, the second one empty."""
    text = CanonicalText.of("Hi")
    frame = PageFrame(view_box=Rect(0, 0, 612, 792), media_box=Rect(0, 0, 612, 792), rotation=90)
    one = np.array([0], dtype=np.int32)
    layout = Layout(
        run_start=one,
        run_end=np.array([2], dtype=np.int32),
        run_x=np.array([7200], dtype=np.int32),
        run_y=np.array([70000], dtype=np.int32),
        run_cos=np.array([1], dtype=np.float32),
        run_sin=np.array([0], dtype=np.float32),
        run_ascent=np.array([900], dtype=np.int32),
        run_descent=np.array([-200], dtype=np.int32),
        left=np.array([0, 800], dtype=np.int32),
        right=np.array([800, 1200], dtype=np.int32),
        flags=np.array([0, 2], dtype=np.uint16),
    )
    counts = CharacterCounts(characters=2, invisible=1)
    pages = (
        Page(
            number=1,
            label="i",
            span=Span(0, 2),
            frame=frame,
            text_source="born_digital",
            counts=counts,
        ),
        Page(
            number=2,
            label=None,
            span=Span(2, 2),
            frame=frame,
            text_source="none",
            counts=CharacterCounts(),
        ),
    )
    return Extraction(
        document=Document(
            doc_hash=Digest.of(source), media_type="application/pdf", byte_length=len(source)
        ),
        pipeline=make_pipeline("pymupdf@2.0+canon-1"),
        text=text,
        pages=pages,
        layout=layout,
        originals=((1, 0),),
    )


def add(
    store: Store,
    extraction: Extraction,
    source: bytes,
    *,
    doc_id: str | None = None,
    title: str | None = None,
    added_at: datetime = NOON,
) -> DocumentRecord:
    """Stage the source and add the extraction, as an upload does."""
    with store.blobs.stage() as staged:
        for start in range(0, len(source), 7):
            staged.write(source[start : start + 7])
        store.documents.add(extraction, staged, doc_id=doc_id, title=title, added_at=added_at)
    record = store.documents.find(str(extraction.document.doc_hash))
    assert record is not None
    return record


def add_plain(store: Store, source: bytes, **given: Any) -> DocumentRecord:
    """Add plain text."""
    return add(store, make_plain(source), source, **given)


def add_cross_check(
    store: Store, extraction: Extraction, *disagreements: Span, added_at: datetime = NOON
) -> CrossCheckReport:
    """Keep a second engine's report on an extraction."""
    pipeline = make_pipeline("pypdfium2@5.15.2+canon-1")
    report = CrossCheckReport(
        engine=pipeline.name,
        pipeline_digest=pipeline.digest,
        characters=2,
        agreeing=2 - sum(map(len, disagreements)),
        disagreements=disagreements,
        unread=(Span(1, 2),),
        extra=7,
        extra_spaces=1,
        extra_pages=(1,),
    )
    store.documents.add_cross_check(
        extraction.extraction_id, report, pipeline=pipeline, added_at=added_at
    )
    return report


def make_verdict(
    *,
    doc_hash: Digest | None = None,
    outcome: str = "pass",
    codes: tuple[str, ...] = (),
    pages: tuple[int, ...] = (1,),
    citation: int = 0,
    extraction_id: Digest | None = None,
) -> dict[str, Any]:
    """One verdict with the fields that the store reads."""
    return {
        "anchor": 1,
        "citation": citation,
        "claim": {"text": "four days \ud800", "start": 0, "end": 9, "hypothesis": "\u0000"},
        "identity": {
            "status": "MATCH" if doc_hash else "UNKNOWN_DOCUMENT",
            "doc_hash": None if doc_hash is None else str(doc_hash),
            "extraction_id": None if extraction_id is None else str(extraction_id),
            "chunk": "NOT_GIVEN",
        },
        "existence": {"status": "EXACT", "char_start": 4, "char_end": 12},
        "locator": {
            "status": "MATCH",
            "page": pages[0] if pages else None,
            "quads": [{"page": page, "points": [0.5] * 8} for page in pages],
        },
        "outcome": outcome,
        "codes": list(codes),
    }


def make_block(*verdicts: dict[str, Any], result: str = "pass") -> dict[str, Any]:
    """A block with the fields that the store reads, and a number that floats print oddly."""
    return {
        "result": result,
        "citation_level": "GREEN",
        "citation_density": 0.1 + 0.2,
        "verdicts": list(verdicts),
    }


def make_payload(**given: Any) -> bytes:
    """A native answer; white space and key order are the caller's own."""
    payload = {"answer": "Four days [1].", "citations": [{"anchor": 1}]} | given
    return json.dumps(payload, indent=3).encode()


def make_record(chunk_id: str, text: bytes = b"words", *, start: int = 0) -> bytes:
    """The record of a chunk of one document."""
    return pack_chunk(
        chunk_id=chunk_id,
        doc_id="handbook",
        doc_hash=Digest.of(b"first"),
        text_sha256=Digest.of(text),
        spans_sha256=None,
        extraction_pipeline="plain@1+canon-1",
        start=start,
        end=start + len(text),
    )


def add_index(
    store: Store,
    *,
    name: str = "contracts",
    version: str = "v1",
    manifest: bytes = b"rows",
    records: Sequence[bytes] = (make_record("c1"),),
    registered_at: datetime = NOON,
) -> tuple[IndexVersion, bool]:
    """Register a version of an index, as its manifest's reader does."""
    with (
        store.blobs.stage() as staged,
        store.indexes.sort_records(iter(records), store.home) as facts,
    ):
        staged.write(manifest)
        return store.indexes.add(
            NewVersion(name=name, version=version, registered_at=registered_at),
            staged,
            facts,
            rows_with_offsets=len(records),
            header={"name": name},
        )


def add_reanchored(store: Store, source: Digest, target: Digest) -> int:
    """Keep where the citations of an extraction stand in another: two characters on."""
    found = [
        (
            each,
            Reanchored(
                status=ReanchorStatus.MOVED,
                channels=Channels.TEXT_ONLY,
                span=Span(each.start + 2, each.end + 2),
                candidates=(Candidate(span=Span(0, 1), doc_hash=source),),
                reason="unique",
            ),
        )
        for each in store.indexes.citations_in(source)
    ]
    return store.indexes.add_reanchored(found, source=source, target=target, added_at=NOON)


def run_in_child(work: Callable[[], None]) -> int:
    """Run in a forked process; its exit status, negative for the signal that killed it."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:  # noqa: BLE001 - the child must end here, whatever happens
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def blob_files(store: Store) -> set[str]:
    """The names of all blobs in the store's folder."""
    return {path.name for path in (store.home / "blobs").rglob("*") if path.is_file()}
