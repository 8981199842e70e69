from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from verifier.formats.parsed import ParsedAnswer

URL = "https://h.example/a"
RETRIEVED: list[dict[str, Any]] = [
    {"chunk_id": "s1", "doc_id": "h", "text": "four days", "title": "Handbook", "url": URL},
    {"chunk_id": "s2", "doc_id": "k", "text": "five days"},
    {"chunk_id": "s3", "doc_id": "m", "text": "six days"},
]
DOCUMENTS = [{"doc_id": "k", "title": "Contract", "uri": "https://k.example/"}]
ENTRY = {"id": "s1", "title": "Handbook", "url": URL}


def read(prose: str) -> ParsedAnswer:
    envelope = {"response": prose, "retrieved": RETRIEVED, "documents": DOCUMENTS}
    return parse_payload(json.dumps(envelope).encode(), "ref")


def block(*entries: object) -> str:
    return f"\nSOURCES_START\n{json.dumps(entries)}\nSOURCES_END"


def codes(parsed: ParsedAnswer) -> list[str]:
    return [remark.code for remark in parsed.imported.remarks]


def test_emission_tokens_cite_what_was_retrieved_and_the_block_is_no_prose() -> None:
    parsed = read("Four days [[REF:s1]]." + block(ENTRY))
    (citation,) = parsed.answer.citations
    assert (citation.chunk_id, citation.doc_id, citation.origin) == ("s1", "h", "ref")
    assert parsed.answer.prose == "Four days [[REF:s1]].\n"
    assert codes(parsed) == []


def test_urls_are_read_before_anything_is_cleaned() -> None:
    parsed = read(f"Four days [1]({URL}). Five [[2]](https://k.example/).")
    assert [citation.chunk_id for citation in parsed.answer.citations] == ["s1", "s2"]


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("x [[REF:s9]]." + block(ENTRY), ["SOURCE_FABRICATED"]),
        ("x [1](https://evil.example).", ["SOURCE_FABRICATED"]),
        ("x [[REF:s1]]." + block(ENTRY | {"title": "Other"}), ["SOURCE_FABRICATED"]),
        ("x [[REF:s1]]." + block(ENTRY | {"url": URL + "b"}), ["SOURCE_FABRICATED"]),
        ("x [[REF:s2]]." + block({"id": "s2", "title": "Deed"}), ["SOURCE_FABRICATED"]),
    ],
)
def test_a_fabricated_source_is_no_citation(prose: str, expected: list[str]) -> None:
    parsed = read(prose)
    assert parsed.answer.citations == ()
    assert len(parsed.answer.anchors) == 1
    assert codes(parsed) == expected


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("x [[REF:s1]]. SOURCES_START " + json.dumps([ENTRY]), ["SOURCES_UNCLOSED"]),
        ("x [[REF:s1]]. SOURCES_END", ["SOURCES_END_ALONE"]),
        ("x [[REF:s1]]." + block(ENTRY) + block(ENTRY), ["SOURCES_TWICE"]),
        ("x [[REF:s1]]." + block(ENTRY) + " after", ["SOURCES_TEXT_AFTER"]),
        (
            "x [[REF:s1]]. SOURCES_START [{ SOURCES_END",
            ["SOURCES_MALFORMED", "CITATION_UNMAPPED"],
        ),
        ("x [[REF:s1]]." + block({"title": "x"}), ["SOURCES_MALFORMED", "CITATION_UNMAPPED"]),
        ("x [[REF:s3]]." + block({"id": "s3", "title": "T"}), ["SOURCE_NOT_COMPARED"]),
        ("x [[REF:s1]]." + block(ENTRY, {"id": "s9"}), ["CITATION_UNMAPPED", "SOURCE_FABRICATED"]),
    ],
)
def test_each_fault_of_the_block_has_its_status(prose: str, expected: list[str]) -> None:
    parsed = read(prose)
    assert len(parsed.answer.citations) == 1
    assert codes(parsed) == expected
    assert "SOURCES" not in parsed.answer.prose


def test_duplicate_tokens_are_one_citation_with_two_anchors() -> None:
    parsed = read("Four [[REF:s1]]. Days [[REF:s1]].")
    assert [anchor.number for anchor in parsed.answer.anchors] == [1, 1]
    assert len(parsed.answer.citations) == 1
