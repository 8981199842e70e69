"""The documents of ``tests/vectors/ingest``: each ends as its ``expected.json`` says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spanproof.core.errors import ExtractionError
from spanproof.ingest import extract

CASES = sorted((Path(__file__).parents[2] / "vectors" / "ingest").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_case_ends_as_it_says(case: Path) -> None:
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    document = next(case.glob("document.*"))
    assert (case / "README").read_text(encoding="utf-8").strip()
    assert case.name.endswith("_fail") == ("error" in expected)
    if "text" in expected:
        extraction = extract(document.read_bytes(), filename=document.name)
        assert extraction.text.text == expected["text"]
        return
    with pytest.raises(ExtractionError) as caught:
        extract(document.read_bytes(), filename=document.name)
    assert caught.value.code == expected["error"]
    assert caught.value.hint.endswith(".")
