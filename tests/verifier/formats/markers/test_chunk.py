from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import MalformedAnswerError
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from spanproof.verifier.formats.parsed import ParsedAnswer

DOC_HASH = "sha256:" + "0" * 64
RETRIEVED: list[dict[str, Any]] = [
    {
        "chunk_id": "c1",
        "doc_id": "terms",
        "text": "four days",
        "char_start": 3,
        "char_end": 12,
        "score": 0.5,
    },
    {"chunk_id": "c:2", "doc_hash": DOC_HASH},
    {"chunk_id": "lost", "text": "of no document"},
]


def read(response: object, **fields: object) -> ParsedAnswer:
    envelope = {"response": response, "retrieved": RETRIEVED} | fields
    return parse_payload(json.dumps(envelope).encode(), "chunk")


def list_remarks(parsed: ParsedAnswer) -> list[tuple[str, str]]:
    return [(remark.code, remark.detail) for remark in parsed.imported.remarks]


def test_a_retrieved_chunk_is_cited_with_its_text_and_offsets() -> None:
    parsed = read("Four days [citation:terms:c1]. Again [citation:terms:c1].")
    (citation,) = parsed.answer.citations
    assert (citation.doc_id, citation.chunk_id, citation.origin) == ("terms", "c1", "chunk")
    assert citation.quote is not None
    assert (citation.quote.text, citation.quote.start, citation.quote.end) == ("four days", 3, 12)
    assert [anchor.span.start for anchor in parsed.answer.anchors] == [10, 37]
    assert list_remarks(parsed) == []


def test_a_hash_names_the_document_and_a_chunk_without_text_quotes_nothing() -> None:
    parsed = read(f"x [citation:{DOC_HASH.replace(':', '%3A')}:c:2]")
    (citation,) = parsed.answer.citations
    assert (str(citation.doc_hash), citation.quote) == (DOC_HASH, None)


@pytest.mark.parametrize(
    ("token", "why"),
    [
        ("[citation:terms:c9]", "no such chunk."),
        ("[citation:other:c1]", "that chunk is of another document."),
        ("[citation:None:c1]", "that chunk is of another document."),
        ("[citation:terms:lost]", "without a document's name."),
    ],
)
def test_what_was_not_retrieved_is_an_orphan_with_a_remark(token: str, why: str) -> None:
    parsed = read(f"Four days {token}.")
    assert parsed.answer.citations == ()
    assert len(parsed.answer.anchors) == 1
    ((code, detail),) = list_remarks(parsed)
    assert code == "CHUNK_NOT_RETRIEVED"
    assert detail.endswith(why)


@pytest.mark.parametrize(
    ("prose", "kind"),
    [
        ("Four days [1].", "numbered"),
        ("Four days (Source: terms).", "source_note"),
        ("Four days [citation:terms:c1 and so on", "unclosed"),
        ("Four days [citation:terms:c1, c2].", "comma_joined"),
        ("Four days [Citation: terms].", "malformed"),
        ("Four days, see lost.", "bare_chunk_id"),
    ],
)
def test_near_misses_are_reported_and_never_accepted(prose: str, kind: str) -> None:
    parsed = read(prose)
    assert parsed.answer.citations == ()
    ((code, detail),) = list_remarks(parsed)
    assert code == "NEAR_MISS"
    assert detail.startswith(kind)


def test_beside_a_valid_citation_nothing_is_a_near_miss() -> None:
    assert list_remarks(read("Four days [citation:terms:c1] [1].")) == []


def test_the_text_of_an_object_is_read_and_the_rest_named() -> None:
    parsed = read({"text": "Four days [citation:terms:c1].", "model": "m"})
    assert len(parsed.answer.citations) == 1
    assert parsed.imported.unmapped == ("/response/model",)


@pytest.mark.parametrize(
    ("response", "fields", "pointer"),
    [
        (5, {}, "/response"),
        ({"text": 5}, {}, "/response/text"),
        ("x", {"role": "user"}, "/role"),
    ],
)
def test_no_text_and_a_wrong_role_are_malformed(
    response: object, fields: dict[str, object], pointer: str
) -> None:
    with pytest.raises(MalformedAnswerError) as caught:
        read(response, **fields)
    assert [problem.pointer for problem in caught.value.problems] == [pointer]
