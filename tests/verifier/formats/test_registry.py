from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import pytest

from spanproof.core.errors import InputError, MalformedAnswerError
from spanproof.verifier.formats.registry import (
    MARKERS,
    NAMES,
    PROVIDERS,
    parse_names,
    parse_payload,
    read_facts,
)

#: The names that the contract lists.
CONTRACT = [
    "native",
    "anthropic",
    "bedrock-converse",
    "bedrock-kb",
    "openai-responses",
    "openai-chat",
    "openai-assistants",
    "cohere-v1",
    "cohere-v2",
    "gemini",
    "gemini-interactions",
    "check-grounding",
    "vertex-answer",
    "azure-groundedness",
    "langextract",
    "llamaindex",
    "langchain",
    "chunk",
    "ref",
    "field",
]
HASH = "sha256:" + "ab" * 32


def test_every_name_of_the_contract_is_a_format() -> None:
    assert set(NAMES) >= set(CONTRACT)


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_provider_has_its_module(name: str) -> None:
    module = import_module(f"spanproof.verifier.formats.providers.{PROVIDERS[name]}")
    assert callable(module.read)


@pytest.mark.parametrize("name", MARKERS)
def test_every_marker_format_reads_alone_and_with_others(name: str) -> None:
    module = import_module(f"spanproof.verifier.{MARKERS[name]}")
    assert callable(module.read)
    assert callable(module.read_markers)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("native", ("native",)),
        (" anthropic , field ", ("anthropic", "field")),
        ("ref,chunk,field", ("ref", "chunk", "field")),
    ],
)
def test_names_are_read_in_their_order(names: str, expected: tuple[str, ...]) -> None:
    assert parse_names(names) == expected


@pytest.mark.parametrize(
    "names",
    [
        "",
        ",",
        "claude",
        "Anthropic",
        "anthropic,",
        "anthropic,anthropic",
        "field,anthropic",
        "anthropic,gemini",
        "native,field",
        "field,native",
        "native,native",
        "../native",
        "anthropic;field",
        "spanproof.verifier.formats.native",
    ],
)
def test_names_that_read_nothing_are_one_typed_error(names: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_names(names)
    assert caught.value.message.startswith("Expected")
    assert caught.value.hint
    with pytest.raises(InputError):
        parse_payload(b"{}", names)


def test_the_native_format_is_the_default() -> None:
    raw = json.dumps({"answer": "Yes [1].", "citations": []}).encode()
    parsed = parse_payload(raw)
    assert parsed.imported.format == "native"
    assert parsed.answer.prose == "Yes [1]."


def test_a_provider_payload_comes_back_beside_its_native_form() -> None:
    response = {"content": [{"type": "text", "text": "The grass is green.", "citations": []}]}
    raw = json.dumps({"response": response, "documents": [{"doc_hash": HASH, "index": 0}]}).encode()
    parsed = parse_payload(raw, "anthropic")
    assert parsed.imported.format == "anthropic"
    assert parsed.answer.prose == "The grass is green."
    assert parsed.answer.documents == (HASH,)
    assert parsed.payload["response"] == response
    assert parsed.payload["answer"] == "The grass is green."
    assert parsed.payload["citations"] == []


@pytest.mark.parametrize("name", [*PROVIDERS, *MARKERS])
@pytest.mark.parametrize(
    "envelope",
    [
        [],
        {},
        {"response": None},
        {"response": 7},
        {"response": True},
        {"response": {"a": [1]}, "citations": []},
        {"response": {"a": [1]}, "documents": [{}]},
    ],
)
def test_what_is_no_payload_is_one_typed_error(name: str, envelope: Any) -> None:
    with pytest.raises(MalformedAnswerError) as caught:
        parse_payload(json.dumps(envelope).encode(), name)
    assert caught.value.problems or "JSON" in caught.value.message


@pytest.mark.parametrize("name", ["anthropic", "gemini", "cohere-v2", "openai-responses", "chunk"])
def test_a_native_answer_under_a_providers_name_is_refused(name: str) -> None:
    raw = json.dumps({"answer": "Yes [1].", "citations": []}).encode()
    with pytest.raises(MalformedAnswerError):
        parse_payload(raw, name)


def test_the_facts_of_an_answer_in_markers_are_those_of_the_whole() -> None:
    raw = json.dumps(
        {"response": "Goods are replaced [[chunk_3]].", "answer_id": "a", "trace_id": "t"}
    ).encode()
    answer, facts = parse_payload(raw, "chunk").answer, read_facts(raw, "chunk")
    assert (facts.answer_id, facts.trace_id) == ("a", "t")
    assert facts.citations == answer.citations
    with pytest.raises(MalformedAnswerError):
        read_facts(b"[]", "chunk")
    with pytest.raises(InputError):
        read_facts(raw, "unheard-of")
