"""The input of ``attribute``: JSON bytes → the answer, the tools' results, the documents.

``{"answer" or "response": "…", "question", "tool_results": [{"tool_request_id", "tool_name",
"parameters", "output"}], "documents": [doc_hash or doc_id, or an object with one], "retrieved"}``;
with a named format, ``response`` is the provider's payload, as for ``verify``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.citation import Answer
from spanproof.core.digest import PREFIX, Digest
from spanproof.core.json_reader.object_reader import ObjectReader, load_json, open_each
from spanproof.verifier.attribute.sources import ToolResult
from spanproof.verifier.formats import native
from spanproof.verifier.formats.grammars.tokenizer import find_anchors
from spanproof.verifier.formats.native import read_answer_details
from spanproof.verifier.formats.native_parts import describe_problems
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from spanproof.core.errors import FieldProblem
    from spanproof.verifier.formats.parsed import Attachment

_HINT = "Send the answer as text, with tool_results, documents or retrieved beside it."


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionInput:
    """The answer, and where it may have got its words."""

    answer: Answer
    tool_results: tuple[ToolResult, ...]
    attachments: tuple[Attachment, ...] = ()


def parse_attribution(raw: bytes, formats: str = native.FORMAT) -> AttributionInput:
    """Read the payload; raise MalformedAnswerError with every field problem found."""
    payload = load_json(raw)
    problems: list[FieldProblem] = []
    reader = ObjectReader(payload, "", problems)
    if problems:
        raise describe_problems(problems, hint=_HINT)
    results = tuple(
        _read_result(each)
        for each in open_each(
            reader.optional("tool_results", list) or [], "/tool_results", problems
        )
    )
    if formats != native.FORMAT:
        if problems:
            raise describe_problems(problems, hint=_HINT)
        parsed = parse_payload(raw, formats)
        return AttributionInput(
            answer=parsed.answer, tool_results=results, attachments=parsed.attachments
        )
    if reader.fields.get("citations"):
        # An answer that cites is read by the parser of answers, which reports every bad citation.
        if problems:
            raise describe_problems(problems, hint=_HINT)
        return AttributionInput(answer=native.parse_answer(raw).answer, tool_results=results)
    answer = _read_answer(reader)
    if problems:
        raise describe_problems(problems, hint=_HINT)
    return AttributionInput(answer=answer, tool_results=results)


def _read_answer(reader: ObjectReader) -> Answer:
    name = "response" if reader.fields.get("answer") is None else "answer"
    if reader.fields.get(name) is None:
        reader.report("answer", "a string (or 'response')", None)
    prose = reader.optional(name, str) or ""
    documents = [
        _read_document(reader, index, item)
        for index, item in enumerate(reader.optional("documents", list) or [])
    ]
    return Answer(
        prose=prose,
        anchors=find_anchors(prose),
        citations=(),
        documents=tuple(document for document in documents if document),
        **read_answer_details(reader),
    )


def _read_document(reader: ObjectReader, index: int, item: Any) -> str | None:  # noqa: ANN401 - JSON
    ref = item
    if isinstance(item, dict):
        ref = item.get("doc_hash") or item.get("doc_id")
    if not isinstance(ref, str) or not ref:
        reader.report(f"documents/{index}", "a doc_hash or doc_id", item)
        return None
    if ref.startswith(PREFIX):
        reader.built(f"documents/{index}", Digest.parse, ref)
    return ref


def _read_result(reader: ObjectReader) -> ToolResult:
    name = reader.required("tool_name", str, "")
    if "output" not in reader.fields:
        reader.report("output", "what the tool gave back", None)
    return ToolResult(
        tool_name=name,
        tool_request_id=reader.optional("tool_request_id", str),
        parameters=reader.optional("parameters", dict) or {},
        output=reader.fields.get("output"),
    )
