"""Whatever stands anywhere in a payload, it is read or refused, and no citation is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedAnswerError
from spanproof.verifier.formats.registry import parse_payload
from tests.strategies import unhurried

if TYPE_CHECKING:
    from spanproof.core.errors import FieldProblem
    from spanproof.verifier.formats.parsed import ParsedAnswer

CORPUS = Path(__file__).parents[3] / "vectors" / "formats"
FORMATS = (
    "gemini",
    "gemini-interactions",
    "check-grounding",
    "vertex-answer",
    "azure-groundedness",
    "langextract",
    "llamaindex",
    "langchain",
)
PAYLOADS = {
    name: [
        json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((CORPUS / name).glob("*/payload.json"))
    ]
    for name in FORMATS
}
ODD: tuple[Any, ...] = (None, True, -1, 0, 3, 10**20, 2.5, "", "[1]", "é", [], [None], {}, {"a": 1})


def list_places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner: list[Any] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [place, *(found for key, one in inner for found in list_places(one, (*place, key)))]


def put(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """A copy with another value at one place."""
    if not place:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = put(value[place[0]], place[1:], new)
    return copy


def read_or_refuse(payload: Any, name: str) -> tuple[ParsedAnswer | None, tuple[FieldProblem, ...]]:
    """What was read, else what was found wrong; any other error is ours."""
    try:
        return parse_payload(json.dumps(payload).encode(), name), ()
    except MalformedAnswerError as error:
        return None, error.problems


@pytest.mark.parametrize("name", FORMATS)
@unhurried
@given(data=st.data())
def test_a_changed_payload_is_read_or_refused(name: str, data: st.DataObject) -> None:
    payload = data.draw(st.sampled_from(PAYLOADS[name]))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list_places(payload["response"])))
        changed = put(payload["response"], place, data.draw(st.sampled_from(ODD)))
        payload = payload | {"response": changed}
    parsed, problems = read_or_refuse(payload, name)
    if parsed is None:
        assert problems
        assert all(problem.pointer.startswith("/response") for problem in problems)
        return
    prose = parsed.answer.prose
    for citation in parsed.answer.citations:
        assert citation.origin == name
        if citation.segment is not None:
            assert prose[citation.segment.start : citation.segment.end].strip()
    assert all(anchor.span.end <= len(prose) for anchor in parsed.answer.anchors)
    noted = {remark.pointer for remark in parsed.imported.remarks}
    assert {p for p in parsed.imported.unmapped if p.startswith("/response")} <= noted
