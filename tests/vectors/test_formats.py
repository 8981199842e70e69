"""The conformance corpus of the importers: payloads as folders, what must be read from each.

``tests/vectors/formats/README.md`` describes a case. A folder that ends in ``_fail`` holds
something that must not be believed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import AnswerTooDenseError, MalformedAnswerError, SpanproofError
from spanproof.verifier.claims.pairing import pair_claims
from spanproof.verifier.extent import Extent, require_extent
from spanproof.verifier.formats.registry import MARKERS, PROVIDERS, citation_to_json, parse_payload
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library

if TYPE_CHECKING:
    from spanproof.verifier.formats.parsed import ParsedAnswer

CORPUS = Path(__file__).parent / "formats"
CASES = sorted(path.parent for path in CORPUS.glob("*/*/expected.json"))
#: Every format has a case whose name begins with each of these.
SCRIPTS = ("ascii", "accents", "cjk", "emoji", "rtl", "crlf")
KEYS = frozenset(
    {"why", "format", "answer", "citations", "import", "problem", "anchors", "retrieved"}
    | {"attachments", "verdicts"}
)


def load(case: Path) -> tuple[bytes, str, dict[str, Any]]:
    """The payload, the format's name and what is expected."""
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    return (case / "payload.json").read_bytes(), expected.get("format", case.parent.name), expected


def assert_within(wanted: Any, found: Any, pointer: str = "") -> None:
    """Objects may have more fields than wanted; arrays and everything else are equal."""
    if isinstance(wanted, dict):
        assert isinstance(found, dict), pointer
        for name, value in wanted.items():
            assert name in found, f"{pointer}/{name}"
            assert_within(value, found[name], f"{pointer}/{name}")
    elif isinstance(wanted, list):
        assert isinstance(found, list), pointer
        assert len(found) == len(wanted), f"{pointer}: {found!r}"
        for position, value in enumerate(wanted):
            assert_within(value, found[position], f"{pointer}/{position}")
    else:
        assert type(found) is type(wanted), f"{pointer}: {found!r}"
        assert found == wanted, pointer


def describe(parsed: ParsedAnswer) -> dict[str, Any]:
    """What was read, in the words of ``expected.json``."""
    answer, imported = parsed.answer, parsed.imported
    citations = []
    for citation in answer.citations:
        segment = citation.segment
        text = None if segment is None else answer.prose[segment.start : segment.end]
        citations.append(citation_to_json(citation) | {"segment_text": text})
    return {
        "answer": answer.prose,
        "citations": citations,
        "import": {
            "format": imported.format,
            "declared_unit": imported.declared_unit,
            "observed_unit": imported.observed_unit,
            "ambiguous": imported.ambiguous,
            "unmapped": list(imported.unmapped),
            "codes": [remark.code for remark in imported.remarks],
            "remarks": [
                {"pointer": r.pointer, "code": r.code, "detail": r.detail} for r in imported.remarks
            ],
        },
        "anchors": [
            {
                "number": anchor.number,
                "start": anchor.span.start,
                "end": anchor.span.end,
                "text": answer.prose[anchor.span.start : anchor.span.end],
            }
            for anchor in answer.anchors
        ],
        "retrieved": [
            {
                "chunk_id": chunk.chunk_id,
                "doc_id": chunk.doc_id,
                "doc_hash": None if chunk.doc_hash is None else str(chunk.doc_hash),
                "text": chunk.text,
                "score": chunk.score,
                "rank": chunk.rank,
            }
            for chunk in answer.retrieved
        ],
        "attachments": [
            {
                "doc_hash": str(attachment.doc_hash),
                "media_type": attachment.media_type,
                "title": attachment.title,
                "text": attachment.data.decode(),
            }
            for attachment in parsed.attachments
        ],
    }


def judge(case: Path, parsed: ParsedAnswer) -> list[dict[str, Any]]:
    """Every verdict, in the order of the citations, against the texts of ``sources.json``."""
    sources = json.loads((case / "sources.json").read_text(encoding="utf-8"))
    texts = {name: make_extraction(text) for name, text in sources.items()}
    block = verify(
        parsed.answer,
        make_library(*texts.values(), names=texts),
        ScriptedModel(),
        load_policy("balanced"),
        verified_at=MOMENT,
        imported=parsed.imported,
    )
    return [
        {
            "citation": verdict.citation,
            "claim": verdict.claim.text,
            "hypothesis": verdict.claim.hypothesis,
            "identity": verdict.identity.status.value,
            "existence": verdict.existence.status.value,
            "start": None if verdict.existence.span is None else verdict.existence.span.start,
            "end": None if verdict.existence.span is None else verdict.existence.span.end,
            "outcome": verdict.outcome.value,
            "named_codes": [c for c in verdict.codes if not c.startswith(AXES)],
        }
        for verdict in sorted(block.verdicts, key=lambda verdict: verdict.citation)
    ]


