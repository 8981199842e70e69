"""Step 2, identity: is the document the one cited, which extraction, does the span suit the chunk?

The whole hash decides. A name (``doc_id``) only leads to the version that it named when the answer
was generated. A prefix of a hash, its other case, or the hash of the decoded text never decides
(two published verifiers accept these).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.digest import PREFIX, Digest
from spanproof.core.errors import MalformedDigestError
from spanproof.core.verdicts.status import ChunkStatus, IdentityStatus
from spanproof.core.verdicts.verdict import Identity
from spanproof.verifier.identity.snippet import (
    SNIPPET_LIFTED,
    SOURCE_IS_SNIPPET,
    Lifted,
    find_snippet,
    hold_itself,
    lift,
)

if TYPE_CHECKING:
    from spanproof.core.citation import Answer, Citation
    from spanproof.core.documents.document import Extraction, Library, Source
    from spanproof.core.span import Span

#: The code of a verdict on a version that is not the newest of all its names.
SUPERSEDED_NOW = "SUPERSEDED_NOW"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The identity and, if it is confirmed, the extraction to search; codes explain it.

    ``snippet`` is the text of the request that stands for the document; ``lifted`` its place in a
    supplied document, whose extraction is then the one to search.
    """

    identity: Identity
    extraction: Extraction | None
    codes: tuple[str, ...]
    source: Source | None = None
    snippet: Extraction | None = None
    lifted: Lifted | None = None


def check_identity(citation: Citation, answer: Answer, library: Library) -> Resolved:
    """Resolve the document and the extraction that a citation names."""
    status, source, codes = _find_source(citation, answer, library)
    if status is IdentityStatus.UNKNOWN_DOCUMENT:
        source = find_snippet(citation, answer, library)
    if source is not None and (source.is_snippet or status is IdentityStatus.UNKNOWN_DOCUMENT):
        return _resolve_snippet(source, library)
    if source is None:
        given = citation.doc_hash
        return Resolved(
            identity=Identity(status=status, doc_hash=given, extraction_id=None),
            extraction=None,
            codes=codes,
        )
    extraction = source.find_extraction(citation.extraction_id)
    if extraction is not None and citation.extraction_id is None and citation.extraction_pipeline:
        named = (e for e in source.extractions if e.pipeline.name == citation.extraction_pipeline)
        by_pipeline = next(named, None)
        if by_pipeline is None:
            # Offsets of another pipeline may be off; the ladder finds out, the code says why.
            codes = (*codes, "EXTRACTION_PIPELINE_UNKNOWN")
        extraction = by_pipeline or extraction
    if extraction is None:
        status = IdentityStatus.UNKNOWN_EXTRACTION
    codes = (*codes, *_check_current(source, library))
    return Resolved(
        identity=Identity(
            status=status,
            doc_hash=source.document.doc_hash,
            extraction_id=extraction.extraction_id if extraction else citation.extraction_id,
        ),
        extraction=extraction,
        codes=codes,
        source=source,
    )


def _resolve_snippet(source: Source, library: Library) -> Resolved:
    snippet = source.extractions[0]
    lifted = lift(snippet, library) if source.is_snippet else hold_itself(source)
    extraction = snippet if lifted is None else lifted.extraction
    status, code = IdentityStatus.SNIPPET, SOURCE_IS_SNIPPET
    if lifted is not None:
        status, code = IdentityStatus.MATCH, SNIPPET_LIFTED
    current = () if lifted is None else _check_current(lifted.source, library)
    return Resolved(
        identity=Identity(
            status=status,
            doc_hash=extraction.document.doc_hash,
            extraction_id=extraction.extraction_id,
        ),
        extraction=extraction,
        codes=(code, *current),
        source=source if lifted is None else lifted.source,
        snippet=snippet,
        lifted=lifted,
    )


def _check_current(source: Source, library: Library) -> tuple[str, ...]:
    """SUPERSEDED_NOW where one of the document's names stands for another version by now.

    The citation may name it by a hash, or by a name as of the moment of the answer.
    """
    doc_hash = source.document.doc_hash
    is_current = all(library.resolve(name) == doc_hash for name in library.names_of(doc_hash))
    return () if is_current else (SUPERSEDED_NOW,)


def _find_source(
    citation: Citation, answer: Answer, library: Library
) -> tuple[IdentityStatus, Source | None, tuple[str, ...]]:
    doc_hash, doc_id = citation.doc_hash, citation.doc_id
    if doc_hash is None and doc_id is not None and doc_id.startswith(PREFIX):
        # A doc_id defaults to the hash, so one that reads as a hash is one.
        doc_hash, doc_id = _parse(doc_id), None
        if doc_hash is None:
            return IdentityStatus.UNKNOWN_DOCUMENT, None, ()
    if doc_hash is None:
        named = library.resolve(str(doc_id), at=answer.generated_at)
        source = None if named is None else library.find(named)
        if source is None:
            return IdentityStatus.UNKNOWN_DOCUMENT, None, ()
        return IdentityStatus.MATCH, source, ("HASH_NOT_GIVEN",)
    source = library.find(doc_hash)
    if doc_id is None or doc_id == str(doc_hash):
        return (_known(source), source, ())
    live = library.resolve(doc_id, at=answer.generated_at)
    if live is None:
        return (_known(source), source, ("DOC_ID_UNKNOWN",) if source else ())
    if source is None or doc_id not in library.names_of(doc_hash):
        return IdentityStatus.HASH_MISMATCH, None, ()
    if live != doc_hash:
        return IdentityStatus.SUPERSEDED, source, ()
    return IdentityStatus.MATCH, source, ()


def _known(source: Source | None) -> IdentityStatus:
    return IdentityStatus.UNKNOWN_DOCUMENT if source is None else IdentityStatus.MATCH


def _parse(text: str) -> Digest | None:
    try:
        return Digest.parse(text)
    except MalformedDigestError:
        return None


def check_chunk(
    citation: Citation, answer: Answer, doc_hash: Digest | None, span: Span | None
) -> tuple[ChunkStatus, tuple[str, ...]]:
    """Whether the span lies in the cited chunk, judged against the snapshot that came with it."""
    if citation.chunk_id is None:
        return ChunkStatus.NOT_GIVEN, ()
    chunk = next((c for c in answer.retrieved if c.chunk_id == citation.chunk_id), None)
    if chunk is None:
        return ChunkStatus.UNKNOWN_INDEX, ("CHUNK_NOT_RETRIEVED",) if answer.retrieved else ()
    other_document = chunk.doc_hash is not None and doc_hash is not None
    if other_document and chunk.doc_hash != doc_hash:
        return ChunkStatus.MISMATCH, ("CHUNK_SPAN_MISMATCH",)
    if chunk.span is not None and span is not None:
        inside = chunk.span.contains(span)
    elif chunk.text is not None and citation.quote is not None:
        # Only white space may differ between splitters.
        inside = " ".join(citation.quote.text.split()) in " ".join(chunk.text.split())
    else:
        return ChunkStatus.UNKNOWN_INDEX, ()
    if inside:
        return ChunkStatus.MATCH, ()
    return ChunkStatus.MISMATCH, ("CHUNK_SPAN_MISMATCH",)
