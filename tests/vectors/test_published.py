"""Payloads as they are published elsewhere, those that are themselves wrong included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spanproof.core.errors import MalformedAnswerError
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library

CASES = sorted(path for path in (Path(__file__).parent / "published").iterdir() if path.is_dir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_published_payload_is_read_or_caught(case: Path) -> None:
    extraction = make_extraction((case / "document.txt").read_text(encoding="utf-8"))
    template = (case / "answer.json").read_text(encoding="utf-8")
    raw = template.replace("$DOC", str(extraction.document.doc_hash)).encode()
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    assert (case / "README.md").read_text(encoding="utf-8").strip()
    if "malformed" in expected:
        with pytest.raises(MalformedAnswerError) as caught:
            parse_answer(raw)
        assert expected["malformed"] in [problem.pointer for problem in caught.value.problems]
        return
    parsed = parse_answer(raw)
    block = verify(
        parsed.answer,
        make_library(extraction),
        ScriptedModel(),
        load_policy("balanced"),
        verified_at=MOMENT,
        imported=parsed.imported,
    )
    found = {
        "result": block.result.value,
        "existence": [verdict.existence.status.value for verdict in block.verdicts],
        "claims": [verdict.claim.text for verdict in block.verdicts],
        "chunk": [verdict.identity.chunk.value for verdict in block.verdicts],
        "sentences": block.sentences,
        "level": block.citation_level,
        "unused": list(block.unused_citations),
        "uncited": len(block.uncited_sentences),
    }
    codes = expected.pop("codes", [])
    assert {name: found[name] for name in expected} == expected
    for verdict, wanted in zip(block.verdicts, codes, strict=bool(codes)):
        assert set(wanted) <= set(verdict.codes)
    assert json.loads(raw)["answer"] == block.answer.prose


def test_every_case_named_fail_does_not_pass() -> None:
    for case in CASES:
        expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
        if case.name.endswith("_fail"):
            assert expected.get("result") != "pass"
