from __future__ import annotations

from spanproof.verifier.answers.stream_events import Delivery, Event

RAW = 'Four days [[REF:s1]]. Else.\nSOURCES_START\n[{"id": "s1", "url": "https://a"}]\nSOURCES_END'


def stream(raw: str, size: int) -> list[Event]:
    delivery = Delivery(("ref",))
    events = [e for at in range(0, len(raw), size) for e in delivery.push(raw[at : at + size])]
    return events + delivery.close()


def test_instant_and_streamed_delivery_show_the_same() -> None:
    instant = Delivery(("ref",)).deliver(RAW)
    assert [event.kind for event in instant] == ["replace", "citation", "sources", "done"]
    for size in (1, 3, 1000):
        events = stream(RAW, size)
        seen = "".join(event.data["text"] for event in events if event.kind == "chunk")
        assert seen == instant[0].data["text"] == "Four days. Else.\n"
        assert [e for e in events if e.kind != "chunk"] == instant[1:]


def test_the_citation_has_its_place_in_both_frames() -> None:
    _, citation, sources, _ = Delivery(("ref",)).deliver(RAW)
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
    events = stream("Four.\nSOURCES_START [{", 1)
    seen = "".join(event.data["text"] for event in events if event.kind == "chunk")
    assert seen == "Four.\n"
    assert events[-2].data["statuses"] == ["SOURCES_UNCLOSED", "SOURCES_MALFORMED"]
