"""The use case behind ``attribute``: what tools gave back is kept, and references lead to it."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from structlog.testing import capture_logs

from spanproof.core.budget import Budget
from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedAnswerError, ModelError
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.errors import RequestTooCostlyError
from spanproof.operations.replay.verification import ReplayStatus, load_file, load_stored, replay
from spanproof.operations.verification import budget
from spanproof.operations.verification.attribute import attribute_payload
from spanproof.operations.verification.request import RepairRequest, VerificationRequest
from spanproof.operations.verification.verify import verify_payload
from tests.builders import ScriptedModel
from tests.contexts import with_parts, with_settings
from tests.verifier.attribute.test_attribute import GOODS, GUESTS, SOURCE, says_so
from tests.verifier.pair_models import PairModel

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context

SEARCH = {
    "tool_request_id": "c1",
    "tool_name": "web_search",
    "output": [{"url": "https://www.example.com/a", "title": "A", "snippet": GOODS}],
}
PAGE = {
    "tool_request_id": "c2",
    "tool_name": "web_scrape",
    "parameters": {"url": "https://z.ch"},
    "output": SOURCE,
}


@pytest.fixture
def ready(context: Context) -> Context:
    return with_parts(context, model=PairModel(says_so))


def run(context: Context, answer: str, *results: Any, **fields: Any) -> dict[str, Any]:
    raw = json.dumps({"answer": answer, "tool_results": results} | fields).encode()
    return attribute_payload(context, raw).to_json()


def test_sentences_that_are_left_when_the_time_is_spent_say_so(
    ready: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make_short(*_: object) -> Budget:
        # A tick at each look: the sources and the first sentence are looked at, and little more.
        return Budget(80, clock=count().__next__)

    monkeypatch.setattr(budget, "make_budget", make_short)
    report = run(ready, " ".join([GUESTS, GOODS] * 40), SEARCH, PAGE)
    assert report["references"]
    assert {each["reason"] for each in report["unattributed"]} == {"budget"}


def test_sources_that_take_all_the_time_are_refused(ready: Context) -> None:
    hurried = with_settings(ready, budget_seconds=1e-9)
    with pytest.raises(RequestTooCostlyError, match="CPU time"):
        run(hurried, GOODS, SEARCH)


def test_tool_outputs_are_kept_as_the_bytes_received(ready: Context) -> None:
    report = run(ready, f"{GUESTS} {GOODS}", SEARCH, PAGE, {"tool_name": "sum", "output": 4})
    by_id = {source["id"]: source for source in report["sources"]}
    assert by_id["s2"]["doc_hash"] == str(Digest.of(SOURCE.encode()))
    guests, goods = report["references"]
    assert guests["sources"] == ["s2"]
    assert set(goods["sources"]) == {"s1", "s2"}
    assert by_id["s1"]["evidence_scope"] == "snippet"
    for reference in report["references"]:
        kept = ready.store.documents.load_extraction(Digest.parse(reference["extraction_id"]))
        span = kept.text.text[reference["char_start"] : reference["char_end"]]
        assert span == reference["quote"] == reference["text"]
    assert report["unextracted"] == [
        {"tool_request_id": None, "tool_name": "sum", "reason": "no_extractor", "pointer": ""}
    ]


def test_a_configured_pattern_reads_another_tool(ready: Context) -> None:
    ready = with_settings(ready, tool_extractors={"^find_pages$": "web_search"})
    report = run(ready, GOODS, SEARCH | {"tool_name": "find_pages"})
    assert len(report["references"]) == 1


def test_bytes_that_are_refused_are_told(ready: Context) -> None:
    result = {
        "tool_name": "mcp.a__b",
        "output": {"content": [{"type": "resource", "resource": {}}]},
    }
    broken = {
        "tool_name": "mcp.a__b",
        "output": {
            "content": [
                {
                    "type": "resource",
                    "resource": {"blob": "UEsDBAAAAA==", "mimeType": "application/zip"},
                }
            ]
        },
    }
    report = run(ready, GOODS, result, broken, PAGE)
    reasons = [row["reason"] for row in report["unextracted"]]
    assert reasons[0] == "no_text"
    assert reasons[1].isupper()
    assert len(report["references"]) == 1


def test_stored_documents_and_chunks_are_sources(ready: Context) -> None:
    ingest_stream(ready, [SOURCE.encode()], media_type=None, filename="a.txt", doc_id="cafe")
    report = run(
        ready,
        f"{GOODS} {GUESTS}",
        documents=["cafe", "sha256:" + "0" * 64],
        retrieved=[
            {"chunk_id": "k1", "doc_id": "cafe", "text": GOODS},
            {"chunk_id": "k2", "doc_id": "gone", "text": f"Terms. {GOODS}"},
            {"chunk_id": "k3", "doc_id": "gone"},
        ],
    )
    goods, guests = report["references"]
    assert set(goods["sources"]) == {"s1", "s2", "s3"}
    assert guests["sources"] == ["s1"]
    kinds = {s["id"]: (s["type"], s["chunk_id"], s["evidence_scope"]) for s in report["sources"]}
    assert kinds == {
        "s1": ("document", None, "full"),
        "s2": ("chunk", "k1", "full"),
        "s3": ("chunk", "k2", "snippet"),
    }
    assert [row["reason"] for row in report["unresolved"]] == ["unknown_document"] * 2


def test_what_is_skipped_keeps_nothing(ready: Context) -> None:
    report = run(ready, "```\nx = 1\n```", PAGE)
    assert report["skipped"] == "code_only"
    assert ready.store.documents.list().items == ()


def test_without_a_model_it_is_an_error(context: Context, tmp_path: Path) -> None:
    context = with_settings(context, model=tmp_path / "nowhere")
    with pytest.raises(ModelError):
        run(context, GOODS, PAGE)
    assert run(context, GOODS)["skipped"] == "no_sources"


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"answer": 1},
        {"answer": "a", "tool_results": [{}]},
        {"answer": "a", "tool_results": [{"tool_name": "x"}]},
        {"answer": "a", "tool_results": "x"},
        {"answer": "a", "documents": ["sha256:short"]},
        {"answer": "a", "documents": [1]},
        [],
    ],
)
def test_what_is_malformed_is_an_error(ready: Context, payload: Any) -> None:
    with pytest.raises(MalformedAnswerError):
        attribute_payload(ready, json.dumps(payload).encode())


def repair_payload() -> bytes:
    return json.dumps(
        {
            "answer": f"{GOODS} The moon is made of cheese.",
            "citations": [],
            "session_id": "S1",
            "labels": {"intent": "lookup", "query_type": "fact"},
            "retrieved": [{"chunk_id": "k1", "doc_id": "cafe", "text": SOURCE}],
        }
    ).encode()


def test_a_repaired_verification_replays(ready: Context, tmp_path: Path) -> None:
    ingest_stream(ready, [SOURCE.encode()], media_type=None, filename="a.txt", doc_id="cafe")
    made = verify_payload(ready, repair_payload(), VerificationRequest(repair=RepairRequest()))
    response = made.response
    block = response["verification"]
    assert response["citations"] == []
    assert block["repair"]["attached"] == 1
    assert [verdict["repaired"] for verdict in block["verdicts"]] == [True]
    stored = load_stored(ready, made.verification_id)
    assert replay(ready, stored).status is ReplayStatus.REPLAYED
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(response), encoding="utf-8")
    assert replay(ready, load_file(ready, path)).status is ReplayStatus.REPLAYED
    block["repair"]["citations"][0]["span"]["char_start"] += 1
    path.write_text(json.dumps(response), encoding="utf-8")
    assert replay(ready, load_file(ready, path)).status is ReplayStatus.DIFFERS


def test_the_events_tell_counts_and_no_words(ready: Context) -> None:
    ready = with_parts(ready, model=ScriptedModel())
    ingest_stream(ready, [SOURCE.encode()], media_type=None, filename="a.txt", doc_id="cafe")
    with capture_logs() as logs:
        verify_payload(ready, repair_payload(), VerificationRequest(repair=RepairRequest()))
    extraction, repair = [log for log in logs if log["event"].startswith("citation_")]
    assert extraction["event"] == "citation_extraction_complete"
    assert {name: extraction[name] for name in ("session_id", "intent", "query_type")} == {
        "session_id": "S1",
        "intent": "lookup",
        "query_type": "fact",
    }
    assert extraction["citations_extracted"] == 0
    assert extraction["evidence_chunks_available"] == 1
    assert (extraction["citation_level"], extraction["repaired"]) == ("RED", repair["attached"])
    assert repair["event"] == "citation_repair"
    assert "goods" not in json.dumps(logs)
