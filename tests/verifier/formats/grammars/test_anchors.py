from __future__ import annotations

import pytest

from spanproof.verifier.formats.grammars.anchors import find_anchors


@pytest.mark.parametrize(
    ("prose", "numbers"),
    [
        ("a [1].", [1]),
        ("a [1][2]", [1, 2]),
        ("a [1, 2] and [ 3,4 ]", [1, 2, 3, 4]),
        ("a [1, 1]", [1]),
        ("an interval [0.5, 1] is none", []),
        ("nor [12345], [a], [], [-1], [١]", []),
        ("code `x[1]` is no anchor [2]", [2]),
        ("```\ny[1]\n``` but [3]", [3]),
    ],
)
def test_anchor_numbers_in_order(prose: str, numbers: list[int]) -> None:
    assert [anchor.number for anchor in find_anchors(prose)] == numbers


def test_the_span_is_the_bracket() -> None:
    prose = "abc [1, 2]."
    assert {prose[a.span.start : a.span.end] for a in find_anchors(prose)} == {"[1, 2]"}
