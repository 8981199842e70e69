"""The prose of a payload that is only marked text, and the chunks that markers may name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.citation import Anchor, Quote
from spanproof.verifier.formats.envelope import SuppliedDocument, malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanproof.core.citation import Retrieval
    from spanproof.core.span import Span
    from spanproof.verifier.formats.draft import Draft
    from spanproof.verifier.formats.envelope import Envelope

RESPONSE = "/response"
_ROLE = "/role"
#: Only its turn is read: a user's brackets are not citations.
ASSISTANT = "assistant"


def read_prose(envelope: Envelope) -> tuple[str, tuple[str, ...]]:
    """The text (a string, or an object whose ``text`` is one) and the other names of the object.

    Raises MalformedAnswerError for anything else, and for a turn that is not the assistant's.
    """
    role = envelope.fields.get("role", ASSISTANT)
    if role != ASSISTANT:
        expected = "'assistant', whose turn alone is read"
        raise malformed(_ROLE, expected, role)
    response = envelope.response
    if isinstance(response, str):
        return response, ()
    if not isinstance(response, dict):
        expected = "a string, or an object with 'text'"
        raise malformed(RESPONSE, expected, response)
    if not isinstance(response.get("text"), str):
        raise malformed(f"{RESPONSE}/text", "a string", response.get("text"))
    return response["text"], tuple(sorted(set(response) - {"text"}))


def cite_chunk(draft: Draft, chunk: Retrieval, number: int, places: Iterable[Span]) -> None:
    """One citation of a retrieved chunk, on every place of the prose that names it.

    Its quote is the chunk's text, at the chunk's offsets if it has some; without a text there is no
    quote. The chunk names its document: see ``has_document``.
    """
    span = chunk.span
    document = SuppliedDocument(doc_hash=chunk.doc_hash, doc_id=chunk.doc_id)
    draft.cite(
        document=document,
        named=document.reference,
        quote=None
        if not chunk.text
        else Quote(
            text=chunk.text,
            start=None if span is None else span.start,
            end=None if span is None else span.end,
        ),
        number=number,
        chunk_id=chunk.chunk_id,
        retrieval_score=chunk.score,
    )
    draft.anchors += [Anchor(number=number, span=place) for place in places]


def has_document(chunk: Retrieval) -> bool:
    """Whether the retrieved chunk names its document."""
    return chunk.doc_hash is not None or bool(chunk.doc_id)


def choose_one(chunks: Sequence[Retrieval]) -> Retrieval | None:
    """The chunk, if all are the same words at the same place; None if they differ."""
    places = {(c.chunk_id, c.doc_id, c.doc_hash, c.text, c.span) for c in chunks}
    return chunks[0] if len(places) == 1 else None


def next_number(draft: Draft) -> int:
    """The first number after those of the draft's anchors and citations."""
    taken = [c.anchor for c in draft.citations] + [a.number for a in draft.anchors]
    return max(taken, default=0) + 1
