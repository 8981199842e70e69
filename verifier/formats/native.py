"""The native answer format of the contract: JSON bytes → Answer. Its only parser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast, get_args

from spanproof.core.arguments import check_type
from spanproof.core.citation import (
    Answer,
    AnswerKind,
    Citation,
    ClaimedLocator,
    Quote,
    Retrieval,
)
from spanproof.core.digest import digest_text
from spanproof.core.json_reader.object_reader import (
    ObjectReader,
    load_json,
    open_each,
)
from spanproof.core.native_json import citation_to_native
from spanproof.core.verdicts.verification_block import ImportReport
from spanproof.verifier.formats.grammars.tokenizer import find_anchors
from spanproof.verifier.formats.native_parts import (
    describe_problems,
    read_citation,
    read_documents,
    read_generator,
    read_labels,
    read_moment,
    read_retrieval,
)
from spanproof.verifier.formats.parsed import AnswerFacts, ParsedAnswer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.citation import Anchor
    from spanproof.core.errors import FieldProblem

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
        payload = payload | {"citations": [*payload["citations"], *map(citation_to_native, made)]}
    units = {str(one.quote.unit) for one in citations if one.quote}
    return ParsedAnswer(
        answer=Answer(prose=prose, anchors=find_known_anchors(prose, citations), **details),
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


def find_known_anchors(prose: str, citations: Sequence[Citation]) -> tuple[Anchor, ...]:
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
        read_citation(each)
        for each in open_each(reader.required("citations", list, []), "/citations", problems)
    ]
    details = read_answer_details(reader)
    documents = read_documents(reader)
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
        read_retrieval(each)
        for each in open_each(reader.optional("retrieved", list) or [], "/retrieved", problems)
    ]
    generator = reader.optional("generator", dict)
    return {
        "answer_id": reader.optional("answer_id", str),
        "answer_kind": cast("AnswerKind", kind),
        "question": reader.optional("question", str),
        "generator": None if generator is None else read_generator(generator, problems),
        "generated_at": read_moment(reader, "generated_at"),
        "session_id": reader.optional("session_id", str),
        "trace_id": reader.optional("trace_id", str),
        "labels": read_labels(reader),
        "retrieved": tuple(chunk for chunk in retrieved if chunk),
        "policy": reader.optional("policy", str),
    }
