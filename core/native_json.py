"""An answer as the native format says it: what a client sends where it is given an ``Answer``."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NoReturn

from spanproof.core.errors import InputError

if TYPE_CHECKING:
    from spanproof.core.citation import Answer, Citation, ClaimedLocator, Retrieval

_CITED = ("doc_id", "extraction_pipeline", "chunk_id", "doc_title", "doc_url", "retrieval_score")
_CITED_BY = ("retrieval_method", "embedding_model", "index_version", "source_tier")
_DESCRIBED = ("answer_id", "answer_kind", "question", "session_id", "trace_id", "policy")
_RETRIEVED = ("chunk_id", "doc_id", "text", "score", "rank", "source_tier", "page")


def answer_to_native(answer: Answer) -> dict[str, Any]:
    """The payload whose parsing gives this answer again.

    Raises InputError for what the format cannot say: an answer of another format may have parts of
    the prose that claim nothing, anchors other than ``[n]``, and citations without a quote.
    """
    marks = ((answer.prose[one.span.start : one.span.end], one.number) for one in answer.anchors)
    if answer.unclaimed or not all(re.search(rf"\b{number}\b", mark) for mark, number in marks):
        _refuse("parts or marks of its own in the prose")
    made = answer.generated_at
    fields = {name: getattr(answer, name) for name in _DESCRIBED} | {
        "generator": answer.generator and _drop_none(asdict(answer.generator)),
        "generated_at": made and made.isoformat(),
        "labels": dict(answer.labels) or None,
        "documents": list(answer.documents) or None,
        "retrieved": [_retrieval_to_native(each) for each in answer.retrieved] or None,
    }
    citations = [citation_to_native(each) for each in answer.citations]
    return {"answer": answer.prose, "citations": citations} | _drop_none(fields)


def citation_to_native(citation: Citation) -> dict[str, Any]:
    """One citation; raise InputError for one that the format cannot say."""
    quote, locator, cell = citation.quote, citation.locator, citation.cell
    if citation.segment is not None or quote is None or quote.unit is None or citation.repaired:
        _refuse("a citation without a quote and its unit, or with a segment")
    if citation.names or (locator is not None and locator.last_page is not None):
        _refuse("a citation with several names or pages")
    span = {"text": quote.text, "char_start": quote.start, "char_end": quote.end}
    fields = {name: getattr(citation, name) for name in (*_CITED, *_CITED_BY)} | {
        "doc_hash": citation.doc_hash and str(citation.doc_hash),
        "extraction_id": citation.extraction_id and str(citation.extraction_id),
        "span": _drop_none(span | {"unit": None if quote.unit == "codepoint" else quote.unit}),
        "pdf_locator": locator and _locator_to_native(locator),
        "cell": cell and _drop_none(asdict(cell)),
    }
    return {"anchor": citation.anchor} | _drop_none(fields)


def _locator_to_native(locator: ClaimedLocator) -> dict[str, Any]:
    box = locator.bbox
    return _drop_none({"page": locator.page, "bbox": box and [box.x0, box.y0, box.x1, box.y1]})


def _retrieval_to_native(chunk: Retrieval) -> dict[str, Any]:
    if chunk.names:
        _refuse("a retrieved text with several names")
    span = chunk.span
    fields = {name: getattr(chunk, name) for name in _RETRIEVED} | {
        "doc_hash": chunk.doc_hash and str(chunk.doc_hash),
        "char_start": None if span is None else span.start,
        "char_end": None if span is None else span.end,
    }
    return _drop_none(fields)


def _drop_none(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _refuse(got: str) -> NoReturn:
    msg = f"Expected an answer that the native format can say, got {got}."
    raise InputError(msg, hint="Send the provider's payload under its format.")
