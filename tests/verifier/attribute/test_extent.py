"""A report of an attribution is as long as its payload allows, and loses no sentence or source."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spanproof.core.errors import AnswerTooDenseError
from spanproof.verifier.attribute.extent import require_attribution_extent, shorten_report
from spanproof.verifier.attribute.payload import parse_attribution
from spanproof.verifier.extent import (
    BYTES_BESIDE,
    BYTES_FOR_EACH,
    DETAIL_LEFT_OUT,
    Extent,
    measure,
    require_short,
)

EXTENT = Extent(citations=2000, claims=2000, verdicts=4000, documents=2000)
SPAN = {"quote": "Goods are replaced.", "sources": ["s1"], "view_url": "/view/" + "a" * 150}


def _make_report(sentences: int, spans: int) -> dict[str, Any]:
    place = {"start": 0, "end": 9, "text": "So it is."}
    return {
        "references": [place | SPAN | {"spans": [SPAN] * spans}] * sentences,
        "unattributed": [place | {"reason": "not_entailed", "nearest": SPAN}] * sentences,
        "sources": [{"id": "s1"}],
        "codes": [],
    }


def _to_size(length: int) -> int:
    """The shortest payload whose response may have so many bytes."""
    return -(-(length - BYTES_BESIDE) // BYTES_FOR_EACH)


def test_a_report_that_fits_is_left_alone() -> None:
    report = _make_report(100, 9)
    assert shorten_report(report, size=_to_size(measure(report))) is report


def test_spans_go_first_and_then_addresses() -> None:
    report = _make_report(300, 9)
    first = shorten_report(report, size=_to_size(measure(report) - 8))
    assert first["codes"] == [DETAIL_LEFT_OUT]
    assert all(row["spans"] == [] for row in first["references"])
    assert all(row["nearest"] is None for row in first["unattributed"])
    assert all(row["view_url"] for row in first["references"])
    size = _to_size(measure(first) - 8)
    second = shorten_report(report, size=size)
    assert all(row["view_url"] is None for row in second["references"])
    assert require_short(second, "/answer", "references", size=size) is second
    for left in (first, second):
        assert left["sources"] == report["sources"]
        assert [row["quote"] for row in left["references"]] == [SPAN["quote"]] * 300
        assert len(left["unattributed"]) == 300


@pytest.mark.parametrize(
    ("payload", "texts", "pointer"),
    [
        ({"answer": "It is so.", "documents": ["a"] * 2001}, 0, "/documents"),
        ({"answer": "It is so.", "retrieved": [{"text": "It is."}] * 2001}, 0, "/retrieved"),
        ({"answer": "It is so."}, 2001, "/tool_results"),
        ({"answer": "Goods are replaced soon.\n\n" * 2001}, 0, "/answer"),
    ],
)
def test_what_asks_for_too_much_is_refused(
    payload: dict[str, Any], texts: int, pointer: str
) -> None:
    raw = json.dumps(payload).encode()
    given = parse_attribution(raw)
    with pytest.raises(AnswerTooDenseError) as caught:
        require_attribution_extent(given, EXTENT, texts=texts, size=len(raw))
    assert caught.value.problems[0].pointer == pointer


def test_sentences_that_no_report_can_hold_are_refused_before_anything_is_read() -> None:
    raw = b'{"answer":"' + b"No. " * 1900 + b'"}'
    with pytest.raises(AnswerTooDenseError, match="bytes of sentences"):
        require_attribution_extent(parse_attribution(raw), EXTENT, texts=0, size=len(raw))
