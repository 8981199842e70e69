"""Attack cases as folders: README says why, case.json what; ``_fail`` must not be a match."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spanproof.core.citation import Quote
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.quotes.existence import check_existence
from tests.builders import make_extraction
from tests.strategies import with_layout

CASES = sorted((Path(__file__).parents[2] / "vectors" / "existence").glob("*/case.json"))
FLAGS = ("synthetic", "separators", "invisible", "offpage")
MATCHES = frozenset({ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL, ExistenceStatus.MOVED})
#: Cases whose fault is in the offsets: the words are found, and a code says what was wrong.
FOUND_ALL_THE_SAME = frozenset({"utf16_inside_a_character_fail"})


def load(case: dict[str, Any]) -> Any:
    document = case["document"]
    flags = {name: document[name] for name in FLAGS if name in document}
    if flags:
        extraction = with_layout(document["text"], **flags)
    else:
        extraction = make_extraction(document["text"], scanned=document.get("scanned", False))
    if "text_source" in document:
        page = replace(extraction.pages[0], text_source=document["text_source"])
        extraction = replace(extraction, pages=(page,))
    return extraction


def test_there_are_cases() -> None:
    assert len(CASES) > 50


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_the_case_comes_out_as_its_readme_says(path: Path) -> None:
    assert (path.parent / "README").read_text(encoding="utf-8").strip()
    case = json.loads(path.read_text(encoding="utf-8"))
    given, expected = case["quote"], case["expected"]
    quote = Quote(
        text=given["text"],
        start=given.get("char_start"),
        end=given.get("char_end"),
        unit=given.get("unit", "codepoint"),
    )
    supplied = [make_extraction(text) for text in case.get("supplied", [])]
    existence, codes = check_existence(quote, load(case), supplied)
    assert existence.status == expected["status"]
    if path.parent.name.endswith("_fail") and path.parent.name not in FOUND_ALL_THE_SAME:
        assert existence.status not in MATCHES
    if "codes" in expected:
        assert list(codes) == expected["codes"]
    if "folds" in expected:
        assert list(existence.folds) == expected["folds"]
    if "span" in expected:
        assert existence.span is not None
        assert [existence.span.start, existence.span.end] == expected["span"]
    if "candidates" in expected:
        assert len(existence.candidates) == expected["candidates"]
    if "edits" in expected:
        assert existence.difference is not None
        edits = [[e.quote, e.source, e.protected] for e in existence.difference.edits]
        assert edits == expected["edits"]
    if "touches" in expected:
        assert existence.difference is not None
        touched = [[t.side, t.kind, t.text] for e in existence.difference.edits for t in e.touches]
        assert touched == expected["touches"]