AXES = ("IDENTITY_", "EXISTENCE_", "LOCATOR_", "SUPPORT_", "ATTRIBUTION_")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_a_payload_is_read_as_its_case_says(case: Path) -> None:
    raw, name, expected = load(case)
    assert expected["why"].strip()
    assert set(expected) <= KEYS
    if "problem" in expected:
        with pytest.raises(SpanproofError) as caught:
            parse_payload(raw, name)
        assert caught.value.code == expected["problem"]["code"]
        if "pointer" in expected["problem"]:
            assert isinstance(caught.value, MalformedAnswerError)
            pointers = [problem.pointer for problem in caught.value.problems]
            assert expected["problem"]["pointer"] in pointers
        return
    parsed = parse_payload(raw, name)
    wanted = {key: expected[key] for key in expected.keys() - {"why", "format", "verdicts"}}
    assert {"answer", "citations", "import"} <= set(wanted)
    assert_within(wanted, describe(parsed))
    # The payload goes back as it came.
    sent = json.loads(raw)
    assert {key: parsed.payload[key] for key in sent} == sent
    if "verdicts" in expected:
        assert_within(expected["verdicts"], judge(case, parsed))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_what_is_named_fail_is_refused_or_remarked(case: Path) -> None:
    expected = load(case)[2]
    if case.name.endswith("_fail"):
        told = expected.get("import", {})
        assert "problem" in expected or told.get("codes") or told.get("remarks")


def test_every_folder_is_a_format_and_every_case_whole() -> None:
    folders = {path.name for path in CORPUS.iterdir() if path.is_dir()}
    assert folders <= {*PROVIDERS, *MARKERS}
    for case in (path for path in CORPUS.glob("*/*") if path.is_dir()):
        names = {path.name for path in case.iterdir()}
        assert {"payload.json", "expected.json"} <= names
        assert names <= {"payload.json", "expected.json", "sources.json"}
        assert ("sources.json" in names) == ("verdicts" in load(case)[2]), case


@pytest.mark.parametrize("provider", [*PROVIDERS, *MARKERS])
def test_every_format_has_every_script(provider: str) -> None:
    names = [case.name for case in CASES if case.parent.name == provider]
    missing = [word for word in SCRIPTS if not any(name.startswith(word) for name in names)]
    assert not missing


def resolve(pointer: str, payload: Any) -> Any:
    """What a JSON pointer names."""
    for part in pointer.split("/")[1:]:
        payload = payload[int(part) if isinstance(payload, list) else part]
    return payload


# Azure's detection of ungroundedness cites nothing.
@pytest.mark.parametrize("over", ["citations", "claims", "verdicts"])
@pytest.mark.parametrize("name", sorted({*PROVIDERS, *MARKERS} - {"azure-groundedness"}))
def test_refusal_of_a_dense_answer_points_into_its_payload(name: str, over: str) -> None:
    """Each format's first case with citations, where one citation or claim is one too many."""
    raw = next(
        raw
        for raw, given, expected in map(load, CASES)
        if given == name
        and "problem" not in expected
        and pair_claims(parse_payload(raw, name).answer).pairs
    )
    parsed = parse_payload(raw, name)
    counts = {"citations": 99, "claims": 99, "verdicts": 99, "documents": 99}
    with pytest.raises(AnswerTooDenseError) as caught:
        require_extent(parsed, Extent(**counts | {over: 0}), size=1 << 20)
    (problem,) = caught.value.problems
    assert resolve(problem.pointer, json.loads(raw))


@pytest.mark.parametrize("name", [*PROVIDERS, *MARKERS])
def test_every_format_has_a_malformed_case_with_its_pointer(name: str) -> None:
    pointers = [
        expected["problem"].get("pointer")
        for _, given, expected in map(load, CASES)
        if given == name and "problem" in expected
    ]
    assert any(pointers)
