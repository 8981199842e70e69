"""The same answer and texts through every door come to the same verdicts."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import spanproof
from spanproof.api.http.app import create_app
from spanproof.client import AsyncClient, Client
from spanproof.core.errors import InputError
from spanproof.core.verdicts.verdict_json import verdict_to_json
from spanproof.operations.evaluation.cases import read_cases
from spanproof.operations.settings import Settings
from spanproof.verifier.formats.native import parse_answer
from tests.builders import ScriptedModel
from tests.serving import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

TERM = "The lease runs for five years from 1 May 2024."
RENT = "The rent is 850 euros a month, due on the first."
PROSE = f"{TERM[:-1]} [1]. The rent is 900 euros a month [2]. The landlord lives in Lyon."
MODEL = ScriptedModel()
MARKED = PROSE.replace("[1]", "[citation:lease:a]").replace("[2]", "[citation:lease:b]")
CHUNKS = [
    {"chunk_id": "a", "doc_id": "lease", "text": TERM},
    {"chunk_id": "b", "doc_id": "lease", "text": RENT},
]
NODES = [{"node": {"id_": each["chunk_id"], "text": each["text"]}, "score": 0.5} for each in CHUNKS]
DOCUMENTS = [{"id": each["chunk_id"], "page_content": each["text"]} for each in CHUNKS]
#: Every door's payload, and the name of its format.
PAYLOADS: dict[str, tuple[Any, str]] = {
    "native": ({"answer": PROSE, "citations": [], "retrieved": CHUNKS}, "native"),
    "langchain": ({"response": {"message": PROSE, "documents": DOCUMENTS}}, "langchain"),
    "llamaindex": ({"response": {"response": PROSE, "source_nodes": NODES}}, "llamaindex"),
    "chunk": ({"response": MARKED, "retrieved": CHUNKS}, "chunk"),
}
_FOUND = "IDENTITY_SNIPPET EXISTENCE_EXACT LOCATOR_NOT_GIVEN"
EXPECTED = [
    ("pass", f"{_FOUND} SUPPORT_ENTAILED ATTRIBUTION_HERE SOURCE_IS_SNIPPET"),
    ("fail", f"{_FOUND} SUPPORT_NEUTRAL ATTRIBUTION_ELSEWHERE VETO_NUMBER SOURCE_IS_SNIPPET"),
]


#: The client for JavaScript as 'make typescript' builds it.
BUILT = Path(__file__).parents[2] / "build" / "typescript" / "dist" / "client.js"
SCRIPT = """
const [module, baseUrl, answer, contexts] = process.argv.slice(1);
const { SpanproofClient } = await import(module);
const client = new SpanproofClient({ baseUrl });
const found = await client.verify(answer, { contexts: JSON.parse(contexts) });
console.log(JSON.stringify(found.verification));
"""


def tell(block: Any) -> tuple[str, list[tuple[str, str]], int]:
    """The result, each verdict's outcome and codes, and how many statements cite nothing."""
    verdicts = [(each["outcome"], " ".join(each["codes"])) for each in block["verdicts"]]
    return block["result"], verdicts, len(block["uncited_sentences"])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = Settings(home=tmp_path_factory.mktemp("served") / "home", cross_check_rate=0.0)
    with serve(create_app(settings, parts={"model": MODEL})) as url:
        yield url


@pytest.fixture(scope="module")
def client(served: str) -> Iterator[Client]:
    with Client(served) as client:
        yield client


async def verify_awaited(url: str, payload: Any, named: str) -> spanproof.VerifiedAnswer:
    async with AsyncClient(url) as client:
        return await client.verify(payload, format=named)


@pytest.mark.parametrize("name", PAYLOADS)
def test_every_format_in_process_and_by_the_service(name: str, client: Client, served: str) -> None:
    payload, named = PAYLOADS[name]
    here = spanproof.verify(payload, format=named, model=MODEL)
    there = client.verify(payload, format=named)
    waited = asyncio.run(verify_awaited(served, payload, named))
    assert tell(waited.to_json()) == tell(there.to_json())
    assert waited.claims == there.claims
    assert type(waited) is type(there)
    assert tell(here.to_json()) == tell(there.to_json()) == ("fail", EXPECTED, 1)
    assert type(here) is type(there) is spanproof.VerifiedAnswer
    assert here.claims == there.claims
    assert here.snippets == there.snippets
    assert here.result is there.result
    # The place in the console is the service's own.
    ours = [replace(each, view_url=None) for each in there.verdicts]
    assert list(map(verdict_to_json, here.verdicts)) == list(map(verdict_to_json, ours))
    assert isinstance(there.verdicts[0], spanproof.Verdict)


def test_an_answer_object_by_every_door(client: Client, served: str) -> None:
    payload, named = PAYLOADS["native"]
    answer = parse_answer(json.dumps(payload).encode()).answer
    assert isinstance(answer, spanproof.Answer)
    waited = asyncio.run(verify_awaited(served, answer, named))
    for found in (spanproof.verify(answer, model=MODEL), client.verify(answer), waited):
        assert tell(found.to_json()) == ("fail", EXPECTED, 1)


def test_contexts_and_a_row_of_ragas(client: Client, tmp_path: Path) -> None:
    by_texts = spanproof.verify(PROSE, [TERM, RENT], model=MODEL)
    assert tell(by_texts.to_json()) == ("fail", EXPECTED, 1)
    assert tell(client.verify(PROSE, [TERM, RENT]).to_json()) == ("fail", EXPECTED, 1)
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"response": PROSE, "retrieved_contexts": [TERM, RENT]}))
    (case,) = read_cases(path, most_bytes=10_000)
    block = spanproof.verify(json.loads(case.raw), model=MODEL)
    assert tell(block.to_json()) == ("fail", EXPECTED, 1)


