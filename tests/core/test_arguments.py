from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spanproof import extract
from spanproof.verifier.entailment import load_model
from spanproof.verifier.formats.native import parse_answer

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("door", "value", "expected"),
    [
        (extract, Path("lease.pdf"), r"data: expected the bytes of a document .* got PosixPath"),
        (load_model, "folder", "folder: expected a pathlib.Path or None, got str"),
        (parse_answer, {"answer": "a"}, "raw: expected the bytes of an answer in JSON, got dict"),
    ],
)
def test_a_value_of_another_type_names_what_is_expected(
    door: Callable[[Any], object], value: object, expected: str
) -> None:
    with pytest.raises(TypeError, match=expected):
        door(value)
