from __future__ import annotations

import pytest

from spanproof.core.contexts import read_contexts, with_contexts
from spanproof.core.errors import MalformedAnswerError


def test_texts_and_mappings_become_retrieved_entries_in_order() -> None:
    contexts = ["one", {"text": "two", "id": "b", "source": "lease.pdf", "page": 3, "mine": 1}]
    assert with_contexts("So it is [1].", contexts) == {
        "answer": "So it is [1].",
        "citations": [],
        "retrieved": [
            {"chunk_id": "context-1", "text": "one"},
            {"chunk_id": "b", "text": "two", "doc_id": "lease.pdf", "page": 3},
        ],
    }


def test_an_answer_without_contexts_stays_as_it_is() -> None:
    payload = {"response": "text", "retrieved": [{"chunk_id": "c", "text": "t"}]}
    assert with_contexts(payload, []) == payload


def test_contexts_beside_retrieved_entries_are_refused() -> None:
    with pytest.raises(MalformedAnswerError, match="contexts or 'retrieved'"):
        with_contexts({"answer": "a", "retrieved": [{"chunk_id": "c"}]}, ["text"])


@pytest.mark.parametrize(
    ("contexts", "expected"),
    [
        ("one text", 'contexts: expected a list of texts, or of mappings with "text", got str'),
        (None, "got NoneType"),
        ({"text": "t"}, "got dict"),
        ([b"bytes"], 'context 1: expected a text or a mapping with "text", got bytes'),
        (["t", {"page_content": "t"}], 'context 2: expected a str under "text", got NoneType'),
        ([{"text": "t", "id": 3}], 'context 1: expected a str under "id", got int'),
        ([{"text": "t", "source": 3}], 'expected a str under "source", got int'),
        ([{"text": "t", "page": "3"}], 'expected an int under "page", got str'),
    ],
)
def test_a_wrong_type_names_what_is_expected(contexts: object, expected: str) -> None:
    with pytest.raises(TypeError) as caught:
        read_contexts(contexts)
    assert expected in str(caught.value)


def test_an_answer_of_another_type_names_what_is_expected() -> None:
    with pytest.raises(TypeError, match="expected a text, a mapping or an Answer, got bytes"):
        with_contexts(b"{}", [])
