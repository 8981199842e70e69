"""A proposed format is the payload's own, or there is none: never another one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spanproof.core.errors import InputError
from spanproof.verifier.formats.proposing import propose_format

VECTORS = Path(__file__).parents[2] / "vectors" / "formats"
#: Those named ``_fail`` are no payloads of their format.
PAYLOADS = [each for each in sorted(VECTORS.glob("*/*/payload.json")) if "_fail" not in str(each)]
#: Of these a whole payload, as the provider's SDK gives it, is told by its fields.
TOLD = {
    "anthropic", "azure-groundedness", "bedrock-converse", "bedrock-kb", "check-grounding", "chunk",
    "cohere-v1", "field", "gemini", "langchain", "langextract", "llamaindex", "openai-assistants",
    "openai-chat", "openai-responses", "ref",
}  # fmt: skip


def test_no_payload_is_taken_for_another_format() -> None:
    told: set[str] = set()
    for path in PAYLOADS:
        wanted = path.parts[-3]
        try:
            proposal = propose_format(path.read_bytes())
        except InputError:
            continue
        assert proposal.format == wanted, path
        assert "'" in proposal.why
        told.add(wanted)
    assert told == TOLD


def test_a_message_without_its_reason_to_stop_is_told_by_its_text() -> None:
    message = {"type": "message", "content": [{"type": "text", "text": "So."}]}
    assert propose_format(json.dumps({"response": message}).encode()).format == "anthropic"
    of_openai = {"type": "message", "content": [{"type": "output_text", "text": "So."}]}
    with pytest.raises(InputError):
        propose_format(json.dumps({"response": of_openai}).encode())


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"response": "plain"},
        {"response": []},
        {"response": {"source_nodes": [], "choices": []}},
        [],
    ],
)
def test_none_or_several_are_an_error(payload: object) -> None:
    with pytest.raises(InputError):
        propose_format(json.dumps(payload).encode())


def test_the_native_format_is_proposed_too() -> None:
    assert propose_format(b'{"answer": "So.", "citations": []}').format == "native"
