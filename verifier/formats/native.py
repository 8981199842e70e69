"""The native answer format of the contract: JSON bytes → Answer. Its only parser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast, get_args

from spanproof.core.arguments import check_type
from spanproof.core.canonical_json import MOST_INTEGER
from spanproof.core.citation import (
    Answer,
    AnswerKind,
    Citation,
    ClaimedLocator,
    Generator,
    Quote,
    Retrieval,
)
from spanproof.core.digest import PREFIX, Digest, digest_text
from spanproof.core.errors import FieldProblem, MalformedAnswerError
from spanproof.core.geometry import Rect
from spanproof.core.json_reader.object_reader import (
    MOST_PROBLEMS,
    ObjectReader,
    load_json,
    open_each,
    to_number,
)
from spanproof.core.moment import parse_moment
from spanproof.core.span import OFFSET_UNITS, OffsetUnit, Span
from spanproof.core.verdicts.verification_block import ImportReport
from spanproof.verifier.formats.grammars.tokenizer import find_anchors
from spanproof.verifier.formats.parsed import AnswerFacts, ParsedAnswer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from spanproof.core.citation import Anchor

FORMAT = "native"
_NO_ANCHOR = re.compile(r"\[\s*(?:(?:1[5-9]|20|21)[0-9]{2}|[0-9]+\s*[-‐‑–—−]\s*[0-9]+)\s*\]")
_KNOWN_FIELDS = frozenset(
    {
        "answer",
        "answer_id",
        "answer_kind",
        "citations",
        "context",
        "documents",
        "generated_at",
        "generator",
        "labels",
        "policy",
        "question",
        "retrieved",
        "session_id",
        "trace_id",
    }
)


def parse_answer(raw: bytes) -> ParsedAnswer:
    """Read one native answer; raise MalformedAnswerError with every field problem found."""
    check_type("raw", raw, bytes, "the bytes of an answer in JSON")
    payload = load_json(raw)
    reader, prose, details = _read(payload)
    given: tuple[Citation, ...] = details["citations"]
    details["citations"] = citations = cite_retrieved(prose, given, details["retrieved"])
    if made := citations[len(given) :]:
        payload = payload | {"citations": [*payload["citations"], *map(_citation_to_json, made)]}
    units = {str(one.quote.unit) for one in citations if one.quote}
    return ParsedAnswer(
        answer=Answer(prose=prose, anchors=_find_anchors(prose, citations), **details),
        imported=ImportReport(
            format=FORMAT,
            declared_unit=str(units.pop())
            if len(units) == 1
            else "mixed"
            if units
            else "codepoint",
            observed_unit=None,
            ambiguous=False,
            unmapped=tuple(sorted(f"/{name}" for name in set(reader.fields) - _KNOWN_FIELDS)),
        ),
        payload=payload,
    )


def _find_anchors(prose: str, citations: Sequence[Citation]) -> tuple[Anchor, ...]:
    """The anchors without marks that an answer without such citations uses otherwise.

    That is a year ("[2024] UKSC 12") and a range of numbers that no citation has.
    """
    known = {citation.anchor for citation in citations}
    anchors = find_anchors(prose)
    cited = {anchor.span for anchor in anchors if anchor.number in known}
    return tuple(
        anchor
        for anchor in anchors
        if anchor.span in cited
        or not _NO_ANCHOR.fullmatch(prose, anchor.span.start, anchor.span.end)
    )


def cite_retrieved(
    prose: str, citations: tuple[Citation, ...], retrieved: Sequence[Retrieval]
) -> tuple[Citation, ...]:
    """The citations, and one more for each ``[n]`` that none of them has: the n-th text, whole.

    A retrieved entry without a text is not cited: the anchor stays an orphan.
    """
    if not retrieved:
        return citations
    known = {citation.anchor for citation in citations}
    numbers = {anchor.number for anchor in find_anchors(prose)} - known
    made = (
        _cite_text(number, retrieved[number - 1])
        for number in sorted(numbers)
        if 1 <= number <= len(retrieved)
    )
    return (*citations, *(citation for citation in made if citation is not None))


def _cite_text(number: int, chunk: Retrieval) -> Citation | None:
    text, span = chunk.text, chunk.span
    own = None if not text else digest_text(text)
    if not text or own is None:
        return None
    return Citation(
        anchor=number,
        quote=Quote(
            text=text,
            start=None if span is None else span.start,
            end=None if span is None else span.end,
        ),
        # Without a document's name the text is named by its own digest.
        doc_hash=own if chunk.doc_hash is None and not chunk.doc_id else chunk.doc_hash,
        doc_id=chunk.doc_id or None,
        chunk_id=chunk.chunk_id,
        retrieval_score=chunk.score,
        source_tier=chunk.source_tier,
        locator=None if chunk.page is None else ClaimedLocator(page=chunk.page, bbox=None),
    )


def _citation_to_json(citation: Citation) -> dict[str, Any]:
    """A citation that an anchor makes of a retrieved text, as a caller would have sent it."""
    quote, locator = citation.quote, citation.locator
    fields = {
        "anchor": citation.anchor,
        "chunk_id": citation.chunk_id,
        "doc_id": citation.doc_id,
        "doc_hash": None if citation.doc_hash is None else str(citation.doc_hash),
        "retrieval_score": citation.retrieval_score,
        "source_tier": citation.source_tier,
        "span": quote and {"text": quote.text, "char_start": quote.start, "char_end": quote.end},
        "pdf_locator": locator and {"page": locator.page},
    }
    return {name: value for name, value in fields.items() if value is not None}


def read_facts(raw: bytes) -> AnswerFacts:
    """The facts that an answer states about itself; raises the errors of ``parse_answer``."""
    return AnswerFacts.of(_read(load_json(raw))[2])


def _read(payload: object) -> tuple[ObjectReader, str, dict[str, Any]]:
    """The root, the prose, and the other arguments of ``Answer`` but its anchors."""
    problems: list[FieldProblem] = []
    reader = ObjectReader(payload, "", problems)
    if problems:
        raise describe_problems(problems)
    prose = reader.required("answer", str, "")
    citations = [
        _read_citation(each)
        for each in open_each(reader.required("citations", list, []), "/citations", problems)
    ]
    details = read_answer_details(reader)
    documents = _read_documents(reader)
    if problems:
        raise describe_problems(problems)
    found = tuple(citation for citation in citations if citation)
    return reader, prose, details | {"citations": found, "documents": documents}


def read_answer_details(reader: ObjectReader) -> dict[str, Any]:
    """The fields that describe an answer in every format, as arguments of ``Answer``."""
    problems = reader.problems
    kind = reader.optional("answer_kind", str) or "answer"
    if kind not in get_args(AnswerKind):
        reader.report("answer_kind", f"one of {', '.join(get_args(AnswerKind))}", kind)
    retrieved = [
        _read_retrieval(each)
        for each in open_each(reader.optional("retrieved", list) or [], "/retrieved", problems)
    ]
    generator = reader.optional("generator", dict)
    return {
        "answer_id": reader.optional("answer_id", str),
        "answer_kind": cast("AnswerKind", kind),
        "question": reader.optional("question", str),
        "generator": None if generator is None else _read_generator(generator, problems),
        "generated_at": _read_moment(reader, "generated_at"),
        "session_id": reader.optional("session_id", str),
        "trace_id": reader.optional("trace_id", str),
        "labels": _read_labels(reader),
        "retrieved": tuple(chunk for chunk in retrieved if chunk),
        "policy": reader.optional("policy", str),
    }


def describe_problems(
    problems: list[FieldProblem],
    *,
    hint: str = "Compare the answer with the native format of the documentation.",
) -> MalformedAnswerError:
    """One error that shows the first problem, and carries the first ``MOST_PROBLEMS``."""
    first = problems[0]
    more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
    if len(problems) >= MOST_PROBLEMS:
        # The members behind these were not read.
        more = f" ({MOST_PROBLEMS - 1} or more others)"
    place = first.pointer or "the root"
    msg = f"Expected {first.expected} at {place}, got {first.got}{more}."
    return MalformedAnswerError(msg, hint=hint, problems=tuple(problems[:MOST_PROBLEMS]))


def _read_citation(reader: ObjectReader) -> Citation | None:
    before = len(reader.problems)
    anchor = reader.required("anchor", int, 0)
    if not 0 <= anchor <= MOST_INTEGER:
        reader.report("anchor", "an integer from 0 to 2**53 - 1", anchor)
    span = ObjectReader(
        reader.required("span", dict, {"text": ""}), f"{reader.pointer}/span", reader.problems
    )
    quote = _read_quote(span)
    doc_id, doc_hash = reader.optional("doc_id", str), read_digest(reader, "doc_hash")
    if reader.fields.get("doc_hash") is None and not doc_id:
        reader.report("doc_hash", "doc_hash or doc_id", None)
    citation: dict[str, Any] = {
        "extraction_id": read_digest(reader, "extraction_id"),
        "locator": _read_locator(reader),
        "retrieval_score": reader.optional("retrieval_score", float),
    } | {
        name: reader.optional(name, str)
        for name in (
            "extraction_pipeline",
            "chunk_id",
            "doc_title",
            "doc_url",
            "retrieval_method",
            "embedding_model",
            "index_version",
            "source_tier",
        )
    }
    if quote is None or len(reader.problems) > before:
        return None
    return Citation(anchor=anchor, quote=quote, doc_hash=doc_hash, doc_id=doc_id, **citation)


def _read_quote(reader: ObjectReader) -> Quote | None:
    before = len(reader.problems)
    text = reader.fields.get("text")
    if not isinstance(text, str):
        reader.report("text", "a string", text)
    unit = reader.optional("unit", str) or "codepoint"
    if unit not in OFFSET_UNITS:
        reader.report("unit", f"one of {', '.join(OFFSET_UNITS)}", unit)
    start, end = reader.optional("char_start", int), reader.optional("char_end", int)
    if len(reader.problems) > before:
        return None
    quote: Quote | None = reader.built(
        "char_start",
        lambda bounds: Quote(
            text=str(text), start=bounds[0], end=bounds[1], unit=cast("OffsetUnit", unit)
        ),
        (start, end),
    )
    return quote


def _read_locator(reader: ObjectReader) -> ClaimedLocator | None:
    raw = reader.optional("pdf_locator", dict)
    if raw is None:
        return None
    fields = ObjectReader(raw, f"{reader.pointer}/pdf_locator", reader.problems)
    page = fields.required("page", int, 1)
    if page < 1:
        fields.report("page", "a 1-based page number", page)
        return None
    box = fields.optional("bbox", list)
    if box is None:
        return ClaimedLocator(page=page, bbox=None)
    numbers = [number for n in box if (number := to_number(n)) is not None]
    if len(numbers) != 4 or len(box) != 4:
        fields.report("bbox", "four numbers [x0, y0, x1, y1]", box)
        return None
    return ClaimedLocator(page=page, bbox=fields.built("bbox", lambda n: Rect(*n), numbers))


def read_retrieved(entries: Sequence[object]) -> tuple[Retrieval, ...]:
    """Retrieved entries by themselves; raise MalformedAnswerError with every problem found."""
    problems: list[FieldProblem] = []
    found = [_read_retrieval(each) for each in open_each(entries, "/retrieved", problems)]
    if problems:
        raise describe_problems(problems)
    return tuple(chunk for chunk in found if chunk is not None)


def _read_retrieval(reader: ObjectReader) -> Retrieval | None:
    before = len(reader.problems)
    start, end = reader.optional("char_start", int), reader.optional("char_end", int)
    span = None
    if start is not None and end is not None:
        span = reader.built("char_start", lambda bounds: Span(*bounds), (start, end))
    if reader.fields.get("chunk_id") is None and reader.fields.get("text"):
        # A text names itself; without one there must be a name.
        chunk_id = reader.pointer.removeprefix("/")
    else:
        chunk_id = reader.required("chunk_id", str, "")
    doc_hash = read_digest(reader, "doc_hash")
    page = reader.optional("page", int)
    if page is not None and page < 1:
        reader.report("page", "a 1-based page number", page)
    retrieval = Retrieval(
        chunk_id=chunk_id,
        doc_id=reader.optional("doc_id", str),
        doc_hash=doc_hash,
        text=reader.optional("text", str),
        span=span,
        score=reader.optional("score", float),
        rank=reader.optional("rank", int),
        source_tier=reader.optional("source_tier", str),
        page=page,
    )
    return retrieval if len(reader.problems) == before else None


def _read_generator(raw: dict[str, Any], problems: list[FieldProblem]) -> Generator:
    reader = ObjectReader(raw, "/generator", problems)
    return Generator(
        model=reader.optional("model", str),
        prompt_id=reader.optional("prompt_id", str),
        prompt_sha256=reader.optional("prompt_sha256", str),
    )


def _read_moment(reader: ObjectReader, name: str) -> datetime | None:
    text = reader.optional(name, str)
    if text is None:
        return None
    try:
        return parse_moment(text)
    except ValueError:
        reader.report(name, "an RFC 3339 date and time", text)
        return None


def _read_labels(reader: ObjectReader) -> tuple[tuple[str, str], ...]:
    labels = reader.optional("labels", dict) or {}
    for key, value in labels.items():
        if not isinstance(value, str):
            reader.report(f"labels/{key}", "a string", value)
    return tuple(sorted((str(key), str(value)) for key, value in labels.items()))


def _read_documents(reader: ObjectReader) -> tuple[str, ...]:
    documents = reader.optional("documents", list) or []
    for index, item in enumerate(documents):
        if not isinstance(item, str):
            reader.report(f"documents/{index}", "a doc_hash or doc_id", item)
        elif item.startswith(PREFIX):
            reader.built(f"documents/{index}", Digest.parse, item)
    return tuple(item for item in documents if isinstance(item, str))


def read_digest(reader: ObjectReader, name: str) -> Digest | None:
    """The whole digest in a field; another text is a problem of the field."""
    text = reader.optional(name, str)
    digest: Digest | None = None if text is None else reader.built(name, Digest.parse, text)
    return digest
