"""Envelopes for the importers' tests, read through the one door."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from spanproof.core.citation import Citation
    from spanproof.verifier.formats.parsed import ParsedAnswer

#: A document that every provider can name: by index, address and id.
DOCUMENT = {"doc_id": "report", "index": 0, "uri": "https://example.com/report", "file_id": "f-1"}


def read(name: str, response: Any, *documents: dict[str, Any]) -> ParsedAnswer:
    """The answer of a payload under a format's name."""
    envelope = {"response": response, "documents": list(documents or (DOCUMENT,))}
    return parse_payload(json.dumps(envelope).encode(), name)


def codes_of(parsed: ParsedAnswer) -> list[str]:
    """The codes of the remarks, in order."""
    return [remark.code for remark in parsed.imported.remarks]


def segment_of(parsed: ParsedAnswer, citation: Citation) -> str | None:
    """The words of the answer that a citation supports."""
    span = citation.segment
    return None if span is None else parsed.answer.prose[span.start : span.end]


def list_kinds(union: Any, field: str = "type") -> set[str]:
    """The values of a field over the members of a union of the SDK's models."""
    from typing import get_args, get_origin

    found: set[str] = set()
    for member in get_args(union):
        if get_origin(member) is not None:
            found |= list_kinds(member, field)
        elif hasattr(member, "model_fields"):
            found |= set(get_args(member.model_fields[field].annotation))
    return found