#: A bare text as each provider's response has it, without a citation of its own.
_BLOCKS = [{"type": "text", "text": PROSE}]
BARE = {
    "anthropic": {"type": "message", "stop_reason": "end_turn", "content": _BLOCKS},
    "openai-chat": {"choices": [{"message": {"role": "assistant", "content": PROSE}}]},
    "openai-responses": {
        "status": "completed",
        "output": [
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": PROSE, "annotations": []}],
            }
        ],
    },
    "cohere-v2": {
        "finish_reason": "COMPLETE",
        "message": {"role": "assistant", "content": _BLOCKS},
    },
    "gemini": {"candidates": [{"content": {"role": "model", "parts": [{"text": PROSE}]}}]},
    "bedrock-converse": {
        "stopReason": "end_turn",
        "output": {"message": {"role": "assistant", "content": [{"text": PROSE}]}},
    },
}


@pytest.mark.parametrize("named", BARE)
def test_a_number_names_a_context_where_the_provider_cites_nothing(
    named: str, client: Client
) -> None:
    payload = {"response": BARE[named]}
    here = spanproof.verify(payload, [TERM, RENT], format=named, model=MODEL)
    there = client.verify(payload, [TERM, RENT], format=named)
    assert tell(here.to_json()) == tell(there.to_json()) == ("fail", EXPECTED, 1)
    lonely = spanproof.verify(payload, [TERM], format=named, model=MODEL)
    assert [each["anchor"] for each in lonely.block["orphan_anchors"]] == [2]
    # Without texts a number may be of the provider's own.
    assert spanproof.verify(payload, format=named, model=MODEL).block["orphan_anchors"] == []


def test_an_index_of_a_document_names_a_context(client: Client) -> None:
    cited = [
        {
            "type": "char_location",
            "cited_text": text,
            "document_index": index,
            "document_title": None,
            "start_char_index": 0,
            "end_char_index": len(text),
        }
        for index, text in enumerate([TERM, RENT])
    ]
    content = [{"type": "text", "text": each["cited_text"], "citations": [each]} for each in cited]
    payload = {"response": {"type": "message", "stop_reason": "end_turn", "content": content}}
    here = spanproof.verify(payload, [TERM, RENT], format="anthropic", model=MODEL)
    there = client.verify(payload, [TERM, RENT], format="anthropic")
    assert [verdict.outcome for verdict in here.verdicts] == ["pass", "pass"]
    assert tell(here.to_json()) == tell(there.to_json())


def test_the_answers_own_policy_and_bytes_mean_the_same_by_both_doors(client: Client) -> None:
    asked = {"answer": f"{TERM[:-1]} [1].", "retrieved": CHUNKS, "citations": []}
    asked |= {"policy": "strict"}
    for answer in (asked, json.dumps(asked).encode()):
        for verified in (spanproof.verify(answer, model=MODEL), client.verify(answer)):
            assert (verified.result, verified.block["policy"]["name"]) == ("review", "strict")
    here = spanproof.verify(asked, (), "balanced", MODEL)
    there = client.verify(asked, (), "balanced")
    assert here.result == there.result == "pass"
    assert (here.is_kept, there.is_kept) == (False, True)
    with pytest.raises(InputError, match="a verification by a service for its answer_id"):
        _ = here.answer_id
    with pytest.raises(TypeError, match="beside contexts, got bytes"):
        spanproof.verify(b"{}", [TERM], model=MODEL)


def test_a_question_lowers_no_whole_sentence() -> None:
    asked = {
        "answer": "The lease runs for five years [1].",
        "citations": [],
        "question": "How long does the lease run?",
    }
    assert spanproof.verify(asked, [TERM], model=MODEL).result == "pass"


def test_an_answer_without_citations_is_attributed_by_every_door(client: Client) -> None:
    answer = f"{TERM} The rent is 900 euros a month."
    here = spanproof.verify(answer, [TERM, RENT], model=MODEL, attribute=True)
    there = client.verify(answer, [TERM, RENT], attribute=True)
    assert tell(here.to_json()) == tell(there.to_json())
    assert [each.outcome for each in there.verdicts] == ["pass", "fail"]
    assert there.block["repair"]["refuted"] is True
    assert there.block["repair"]["attached"] == 2


@pytest.mark.long
def test_the_client_for_javascript_gives_the_same_verdicts(served: str) -> None:
    node = shutil.which("node")
    if node is None or not BUILT.exists():
        reason = "not here: node or build/typescript (make typescript)"
        if os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)
    arguments = [BUILT.as_uri(), served, PROSE, json.dumps([TERM, RENT])]
    told = subprocess.run(
        [node, "--input-type=module", "--eval", SCRIPT, *arguments],
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert tell(json.loads(told.stdout)) == ("fail", EXPECTED, 1)


@pytest.mark.parametrize(
    ("answer", "given", "match"),
    [
        (5, {}, "answer: expected"),
        (PROSE, {"contexts": TERM}, "contexts: expected"),
        (PROSE, {"contexts": [5]}, "expected"),
        (PROSE, {"policy": 5}, "policy: expected the name of one, such as 'balanced', got int"),
        (PROSE, {"format": None}, "format: expected the name of one, such as 'native', got None"),
    ],
)
def test_values_of_other_types_are_refused_in_the_same_words(
    answer: Any, given: dict[str, Any], match: str, client: Client
) -> None:
    with pytest.raises(TypeError, match=match):
        client.verify(answer, **given)
    with pytest.raises(TypeError, match=match):
        spanproof.verify(answer, model=MODEL, **given)
