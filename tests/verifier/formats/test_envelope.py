from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedAnswerError
from spanproof.verifier.formats.envelope import malformed, read_envelope
from tests.strategies import unhurried

HASH = "sha256:" + "ab" * 32


def read(**fields: Any) -> Any:
    return read_envelope(json.dumps({"response": {"text": "x"}} | fields).encode())


def pointers(**fields: Any) -> list[str]:
    with pytest.raises(MalformedAnswerError) as caught:
        read(**fields)
    return [problem.pointer for problem in caught.value.problems]


def test_the_response_is_kept_as_it_came() -> None:
    envelope = read(question="Why?", documents=[{"doc_id": "d", "index": 0, "source_tier": "a"}])
    assert envelope.response == {"text": "x"}
    assert envelope.details["question"] == "Why?"
    assert envelope.documents[0].source_tier == "a"
    assert envelope.unmapped == ()


def test_texts_are_numbered_where_no_documents_are_listed() -> None:
    texts = [
        {"chunk_id": "a", "text": "One."},
        {"chunk_id": "b", "doc_id": "two"},
        {"chunk_id": "c", "doc_id": "three", "text": "Three."},
    ]
    documents = read(retrieved=texts).documents
    assert [(each.index, each.doc_id) for each in documents] == [(0, "a"), (2, "three")]
    assert read(retrieved=texts, documents=[]).documents == ()


def test_fields_that_nobody_reads_are_listed() -> None:
    assert read(other=1, response_id="r").unmapped == ("/other", "/response_id")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"response": None}, ["/response"]),
        ({"answer": "x"}, ["/answer"]),
        ({"citations": []}, ["/citations"]),
        ({"verification": {}}, ["/verification"]),
        ({"documents": {}}, ["/documents"]),
        ({"documents": ["d"]}, ["/documents/0", "/documents/0/doc_hash"]),
        ({"documents": [{}]}, ["/documents/0/doc_hash"]),
        ({"documents": [{"doc_hash": "sha256:ab"}]}, ["/documents/0/doc_hash"]),
        ({"documents": [{"doc_hash": HASH.upper()}]}, ["/documents/0/doc_hash"]),
        ({"documents": [{"doc_id": "d", "index": -1}]}, ["/documents/0/index"]),
        ({"documents": [{"doc_id": "d", "index": True}]}, ["/documents/0/index"]),
        ({"documents": [{"doc_id": "d", "index": "0"}]}, ["/documents/0/index"]),
        ({"documents": [{"doc_id": "d", "uri": 1}]}, ["/documents/0/uri"]),
        ({"question": 1, "policy": []}, ["/question", "/policy"]),
        ({"answer_kind": "joke"}, ["/answer_kind"]),
        ({"retrieved": [{}]}, ["/retrieved/0/chunk_id"]),
    ],
)
def test_every_problem_has_its_pointer(fields: dict[str, Any], expected: list[str]) -> None:
    assert sorted(pointers(**fields)) == sorted(expected)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"null",
        b'"text"',
        b"{",
        b'{"response": NaN}',
        b'{"response": 1, "response": 2}',
        b'{"response": "\\ud800"}',
        b'{"response": "\xff"}',
        b"[" * 100_000,
    ],
)
def test_bytes_that_are_no_envelope_are_one_typed_error(raw: bytes) -> None:
    with pytest.raises(MalformedAnswerError):
        read_envelope(raw)


def test_documents_are_found_by_index_then_uri_then_id() -> None:
    envelope = read(
        documents=[
            {"doc_id": "a", "index": 0, "uri": "u", "file_id": "f"},
            {"doc_hash": HASH, "index": 1, "uri": "v"},
        ]
    )
    first, second = envelope.documents
    assert envelope.find_document(index=0) is first
    assert envelope.find_document(index=1) is second
    assert second.reference == HASH
    assert envelope.find_document(uri="v", file_id="f") is second
    assert envelope.find_document(file_id="f") is first
    assert envelope.find_document(index=7, uri="u") is first
    assert envelope.find_document(index=7) is None
    assert envelope.find_document() is None


def test_two_documents_of_one_name_are_none_unless_they_are_the_same() -> None:
    envelope = read(
        documents=[
            {"doc_id": "a", "uri": "u"},
            {"doc_id": "b", "uri": "u"},
            {"doc_id": "c", "uri": "w", "title": "one"},
            {"doc_id": "c", "uri": "w", "title": "two"},
        ]
    )
    assert envelope.find_document(uri="u") is None
    assert envelope.find_document(uri="w") is envelope.documents[2]


def test_a_title_names_no_document() -> None:
    envelope = read(documents=[{"doc_id": "a", "title": "u"}])
    assert envelope.find_document(uri="u", file_id="u") is None


def test_the_error_of_a_payload_says_where_what_and_what_next() -> None:
    error = malformed("/response/content/0", "an object", [1, 2])
    assert error.problems[0].pointer == "/response/content/0"
    assert "Expected an object at /response/content/0, got [1, 2]" in error.message
    assert error.hint


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
NAMES = ["response", "documents", "question", "retrieved", "labels", "generator", "citations"]


@unhurried
@given(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6) | JSON)
def test_any_json_is_an_envelope_or_a_typed_error(payload: object) -> None:
    try:
        envelope = read_envelope(json.dumps(payload).encode())
    except MalformedAnswerError:
        return
    assert envelope.response is not None
