"""LangExtract ``AnnotatedDocument``, or the list of a JSONL file's: each extraction is a citation.

Source: ``data.py`` of langextract 1.7. The answer has one line for each extraction, ``- class:
text``, and ``class: text`` is the claim. An interval is in code points of the payload's own
``text``. Only ``match_exact`` says that these words stand there, and that is checked: any other
alignment keeps the words and loses the interval, because it may be that of a few shared words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.citation import Quote
from spanproof.core.span import Span
from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.either_case import EitherCaseReader, open_either_case
from spanproof.verifier.formats.providers.payload import cite_segment, raise_malformed, skip_null

if TYPE_CHECKING:
    from spanproof.verifier.formats.envelope import Envelope, SuppliedDocument

EXACT = "match_exact"


def read(envelope: Envelope) -> Draft:
    """Read one annotated document or a list of them."""
    draft = Draft(envelope, origin="langextract", declared_unit="codepoint")
    response = envelope.response
    if isinstance(response, list):
        if not response:
            raise_malformed("/response", "annotated documents", response)
        readers = [open_either_case(item, f"/response/{n}") for n, item in enumerate(response)]
    else:
        readers = [open_either_case(response, "/response")]
    for position, reader in enumerate(readers):
        if "extractions" not in reader.fields:
            raise_malformed(f"{reader.pointer}/extractions", "the extractions of a document", None)
        document = _find_document(draft, reader, position, alone=len(readers) == 1)
        text = reader.text("text")
        named = reader.text("document_id") or f"document:{position}"
        for pointer, item in reader.items("extractions"):
            if not skip_null(draft, pointer, item):
                _read_extraction(draft, open_either_case(item, pointer), text, named, document)
    return draft


def _find_document(
    draft: Draft, reader: EitherCaseReader, position: int, *, alone: bool
) -> SuppliedDocument | None:
    """By its ``document_id``; else the one that was supplied, or the one of the same index.

    The id is drawn anew on each run unless the caller sets it, so it may well be unknown.
    """
    documents, file_id = draft.envelope.documents, reader.text("document_id")
    found = draft.envelope.find_document(file_id=file_id)
    if found is None and alone and len(documents) == 1:
        found = documents[0]
    if found is None and not alone:
        found = draft.envelope.find_document(index=position)
    if found is None:
        detail = f"Extracted from {file_id!r}; no one member of 'documents' has it."
        draft.remark(reader.pointer, "DOCUMENT_NOT_LISTED", detail)
    return found


def _read_extraction(
    draft: Draft,
    reader: EitherCaseReader,
    text: str | None,
    named: str,
    document: SuppliedDocument | None,
) -> None:
    words, kind = reader.text("extraction_text"), reader.text("extraction_class")
    if words is None:
        raise_malformed(f"{reader.pointer}/extraction_text", "the words that were extracted", None)
    draft.write("- ")
    segment = draft.write(f"{kind}: {words}" if kind else words)
    draft.write("\n")
    span = _read_interval(draft, reader, text, words)
    quote = Quote(text=words)
    if span is not None:
        quote = Quote(text=words, start=span.start, end=span.end, unit="codepoint")
    cite_segment(draft, reader.pointer, segment, named=named, document=document, quote=quote)


def _read_interval(
    draft: Draft, reader: EitherCaseReader, text: str | None, words: str
) -> Span | None:
    """The place of the words, if the payload gives it and its own text agrees."""
    status, interval = reader.text("alignment_status"), reader.open("char_interval")
    if interval is None or not interval.has("start_pos", "end_pos"):
        detail = f"Alignment {status!r} without an interval: the words are searched."
        draft.remark(reader.pointer, "ALIGNMENT_NOT_EXACT", detail)
        return None
    start, end = interval.offsets("start_pos", "end_pos")
    if status != EXACT:
        found = "" if text is None else f", which holds {text[start:end]!r}"
        detail = f"Alignment {status!r} at {start} to {end}{found}: the words are searched."
        draft.remark(reader.pointer, "ALIGNMENT_NOT_EXACT", detail)
        return None
    if text is not None and text[start:end] != words:
        detail = f"Called exact, but {start} to {end} holds {text[start:end]!r}."
        draft.remark(interval.pointer, "ALIGNMENT_MISMATCH", detail)
        return None
    return Span(start, end)
