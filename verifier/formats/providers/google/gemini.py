"""Gemini and Vertex ``GenerateContentResponse``, whole or as the list of its stream's messages.

Source: ``types.py`` of google-genai 3.4. A segment is in UTF-8 bytes with an exclusive end,
relative to one part of the content (``partIndex``, left out where it is 0) and mostly carries its
text. Each pair of a segment and a grounding chunk is one citation; the chunk's words are the quote.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.either_case import note_scores, open_either_case
from spanproof.verifier.formats.providers.google.gemini_chunks import keep_retrieved, read_chunk
from spanproof.verifier.formats.providers.google.gemini_parts import read_messages
from spanproof.verifier.formats.providers.payload import (
    cite_segment,
    find_cited,
    quote_of,
    skip_null,
)
from spanproof.verifier.formats.units import check_slice

if TYPE_CHECKING:
    from spanproof.core.span import Span
    from spanproof.verifier.formats.envelope import Envelope
    from spanproof.verifier.formats.providers.either_case import EitherCaseReader
    from spanproof.verifier.formats.providers.google.gemini_chunks import GroundingChunk
    from spanproof.verifier.formats.providers.google.gemini_parts import Parts

#: The recitations of both APIs: Vertex writes the one, the Gemini API the other.
_RECITATIONS = ("citations", "citationSources")


def read(envelope: Envelope) -> Draft:
    """Read the first candidate of a response, or of the list of a stream's responses."""
    draft = Draft(envelope, origin="gemini", declared_unit="utf8")
    candidates, parts = read_messages(draft, envelope.response)
    reading = GroundingReader(draft, parts)
    for candidate in candidates:
        metadata = candidate.open("groundingMetadata")
        if metadata is not None:
            reading.read(metadata)
        recitations = candidate.open("citationMetadata")
        if recitations is not None:
            _read_recitations(draft, parts, recitations)
        for old in candidate.open_each("groundingAttributions"):
            draft.skip(old.pointer, "A groundingAttribution of an old version is not read.")
    return draft


class GroundingReader:
    """Reads grounding metadata over prose that is already written.

    Each message of a stream may bring its own, and may repeat what an earlier one said.
    """

    def __init__(self, draft: Draft, parts: Parts) -> None:
        self._draft = draft
        self._parts = parts
        self._chunks: list[GroundingChunk] = []
        self._seen: set[str] = set()

    def read(self, metadata: EitherCaseReader) -> None:
        """Add a citation for every pair of segment and chunk, and the chunks as retrieved."""
        if metadata.has("groundingChunks"):
            readers = list(metadata.open_each("groundingChunks"))
            self._chunks = [read_chunk(self._draft, reader) for reader in readers]
            for position, (chunk, reader) in enumerate(zip(self._chunks, readers, strict=True)):
                if self._is_new(reader.fields):
                    keep_retrieved(self._draft, chunk, f"groundingChunks/{position}", position + 1)
        for support in metadata.open_each("groundingSupports"):
            self._read_support(support)

    def _read_support(self, support: EitherCaseReader) -> None:
        draft = self._draft
        if not self._is_new(support.fields):
            draft.remark(support.pointer, "DUPLICATE_COLLAPSED", "An earlier message brought it.")
            return
        indices = list(support.items("groundingChunkIndices"))
        segment = self._place(support)
        scores = support.fields.get(support.spell("confidenceScores"))
        if scores:
            note_scores(draft, support.at("confidenceScores"), scores)
        if not indices:
            draft.skip(support.pointer, "A support that names no grounding chunk.")
        for pointer, index in indices:
            known = isinstance(index, int) and not isinstance(index, bool)
            if not known or not 0 <= index < len(self._chunks):
                detail = f"Grounding chunk {index!r} of {len(self._chunks)}: there is none."
                draft.skip(pointer, detail)
                continue
            chunk = self._chunks[index]
            cite_segment(
                draft,
                pointer,
                segment,
                named=chunk.named,
                document=chunk.document,
                quote=chunk.quote,
                pages=chunk.pages,
                doc_title=chunk.title,
                doc_url=chunk.url,
                chunk_id=chunk.chunk_id,
            )

    def _place(self, support: EitherCaseReader) -> Span | None:
        """Where a segment stands: in its part, or in the whole if only that fits its text."""
        segment = support.open("segment")
        if segment is None:
            return None
        draft, whole = self._draft, self._parts.whole
        start, end = segment.offsets("startIndex", "endIndex")
        text, position = segment.text("text"), segment.integer("partIndex") or 0
        part = self._parts.find(position)
        if text is not None and part != whole:
            body = "" if part is None else draft.prose[part.start : part.end]
            in_whole = check_slice(draft.prose[whole.start : whole.end], start, end, text)
            if check_slice(body, start, end, text) is None and in_whole is not None:
                detail = f"The offsets fit the whole answer, not part {position}."
                draft.remark(segment.pointer, "PART_INDEX_MISMATCH", detail)
                part = whole
        if part is None:
            detail = f"Part {position} is not part of the answer's text."
            draft.remark(segment.pointer, "SEGMENT_OUT_OF_RANGE", detail)
            return None
        return draft.place(segment.pointer, part, start, end, text)

    def _is_new(self, fields: object) -> bool:
        key = json.dumps([fields, [chunk.named for chunk in self._chunks]], sort_keys=True)
        is_new = key not in self._seen
        self._seen.add(key)
        return is_new


def _read_recitations(draft: Draft, parts: Parts, metadata: EitherCaseReader) -> None:
    """Passages that the model copied from a source: the answer's own words are the quote."""
    for name in _RECITATIONS:
        for pointer, item in metadata.items(name):
            if skip_null(draft, pointer, item):
                continue
            reader = open_either_case(item, pointer)
            uri, title = reader.text("uri"), reader.text("title")
            start, end = reader.offsets("startIndex", "endIndex")
            if uri is None and title is None:
                detail = f"A passage copied from a source that is not named ({start} to {end})."
                draft.skip(pointer, detail)
                continue
            detail = f"The model copied this passage; licence {reader.text('license')!r}."
            draft.remark(pointer, "RECITATION", detail)
            segment = draft.place(pointer, parts.whole, start, end, None)
            copied = None if segment is None else draft.prose[segment.start : segment.end]
            cite_segment(
                draft,
                pointer,
                segment,
                named=uri or title or pointer,
                document=find_cited(
                    draft, pointer, uri=uri, file_id=title if uri is None else None
                ),
                quote=quote_of(copied or None),
                doc_title=title,
                doc_url=uri,
            )
