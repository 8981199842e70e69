"""OpenAI Responses: annotations on the output texts; no quote, no page, no place in the source.

Source: ``types/responses`` of the SDK 3.54. A ``file_citation`` is an insertion point. Where the
results of the file search stand in the same response and hold exactly one text of the cited file,
the model was shown that text, so it is taken for the quote, with a remark.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanproof.core.citation import Quote, Retrieval
from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.openai.annotations import Part, cite_link, cite_point
from spanproof.verifier.formats.providers.openai.markers import strip_markers, write_marked
from spanproof.verifier.formats.providers.openai.output import OutputText, read_output
from spanproof.verifier.formats.providers.payload import (
    check,
    find_cited,
    open_object,
    read_items,
    read_word,
    skip_null,
)

if TYPE_CHECKING:
    from spanproof.core.json_reader.object_reader import ObjectReader
    from spanproof.verifier.formats.envelope import Envelope

#: Annotations of a tool's own files: files to fetch, not sources of a claim.
_PRODUCTS = frozenset({"container_file_citation", "file_path"})


def read(envelope: Envelope) -> Draft:
    """Read a Response, or the list of its stream's events."""
    draft = Draft(envelope, origin="openai-responses")
    output = read_output(draft, envelope.response)
    shown = _read_results(draft, output.searches)
    for text in output.texts:
        _read_text(draft, text, shown)
    return draft


def _read_results(draft: Draft, searches: list[ObjectReader]) -> dict[str, set[str]]:
    """The texts that were found in each file; they also go along as retrieved chunks."""
    shown: dict[str, set[str]] = defaultdict(set)
    rank = 0
    for search in searches:
        for pointer, item in read_items(search, "results"):
            reader = open_object(item, pointer)
            file_id, text = reader.optional("file_id", str), reader.optional("text", str)
            score = reader.optional("score", float)
            check(reader)
            if file_id is None or not text:
                continue
            rank += 1
            shown[file_id].add(text)
            document = draft.envelope.find_document(file_id=file_id)
            draft.retrieved.append(
                Retrieval(
                    chunk_id=f"{file_id}#{rank}",
                    doc_hash=document.doc_hash if document else None,
                    doc_id=document.doc_id if document else file_id,
                    text=text,
                    score=score,
                    rank=rank,
                )
            )
    return shown


def _read_text(draft: Draft, text: OutputText, shown: dict[str, set[str]]) -> None:
    marked = strip_markers(text.text)
    span = write_marked(draft, f"{text.pointer}/text", marked)
    part = Part(pointer=text.pointer, text=marked, span=span)
    for pointer, item in text.annotations:
        if skip_null(draft, pointer, item):
            continue
        reader = open_object(item, pointer)
        kind = read_word(reader, "type")
        if kind == "file_citation":
            _cite_file(draft, reader, part, shown)
        elif kind == "url_citation":
            cite_link(draft, reader, part)
        elif kind in _PRODUCTS:
            detail = f"A {kind!r} names a file that a tool wrote, not a source."
            draft.skip(pointer, detail, code="ANNOTATION_NOT_A_SOURCE")
        else:
            draft.skip(pointer, f"No annotation of type {kind!r} is known.")


def _cite_file(draft: Draft, reader: ObjectReader, part: Part, shown: dict[str, set[str]]) -> None:
    file_id = reader.required("file_id", str, "")
    index, name = reader.required("index", int, 0), reader.optional("filename", str)
    if index < 0:
        reader.report("index", "an offset from 0", index)
    check(reader)
    texts = shown.get(file_id, set())
    if len(texts) == 1:
        detail = "The file search found one text of this file: it is taken for the quote."
        draft.remark(reader.pointer, "QUOTE_FROM_RESULTS", detail)
    elif texts:
        detail = f"The file search found {len(texts)} texts of this file; none is the quote."
        draft.remark(reader.pointer, "QUOTE_UNDECIDED", detail)
    cite_point(
        draft,
        reader.pointer,
        part,
        index,
        named=file_id,
        document=find_cited(draft, reader.pointer, file_id=file_id),
        quote=Quote(text=next(iter(texts))) if len(texts) == 1 else None,
        doc_title=name,
    )
