"""The documents of a verification as they were when it was made: same versions, same extractions.

The store only grows: its content at a moment is its content now, less what came later. The replay
uses the extractions that the block names, even if newer ones exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.documents.document import Library, Source
from spanproof.core.errors import DocumentNotFoundError, ExtractionNotFoundError
from spanproof.operations.documents.source_states import with_states
from spanproof.operations.verification.judging import list_documents
from spanproof.verifier.identity.names import list_names

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.citation import Answer
    from spanproof.core.documents.document import Extraction
    from spanproof.operations.context import Context

_UNKNOWN = "UNKNOWN_DOCUMENT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """What the stored verdicts say of documents: by hash, the extractions that were read.

    ``read`` are all of them, ``defaults`` the one where a citation named none; ``unknown``
    documents were not kept then.
    """

    read: dict[Digest, frozenset[Digest]]
    defaults: dict[Digest, Digest]
    unknown: frozenset[Digest]

    @classmethod
    def of(cls, verdicts: list[dict[str, Any]], answer: Answer) -> Pins:
        """Read them from the verdicts; raises KeyError and the like for other values."""
        read: dict[Digest, frozenset[Digest]] = {}
        defaults: dict[Digest, Digest] = {}
        unknown: set[Digest] = set()
        for verdict in verdicts:
            identity, citation = verdict["identity"], answer.citations[verdict["citation"]]
            if identity["doc_hash"] is None:
                continue
            doc_hash = Digest.parse(identity["doc_hash"])
            if identity["status"] == _UNKNOWN:
                unknown.add(doc_hash)
            # With any other status nothing was read: no kept extraction, or another version.
            if identity["status"] not in {"MATCH", "SUPERSEDED"}:
                continue
            extraction_id = Digest.parse(identity["extraction_id"])
            newest = identity.get("newest")
            later = {Digest.parse(newest["extraction_id"])} if newest else set()
            read[doc_hash] = read.get(doc_hash, frozenset()) | {extraction_id} | later
            if citation.extraction_id is None and citation.extraction_pipeline is None:
                defaults.setdefault(doc_hash, extraction_id)
        return cls(read=read, defaults=defaults, unknown=frozenset(unknown))


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenLibrary:
    """The library as it was; ``missing`` are supplied documents that are not here."""

    library: Library
    missing: tuple[str, ...]


def freeze_library(
    context: Context, answer: Answer, pins: Pins, *, at: datetime, is_ours: bool
) -> FrozenLibrary:
    """The documents of an answer as they were at a moment.

    ``is_ours``: verified in this store, so what came later was not there. Else the documents may
    have been ingested for this replay, and those of which nothing older is kept are taken as they
    are. Raises NotFoundError where a document or extraction that was read is not here.
    """
    hashes, names = list_documents(answer)
    # A document that took the place of a submitted text was supplied by nobody.
    any_name = [*names, *list_names(answer)]
    now = context.store.documents.load_library(dict.fromkeys([*hashes, *pins.read]), any_name)
    for doc_hash, extraction_ids in pins.read.items():
        _require(now, doc_hash, extraction_ids)
    sources = []
    for source in now.sources:
        doc_hash = source.document.doc_hash
        if doc_hash in pins.unknown:
            continue
        early = context.store.documents.extractions_until(doc_hash, at)
        read = pins.read.get(doc_hash, frozenset())
        wanted = early | read
        kept = [each for each in source.extractions if each.extraction_id in wanted]
        if not kept and not is_ours:
            kept = list(source.extractions)
        if kept:
            ordered = _put_first(kept, pins.defaults.get(doc_hash), read)
            sources.append(
                Source(document=source.document, extractions=tuple(ordered), title=source.title)
            )
    held = {source.document.doc_hash for source in sources}
    early_ids = {name.doc_id for name in now.names if name.since <= at}
    kept_names = tuple(
        name
        for name in now.names
        if name.since <= at
        or name.doc_id == str(name.doc_hash)
        or (not is_ours and name.doc_id not in early_ids)
    )
    known = {*map(str, held), *(name.doc_id for name in kept_names)}
    missing = [ref for ref in [*map(str, hashes), *names] if ref not in known]
    library = Library(sources=tuple(sources), names=kept_names)
    return FrozenLibrary(library=with_states(context, library, until=at), missing=tuple(missing))


def _require(library: Library, doc_hash: Digest, extraction_ids: frozenset[Digest]) -> None:
    source = library.find(doc_hash)
    if source is None:
        msg = f"Expected the document {doc_hash} that was verified against, got none."
        raise DocumentNotFoundError(msg, hint="Ingest that very file, then replay again.")
    for extraction_id in sorted(extraction_ids, key=str):
        if source.find_extraction(extraction_id) is None:
            got = ", ".join(str(each.extraction_id) for each in source.extractions)
            msg = f"Expected extraction {extraction_id} of document {doc_hash}, got {got}."
            hint = "Replay where it was verified, or with the extraction pipeline of then."
            raise ExtractionNotFoundError(msg, hint=hint)


def _put_first(
    extractions: list[Extraction], default: Digest | None, read: frozenset[Digest]
) -> list[Extraction]:
    """With the one in front that a citation without an extraction meant then."""
    pinned = next((e for e in extractions if e.extraction_id == default), None)
    if pinned is None:
        return extractions
    others = [e for e in extractions if e is not pinned]
    if pinned.is_ocr:
        # The library would prefer any extraction without OCR.
        others = [e for e in others if e.is_ocr or e.extraction_id in read]
    return [pinned, *others]
