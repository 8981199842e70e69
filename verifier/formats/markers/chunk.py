"""``[citation:docId:chunkId]``: each cites a chunk that was really retrieved, or is an orphan.

``retrieved`` stands in the envelope; ``response`` is the prose, or an object whose ``text`` is. The
quote is the retrieved chunk's text. ``docId`` is its ``doc_id`` or ``doc_hash``, ids
percent-decoded. Text that only looks like a citation is reported, never accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.citation import Anchor
from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.grammars.tokenizer import tokenize
from spanproof.verifier.formats.markers.near_misses import find_near_misses
from spanproof.verifier.formats.markers.prose import (
    RESPONSE,
    choose_one,
    cite_chunk,
    has_document,
    next_number,
    read_prose,
)

if TYPE_CHECKING:
    from spanproof.core.citation import Retrieval
    from spanproof.core.span import Span
    from spanproof.verifier.formats.envelope import Envelope

GRAMMAR = "chunk"
NOT_RETRIEVED = "CHUNK_NOT_RETRIEVED"


def read(envelope: Envelope) -> Draft:
    """A text with chunk citations; raise MalformedAnswerError for another response."""
    prose, others = read_prose(envelope)
    draft = Draft(envelope, origin=GRAMMAR, declared_unit="codepoint")
    draft.write(prose)
    for name in others:
        draft.skip(f"{RESPONSE}/{name}", "Not a part of the prose.", code="FIELD_UNREAD")
    read_markers(draft)
    return draft


def read_markers(draft: Draft) -> None:
    """Add a citation for each retrieved chunk that the draft's prose cites."""
    origin, draft.origin = draft.origin, GRAMMAR
    prose, retrieved = draft.prose, draft.envelope.details["retrieved"]
    places: dict[tuple[str, ...], list[Span]] = {}
    for token in tokenize(prose, (GRAMMAR,)):
        places.setdefault(token.values, []).append(token.span)
    cited = False
    for (doc, chunk_id), spans in places.items():
        number = next_number(draft)
        chunk, why = _find_chunk(doc, chunk_id, retrieved)
        if chunk is None:
            draft.anchors += [Anchor(number=number, span=span) for span in spans]
            draft.remark(RESPONSE, NOT_RETRIEVED, f"{doc}:{chunk_id} at {spans[0].start}: {why}")
            continue
        cited = True
        cite_chunk(draft, chunk, number, spans)
    if not cited:
        for miss in find_near_misses(prose, [chunk.chunk_id for chunk in retrieved]):
            draft.remark(RESPONSE, "NEAR_MISS", f"{miss.kind} at {miss.span.start}: {miss.text!r}")
    draft.origin = origin


def _find_chunk(
    doc: str, chunk_id: str, retrieved: tuple[Retrieval, ...]
) -> tuple[Retrieval | None, str]:
    named = [chunk for chunk in retrieved if chunk.chunk_id == chunk_id]
    found = [
        chunk
        for chunk in named
        if doc == chunk.doc_id or (chunk.doc_hash is not None and doc == str(chunk.doc_hash))
    ]
    if not found:
        if any(not has_document(chunk) for chunk in named):
            return None, "that chunk was retrieved without a document's name."
        return None, "that chunk is of another document." if named else "no such chunk."
    chunk = choose_one(found)
    return chunk, "several different chunks have that name."
