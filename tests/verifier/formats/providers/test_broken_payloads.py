"""Whatever is broken in a payload, it is read or refused, and what is read is a true slice."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.errors import MalformedAnswerError
from spanproof.verifier.formats.registry import parse_payload

CORPUS = Path(__file__).parents[3] / "vectors" / "formats"
NAMES = (
    "anthropic",
    "bedrock-converse",
    "bedrock-kb",
    "openai-responses",
    "openai-chat",
    "openai-assistants",
    "cohere-v1",
    "cohere-v2",
)
_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([-1, 0, 1, 7, 10**30, 0.5, "", "type", "text", [], {}, [None], [[]], [{}]]),
    st.sampled_from([{"type": "text"}, {"text": "a"}, "url_citation", "file_citation", "\ue200"]),
)


@cache
def load(name: str) -> tuple[Any, ...]:
    """The payloads of a format's cases."""
    paths = sorted((CORPUS / name).glob("*/payload.json"))
    return tuple(json.loads(path.read_text(encoding="utf-8")) for path in paths)


def list_places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value inside ``response``."""
    steps: list[Any] = []
    if isinstance(value, dict):
        steps = list(value)
    elif isinstance(value, list):
        steps = list(range(len(value)))
    return [place, *(p for step in steps for p in list_places(value[step], (*place, step)))]


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_broken_payload_is_read_or_refused(name: str, data: st.DataObject) -> None:
    payload = copy.deepcopy(data.draw(st.sampled_from(load(name))))
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.sampled_from(list_places(payload["response"])))
        owner: Any = payload
        for step in ("response", *place)[:-1]:
            owner = owner[step]
        last = ("response", *place)[-1]
        if isinstance(owner, dict) and last != "response" and data.draw(st.booleans()):
            del owner[last]
        else:
            # A copy: what the strategy holds must stay as it is.
            owner[last] = copy.deepcopy(data.draw(_VALUES))
    raw = json.dumps(payload).encode()
    if payload["response"] is None:
        with pytest.raises(MalformedAnswerError):
            parse_payload(raw, name)
        return
    try:
        parsed = parse_payload(raw, name)
    except MalformedAnswerError as error:
        pointers = [problem.pointer for problem in error.problems]
    else:
        pointers = list(parsed.imported.unmapped)
        size = len(parsed.answer.prose)
        spans = [c.segment for c in parsed.answer.citations if c.segment is not None]
        spans += [anchor.span for anchor in parsed.answer.anchors]
        assert all(0 <= span.start <= span.end <= size for span in spans)
        assert len({c.anchor for c in parsed.answer.citations}) == len(parsed.answer.citations)
    assert all(pointer.startswith("/response") for pointer in pointers)
