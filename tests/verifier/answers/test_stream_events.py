from __future__ import annotations

from spanproof.core.citation import Answer, Citation, Quote
from spanproof.verifier.answers.stream_events import AnswerStream, StreamEvent, verification_events
from spanproof.verifier.formats.grammars import find_anchors
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library

RAW = 'Four days [[REF:s1]]. Else.\nSOURCES_START\n[{"id": "s1", "url": "https://a"}]\nSOURCES_END'


def read(raw: str, size: int) -> list[StreamEvent]:
    stream = AnswerStream(("ref",))
    events = [e for at in range(0, len(raw), size) for e in stream.push(raw[at : at + size])]
    return events + stream.close()


def test_a_whole_and_a_streamed_answer_show_the_same() -> None:
    instant = AnswerStream(("ref",)).whole(RAW)
    assert [event.kind for event in instant] == ["replace", "citation", "sources", "done"]
    for size in (1, 3, 1000):
        events = read(RAW, size)
        seen = "".join(event.data["text"] for event in events if event.kind == "chunk")
        assert seen == instant[0].data["text"] == "Four days. Else.\n"
        assert [e for e in events if e.kind != "chunk"] == instant[1:]


def test_the_citation_has_its_place_in_both_frames() -> None:
    _, citation, sources, _ = AnswerStream(("ref",)).whole(RAW)
    assert citation.to_json() == {
        "event": "citation",
        "grammar": "ref",
        "values": ["s1"],
        "start": 10,
        "end": 20,
        "at": 9,
    }
    assert sources.data == {
        "sources": [{"id": "s1", "title": None, "url": "https://a"}],
        "statuses": [],
    }


def test_a_block_without_an_end_never_leaks() -> None:
    events = read("Four.\nSOURCES_START [{", 1)
    seen = "".join(event.data["text"] for event in events if event.kind == "chunk")
    assert seen == "Four.\n"
    assert events[-2].data["statuses"] == ["SOURCES_UNCLOSED", "SOURCES_MALFORMED"]


def test_each_verdict_is_an_event() -> None:
    extraction = make_extraction("Goods are replaced within four days.")
    quote = Quote(text="replaced within four days")
    answer = Answer(
        prose="Four days [1].",
        anchors=find_anchors("Four days [1]."),
        citations=(Citation(anchor=1, quote=quote, doc_hash=extraction.document.doc_hash),),
    )
    block = verify(
        answer,
        make_library(extraction),
        ScriptedModel(),
        load_policy("balanced"),
        verified_at=MOMENT,
    )
    (event,) = verification_events(block)
    (verdict,) = block.verdicts
    assert event.to_json() == {
        "event": "verification",
        "anchor": 1,
        "citation": 0,
        "outcome": verdict.outcome.value,
        "codes": list(verdict.codes),
        "notes": verdict.notes,
        "view_url": verdict.view_url,
    }
