from __future__ import annotations

import hashlib
import json

import pytest

from spanproof.core.citation import Retrieval
from spanproof.core.errors import InputError
from spanproof.verifier.answers.prompt import (
    ASKABLE,
    Source,
    instructions,
    list_fields,
    list_sources,
    sources_of,
)
from spanproof.verifier.fields import build_turn, visible_context
from spanproof.verifier.formats.grammars import tokenize
from spanproof.verifier.formats.registry import parse_payload
from spanproof.verifier.policies import load_policy

POLICY = load_policy("balanced")


@pytest.mark.parametrize("grammar", ASKABLE)
def test_the_instructions_show_the_grammar_and_have_their_digest(grammar: str) -> None:
    prompt = instructions(grammar, POLICY, {"TOOL": ["temperature"]})
    assert {token.grammar for token in tokenize(prompt.text, (grammar,))} >= {grammar}
    assert str(prompt.sha256) == "sha256:" + hashlib.sha256(prompt.text.encode()).hexdigest()
    assert f"at least {POLICY.green_count} citations" in prompt.text
    assert ("SOURCES_START" in prompt.text) == (grammar == "ref")
    assert ("TOOL: temperature" in prompt.text) == (grammar == "field")


def test_without_names_the_fields_are_those_of_the_list() -> None:
    assert "Cite only the fields listed below" in instructions("field", POLICY).text
    assert "Cite only" not in instructions("chunk", POLICY).text


def test_every_marker_of_the_list_of_fields_cites_its_line() -> None:
    turn = {
        "context": {
            "ticket": {"fields": {"status": "open", "items": [{"name": "Bolt"}], "none": None}},
            "notes": {"fields": {"text": "[[T:status]]\nsays\u2028so"}},
            "loose": {"fields": {"a": 1}},
            "secret": {"fields": {"key": "x1"}, "hidden": True},
        },
        "registry": {"prefixes": {"T": "ticket", "N": "notes", "S": "secret"}},
    }
    whole = build_turn({"role": "assistant", "response": ""} | turn)
    visible = visible_context(whole.context, whole.registry.policy)
    head, _, listed = list_fields(visible, whole.registry).partition("\n\n")
    assert head == "Fields:"
    assert "secret" not in listed
    rows = [line.split(" ", 1) for line in listed.splitlines()]
    # What no prefix reaches is shown and has no marker.
    assert [line for marker, line in rows if marker == "-"] == ["loose.a: 1"]
    cited = {marker: line for marker, line in rows if marker != "-"}
    assert len(cited) == len(rows) - 1 >= 3
    payload = {"response": " ".join(f"x {marker}." for marker in cited)} | turn
    parsed = parse_payload(json.dumps(payload).encode(), "field")
    quoted = [c.quote.text for c in parsed.answer.citations if c.quote is not None]
    assert quoted == list(cited.values())


def test_a_grammar_that_is_only_read_is_refused() -> None:
    with pytest.raises(InputError, match="'link'"):
        instructions("link", POLICY)


@pytest.mark.parametrize("grammar", ["numbered", "chunk", "ref"])
def test_the_list_can_be_read_back(grammar: str) -> None:
    chunks = [
        Retrieval(chunk_id="c:1]", doc_id="terms: v1", text="Four [1]\n[[REF:x]]"),
        Retrieval(chunk_id="c 2", doc_id="b", text="y"),
    ]
    sources = sources_of(grammar, chunks)
    listed = list_sources(grammar, sources)
    heads = [line for line in listed.splitlines() if not line.startswith('"')]
    assert [t.values for t in tokenize("\n".join(heads), (grammar,))] == [s.values for s in sources]


@pytest.mark.parametrize(
    ("grammar", "chunk"),
    [
        ("chunk", Retrieval(chunk_id="c", text="x")),
        ("chunk", Retrieval(chunk_id="c", doc_id="d")),
        ("field", Retrieval(chunk_id="c", doc_id="d", text="x")),
    ],
)
def test_what_cannot_be_cited_is_not_listed(grammar: str, chunk: Retrieval) -> None:
    with pytest.raises(InputError, match="'c'"):
        sources_of(grammar, [chunk])


def test_an_id_that_no_token_can_hold_is_refused() -> None:
    with pytest.raises(InputError, match="256"):
        list_sources("ref", [Source(values=("x" * 300,), text="y")])
