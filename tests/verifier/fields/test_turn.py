from __future__ import annotations

import json
from typing import Any

import pytest

from spanproof.core.errors import MalformedAnswerError
from spanproof.verifier.fields import build_turn, parse_turn
from spanproof.verifier.fields.context import MAX_DEPTH, MAX_VALUES

TURN: dict[str, Any] = {
    "role": "assistant",
    "response": "text",
    "context": {"case": {"fields": {"a": 1}}},
}


def nest(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"role": None}, "/role"),
        ({"role": 1}, "/role"),
        ({"response": None}, "/response"),
        ({"response": ["text"]}, "/response"),
        ({"context": None}, "/context"),
        ({"context": []}, "/context"),
        ({"context": {"case": {"a": 1}}}, "/context/case/a"),
        ({"context": {"case": {"fields": []}}}, "/context/case/fields"),
        ({"context": {"case": {"fields": {}, "completeness": 1.1}}}, "/context/case/completeness"),
        ({"context": {"case": {"fields": {}, "completeness": "1"}}}, "/context/case/completeness"),
        ({"context": {"case": {"fields": {}, "hidden": 0}}}, "/context/case/hidden"),
        ({"context": {"a": {"fields": {"b.c": 1, "b": {"c": 2}}}}}, "/context"),
        ({"context": {"a": {"fields": {"x": list(range(MAX_VALUES + 1))}}}}, "/context"),
        ({"context": {"a": {"fields": nest(MAX_DEPTH + 3)}}}, "/context/a/fields"),
        ({"registry": []}, "/registry"),
        ({"registry": {"prefix": {}}}, "/registry/prefix"),
        ({"registry": {"prefixes": {"C": 1}}}, "/registry/prefixes/C"),
        ({"registry": {"prefixes": {"C": "case", "c": "other"}}}, "/registry/prefixes/c"),
        ({"registry": {"types": {"a": "number"}}}, "/registry/types/a"),
        ({"registry": {"types": {"a": ["enum"]}}}, "/registry/types/a"),
        ({"registry": {"labels": {"a": 1}}}, "/registry/labels/a"),
        ({"registry": {"common_words": [1]}}, "/registry/common_words/0"),
        ({"registry": {"policy": {"least": 1}}}, "/registry/policy/least"),
        ({"registry": {"policy": {"min_completeness": 2}}}, "/registry/policy/min_completeness"),
        (
            {"registry": {"policy": {"thresholds": {"enum": 2}}}},
            "/registry/policy/thresholds/enum",
        ),
        ({"generator": {"model": 1}}, "/generator/model"),
        ({"contexts": {}}, "/contexts"),
    ],
)
def test_a_malformed_turn_names_its_field(changes: dict[str, Any], pointer: str) -> None:
    turn = {name: value for name, value in (TURN | changes).items() if value is not None}
    with pytest.raises(MalformedAnswerError) as caught:
        parse_turn(json.dumps(turn).encode())
    assert pointer in [problem.pointer for problem in caught.value.problems]


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b'{"role":NaN}', b'{"a":1,"a":2}', b"\xff"])
def test_what_is_no_object_is_malformed(raw: bytes) -> None:
    with pytest.raises(MalformedAnswerError):
        parse_turn(raw)


def test_a_deep_context_that_is_allowed_is_read() -> None:
    turn = build_turn(TURN | {"context": {"case": {"fields": nest(MAX_DEPTH)}}})
    (section,) = turn.context.sections
    assert section.fields[-1].value == 1
