"""Google's and the frameworks' formats end to end: real documents are ingested, then cited."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.verification.request import VerificationRequest
from spanproof.operations.verification.verify import verify_payload

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context

LEAD = "Der Vertrag – Zürich’s lease 👩‍👩‍👧‍👦.\r\n"
FIRST = "Rent is due on the first Monday of each month."
SECOND = "The deposit of 1 200 francs is paid back within four weeks."
TEXT = f"{LEAD}{FIRST} {SECOND}\r\n"
PROSE = f"Grüezi! 租金: {FIRST} {SECOND}"
START, END = PROSE.index(SECOND), len(PROSE)
BYTES = len(PROSE[:START].encode()), len(PROSE.encode())


def gemini() -> Any:
    return {
        "candidates": [
            {
                "content": {"parts": [{"text": PROSE}]},
                "finishReason": "STOP",
                "groundingMetadata": {
                    "groundingChunks": [
                        {"retrievedContext": {"uri": "kb://lease", "text": SECOND}}
                    ],
                    "groundingSupports": [
                        {
                            "segment": {
                                "startIndex": BYTES[0],
                                "endIndex": BYTES[1],
                                "text": SECOND,
                            },
                            "groundingChunkIndices": [0],
                        }
                    ],
                },
            }
        ]
    }


def check_grounding() -> Any:
    claim = {
        "startPos": BYTES[0],
        "endPos": BYTES[1],
        "claimText": SECOND,
        "citationIndices": [0],
    }
    return {
        "request": {"answerCandidate": PROSE, "facts": [{"factText": TEXT}]},
        "response": {"claims": [claim], "citedChunks": [{"chunkText": SECOND, "source": "0"}]},
    }


def vertex_answer() -> Any:
    return {
        "answerText": PROSE,
        "citations": [
            {
                "startIndex": str(BYTES[0]),
                "endIndex": str(BYTES[1]),
                "sources": [{"referenceId": "0"}],
            }
        ],
        "references": [
            {"chunkInfo": {"content": SECOND, "documentMetadata": {"uri": "kb://lease"}}}
        ],
    }


def langextract() -> Any:
    start = TEXT.index(SECOND)
    interval = {"start_pos": start, "end_pos": start + len(SECOND)}
    extraction = {
        "extraction_class": "deposit",
        "extraction_text": SECOND,
        "char_interval": interval,
        "alignment_status": "match_exact",
    }
    return {"document_id": "doc_7", "text": TEXT, "extractions": [extraction]}


def llamaindex() -> Any:
    node = {
        "id_": "n1",
        "text": f"Source 1:\n{SECOND}\n",
        "relationships": {"1": {"node_id": "kb-7"}},
    }
    return {"response": f"{PROSE} [1]", "source_nodes": [{"node": node, "score": 0.8}]}


def langchain() -> Any:
    annotation = {"type": "citation", "cited_text": SECOND, "extras": {"document_index": 0}}
    blocks = [
        {"type": "text", "text": PROSE[:START]},
        {"type": "text", "text": SECOND, "annotations": [annotation]},
    ]
    return {"message": {"type": "ai", "content": blocks}}


PAYLOADS: dict[str, Callable[[], Any]] = {
    "gemini": gemini,
    "check-grounding": check_grounding,
    "vertex-answer": vertex_answer,
    "langextract": langextract,
    "llamaindex": llamaindex,
    "langchain": langchain,
}


@pytest.fixture
def kept(context: Context) -> Context:
    ingest_stream(context, [TEXT.encode()], media_type=None, filename="a.txt", doc_id="lease")
    return context


def submit(context: Context, name: str, response: Any) -> dict[str, Any]:
    document = {"doc_id": "lease", "index": 0, "uri": "kb://lease", "file_id": "kb-7"}
    raw = json.dumps({"response": response, "documents": [document]}).encode()
    block: dict[str, Any] = verify_payload(context, raw, VerificationRequest(format=name)).response[
        "verification"
    ]
    return block


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_quote_is_found_where_it_stands(kept: Context, name: str) -> None:
    block = submit(kept, name, PAYLOADS[name]())
    (verdict,) = block["verdicts"]
    doc_hash = verdict["identity"]["doc_hash"]
    extraction = kept.store.documents.load_library([], ["lease"]).sources[0].find_extraction(None)
    assert extraction is not None
    canonical = extraction.text.text
    start = canonical.index(SECOND)
    assert verdict["identity"]["status"] == "MATCH"
    assert doc_hash == str(extraction.document.doc_hash)
    existence = verdict["existence"]
    assert existence["status"] == "EXACT"
    assert (existence["char_start"], existence["char_end"]) == (start, start + len(SECOND))
    assert SECOND in verdict["claim"]["text"]
    assert verdict["outcome"] == "pass"
    # The sentence before it is not cited; only langextract gives no prose.
    assert block["codes"] == ([] if name == "langextract" else ["UNCITED_STATEMENT"])
    assert block["import"]["format"] == name
    assert block["import"]["unmapped"] == []


@pytest.mark.parametrize("name", PAYLOADS)
def test_an_altered_quote_fails(kept: Context, name: str) -> None:
    raw = json.dumps(PAYLOADS[name](), ensure_ascii=False)
    # Answer and quote say the same; the document does not.
    block = submit(kept, name, json.loads(raw.replace("1 200 francs", "1 900 francs")))
    (verdict,) = block["verdicts"]
    assert verdict["existence"]["status"] == "ALTERED"
    assert block["result"] == "fail"


def test_interactions_name_a_document_and_quote_nothing(kept: Context) -> None:
    annotation = {
        "type": "file_citation",
        "document_uri": "kb://lease",
        "start_index": BYTES[0],
        "end_index": BYTES[1],
    }
    content = [{"type": "text", "text": PROSE, "annotations": [annotation]}]
    response = {"steps": [{"type": "model_output", "content": content}]}
    block = submit(kept, "gemini-interactions", response)
    (verdict,) = block["verdicts"]
    assert verdict["claim"]["text"] == SECOND
    assert verdict["identity"]["status"] == "MATCH"
    assert verdict["existence"]["status"] == "UNVERIFIABLE"
    assert "QUOTE_NOT_GIVEN" in verdict["codes"]
    assert block["result"] == "error"


def test_azure_cites_nothing_and_never_passes(kept: Context) -> None:
    response = {"text": PROSE, "groundingSources": [TEXT], "ungroundedDetected": False}
    block = submit(kept, "azure-groundedness", response)
    assert block["verdicts"] == []
    assert block["result"] == "fail"
    assert block["abstention_reason"] == "no_citations"
