"""Google Check Grounding (``:check``): claims of a candidate answer and facts that support them.

Source: the discoveryengine types. The response lacks the answer: it is read from the request's
``answerCandidate``. Claims are in UTF-8 bytes with an exclusive end and carry their text.
``citedChunks[].source`` is the index of the request's fact, as a string.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.citation import Retrieval
from spanproof.core.verdicts.verification_block import UNGROUNDED
from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.either_case import note_scores, open_request_and_response
from spanproof.verifier.formats.providers.payload import (
    cite_segment,
    find_cited,
    quote_of,
    raise_malformed,
)

if TYPE_CHECKING:
    from spanproof.core.span import Span
    from spanproof.verifier.formats.envelope import Envelope, SuppliedDocument
    from spanproof.verifier.formats.providers.either_case import EitherCaseReader


def read(envelope: Envelope) -> Draft:
    """Read ``{"request": …, "response": …}``, or a response with ``answerCandidate`` beside."""
    draft = Draft(envelope, origin="check-grounding", declared_unit="utf8")
    request, response = open_request_and_response(envelope)
    candidate = request.text("answerCandidate")
    if candidate is None:
        raise_malformed(request.at("answerCandidate"), "the text that was checked", None)
    if not response.has("claims", "citedChunks", "citedFacts", "supportScore"):
        raise_malformed(response.at("claims"), "the claims of a Check Grounding response", None)
    within = draft.write(candidate)
    name = "citedChunks" if response.has("citedChunks") else "citedFacts"
    facts = [fact.text("factText") or "" for fact in request.open_each("facts")]
    chunks = [_Chunk(draft, reader, facts) for reader in response.open_each(name)]
    for position, chunk in enumerate(chunks):
        chunk.keep(draft, f"{name}/{position}", position + 1)
    for claim in response.open_each("claims"):
        _read_claim(draft, claim, within, chunks)
    return draft


class _Chunk:
    """One cited chunk: a part of a fact of the request, or of a text that the service found."""

    def __init__(self, draft: Draft, reader: EitherCaseReader, facts: list[str]) -> None:
        source, self.uri = reader.text("source"), reader.text("uri")
        self.text, self.title = reader.text("chunkText"), reader.text("title")
        index = (
            int(source) if source is not None and source.isascii() and source.isdigit() else None
        )
        self.document: SuppliedDocument | None = find_cited(
            draft,
            reader.pointer,
            index=index,
            uri=self.uri,
            file_id=source if index is None else None,
        )
        self.named = f"fact:{source}" if index is not None else source or self.uri or reader.pointer
        fact = facts[index] if index is not None and index < len(facts) else None
        if facts and index is not None and (self.text or "") not in (fact or ""):
            detail = f"Its words do not stand in fact {index} of the request."
            draft.remark(reader.pointer, "CHUNK_NOT_IN_FACT", detail)

    def keep(self, draft: Draft, name: str, rank: int) -> None:
        """Note it as a retrieved chunk."""
        if self.text is not None:
            document = self.document
            chunk = Retrieval(
                chunk_id=name,
                doc_id=document.doc_id if document else self.named,
                doc_hash=document.doc_hash if document else None,
                text=self.text,
                rank=rank,
            )
            draft.retrieved.append(chunk)


def _read_claim(draft: Draft, claim: EitherCaseReader, within: Span, chunks: list[_Chunk]) -> None:
    start, end = claim.offsets("startPos", "endPos")
    segment = draft.place(claim.pointer, within, start, end, claim.text("claimText"))
    indices = list(claim.items("citationIndices"))
    if claim.fields.get(claim.spell("groundingCheckRequired")) is False:
        draft.remark(claim.pointer, "NOT_CHECKED", "The provider did not check this claim.")
    elif not indices:
        draft.remark(claim.pointer, UNGROUNDED, "The provider found nothing that supports it.")
    score = claim.optional("score", float)
    if score is not None:
        note_scores(draft, claim.at("score"), score)
    for pointer, index in indices:
        known = isinstance(index, int) and not isinstance(index, bool)
        if not known or not 0 <= index < len(chunks):
            draft.skip(pointer, f"Cited chunk {index!r} of {len(chunks)}: there is none.")
            continue
        chunk = chunks[index]
        cite_segment(
            draft,
            pointer,
            segment,
            named=chunk.named,
            document=chunk.document,
            quote=quote_of(chunk.text),
            doc_title=chunk.title,
            doc_url=chunk.uri,
        )
