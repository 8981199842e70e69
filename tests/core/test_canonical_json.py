from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core import canonical_json

if TYPE_CHECKING:
    from pathlib import Path


def test_floats_become_strings_of_six_decimals() -> None:
    value = {"b": 0.1 + 0.2, "a": (1, True, None, -0.0)}
    assert canonical_json.dumps(canonical_json.with_decimal_strings(value)) == (
        b'{"a":[1,true,null,"0.000000"],"b":"0.300000"}'
    )


def test_key_order_and_array_kind_do_not_change_the_digest() -> None:
    one = canonical_json.digest({"a": [1, 2], "b": "é"})
    assert one == canonical_json.digest({"b": "é", "a": (1, 2)})
    assert one != canonical_json.digest({"b": "é", "a": (2, 1)})


def test_the_published_vectors_of_rfc_8785_come_out(test_data: Path) -> None:
    folder = test_data / "vectors" / "jcs-rfc8785"
    inputs = sorted(folder.rglob("input/*.json"))
    assert inputs
    for path in inputs:
        expected = path.parent.parent / "output" / path.name
        value = json.loads(path.read_text(encoding="utf-8"))
        assert canonical_json.dumps(value) == expected.read_bytes().rstrip(b"\n")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(value=_JSON)
def test_every_value_gives_the_bytes_of_the_reference(value: Any) -> None:
    assert canonical_json.dumps(value) == rfc8785.dumps(value)


def _in_words(value: Any) -> Any:
    """Every float in words, the plainest way."""
    if isinstance(value, dict):
        return {name: _in_words(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_in_words(item) for item in value]
    return f"{value + 0.0:.6f}" if isinstance(value, float) else value


@given(
    value=st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53) + 1, 2**53 - 1)
        | st.floats(-1e9, 1e9)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_no_float_is_left_at_any_depth(value: Any) -> None:
    written = canonical_json.with_decimal_strings(value)
    assert written == _in_words(value)
    assert canonical_json.dumps(written) == rfc8785.dumps(_in_words(value))


@pytest.mark.parametrize("value", ["\ud800", {"a": "\udfff"}, 2**53, [-(2**53)], float("nan")])
def test_what_jcs_does_not_have_is_refused(value: Any) -> None:
    with pytest.raises(rfc8785.CanonicalizationError):
        canonical_json.dumps(value)
