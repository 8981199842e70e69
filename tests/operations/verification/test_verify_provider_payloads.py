"""One payload of each provider, from stored bytes to the verdict: identity, offsets, support.

Real documents are ingested and read as any others are; a scripted model entails everything, so that
what a verdict says of identity and existence is seen by itself.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.verification.request import VerificationRequest
from spanproof.operations.verification.verify import verify_payload

if TYPE_CHECKING:
    from spanproof.operations.context import Context

TEXT = "The café opens at nine 🎉.\nA table costs four euros an hour.\n"
QUOTE = "A table costs four euros an hour."
START = TEXT.index(QUOTE)
START_UTF16 = START + 1
CLAIM = "A table costs four euros an hour"
PROSE = f"🎉 {CLAIM}."
AT = PROSE.index(CLAIM)
DOC = {"index": 0, "uri": "https://example.com/cafe", "file_id": "f-1"}


@pytest.fixture
def kept(context: Context) -> Context:
    ingest_stream(context, [TEXT.encode()], media_type=None, filename="cafe.txt", doc_id="cafe")
    return context


def anthropic() -> Any:
    location = {
        "type": "char_location",
        "cited_text": QUOTE,
        "document_index": 0,
        "document_title": None,
        "start_char_index": START_UTF16,
        "end_char_index": START_UTF16 + len(QUOTE),
    }
    return {
        "type": "message",
        "role": "assistant",
        "content": [
            {"type": "text", "text": PROSE[:AT]},
            {"type": "text", "text": CLAIM, "citations": [location]},
            {"type": "text", "text": "."},
        ],
    }


def bedrock_converse() -> Any:
    place = {"documentIndex": 0, "start": START, "end": START + len(QUOTE) - 1}
    cited = {"sourceContent": [{"text": QUOTE}], "location": {"documentChar": place}}
    blocks = [
        {"text": PROSE[:AT]},
        {"citationsContent": {"content": [{"text": CLAIM}], "citations": [cited]}},
        {"text": "."},
    ]
    return {"output": {"message": {"role": "assistant", "content": blocks}}}


def bedrock_kb() -> Any:
    span = {"start": AT, "end": AT + len(CLAIM) - 1}
    reference = {
        "content": {"text": QUOTE},
        "location": {"type": "WEB", "webLocation": {"url": DOC["uri"]}},
    }
    part = {"textResponsePart": {"text": CLAIM, "span": span}}
    cited = {"generatedResponsePart": part, "retrievedReferences": [reference]}
    return {"output": {"text": PROSE}, "citations": [cited]}


def openai_responses() -> Any:
    prose = f"{CLAIM}."
    found = {"file_id": "f-1", "filename": "cafe.txt", "score": 0.9, "text": QUOTE}
    cited = {"type": "file_citation", "file_id": "f-1", "filename": "cafe.txt", "index": len(prose)}
    part = {"type": "output_text", "text": prose, "annotations": [cited]}
    return {
        "output": [
            {"type": "file_search_call", "queries": [], "results": [found]},
            {"type": "message", "role": "assistant", "content": [part]},
        ]
    }


def openai_assistants() -> Any:
    marker = "【4:0†source】"
    cited = {
        "type": "file_citation",
        "text": marker,
        "start_index": len(CLAIM),
        "end_index": len(CLAIM) + len(marker),
        "file_citation": {"file_id": "f-1", "quote": QUOTE},
    }
    text = {"value": f"{CLAIM}{marker}.", "annotations": [cited]}
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def cohere_v1() -> Any:
    cited = {"start": AT, "end": AT + len(CLAIM), "text": CLAIM, "document_ids": ["f-1"]}
    return {"text": PROSE, "citations": [cited], "documents": [{"id": "f-1", "text": QUOTE}]}


def cohere_v2() -> Any:
    source = {"type": "document", "id": "f-1", "document": {"id": "f-1", "snippet": QUOTE}}
    start = AT + 1
    cited = {"start": start, "end": start + len(CLAIM), "text": CLAIM, "sources": [source]}
    content = [{"type": "text", "text": PROSE}]
    return {"message": {"role": "assistant", "content": content, "citations": [cited]}}


QUOTING = [
    anthropic,
    bedrock_converse,
    bedrock_kb,
    openai_responses,
    openai_assistants,
    cohere_v1,
    cohere_v2,
]


def verify(context: Context, response: Any, name: str, **document: Any) -> dict[str, Any]:
    documents = [DOC | {"doc_hash": str(Digest.of(TEXT.encode()))} | document]
    raw = json.dumps({"response": response, "documents": documents}).encode()
    verified = verify_payload(context, raw, VerificationRequest(format=name)).response
    # What the caller gets back is JSON, and the payload stands in it as it came.
    assert json.loads(json.dumps(verified))["response"] == response
    block: dict[str, Any] = verified["verification"]
    return block


@pytest.mark.parametrize("build", QUOTING, ids=lambda build: build.__name__)
def test_a_citation_is_found_at_its_place_in_the_stored_document(kept: Context, build: Any) -> None:
    name = build.__name__.replace("_", "-")
    block = verify(kept, build(), name)
    (verdict,) = block["verdicts"]
    assert verdict["identity"]["status"] == "MATCH"
    assert verdict["existence"]["status"] == "EXACT"
    found = (verdict["existence"]["char_start"], verdict["existence"]["char_end"])
    assert found == (START, START + len(QUOTE))
    assert CLAIM in verdict["claim"]["text"]
    assert block["result"] == "pass", verdict["codes"]
    assert block["import"]["format"] == name
    assert block["import"]["unmapped"] == []


@pytest.mark.parametrize("build", QUOTING, ids=lambda build: build.__name__)
def test_a_changed_quote_fails_in_every_format(kept: Context, build: Any) -> None:
    quoted = json.dumps(QUOTE)
    changed = json.loads(json.dumps(build()).replace(quoted, quoted.replace("four", "five")))
    block = verify(kept, changed, build.__name__.replace("_", "-"))
    assert [verdict["existence"]["status"] for verdict in block["verdicts"]] == ["ALTERED"]
    assert block["result"] == "fail"


def test_a_link_without_a_quote_is_matched_but_never_passes(kept: Context) -> None:
    link = f"([cafe]({DOC['uri']}))"
    cited = {"url": DOC["uri"], "title": "", "start_index": AT, "end_index": AT + len(link)}
    message = {
        "role": "assistant",
        "content": f"🎉 {link} {CLAIM}.",
        "annotations": [{"type": "url_citation", "url_citation": cited}],
    }
    block = verify(kept, {"choices": [{"index": 0, "message": message}]}, "openai-chat")
    (verdict,) = block["verdicts"]
    assert verdict["identity"]["status"] == "MATCH"
    assert verdict["existence"]["status"] == "UNVERIFIABLE"
    assert "QUOTE_NOT_GIVEN" in verdict["codes"]
    assert "quotes nothing" in verdict["notes"]
    assert block["result"] == "error"


def test_a_lost_citation_keeps_a_sound_answer_from_passing(kept: Context) -> None:
    payload = anthropic()
    payload["content"][1]["citations"].append({"type": "dream_location"})
    block = verify(kept, payload, "anthropic")
    assert [verdict["outcome"] for verdict in block["verdicts"]] == ["pass"]
    assert block["result"] == "review"
    assert block["import"]["unmapped"] == ["/response/content/1/citations/1"]


def test_a_document_that_is_not_listed_is_unknown(kept: Context) -> None:
    block = verify(kept, anthropic(), "anthropic", index=7)
    (verdict,) = block["verdicts"]
    assert verdict["identity"]["status"] == "UNKNOWN_DOCUMENT"
    assert block["result"] == "error"
