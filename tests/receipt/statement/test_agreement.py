"""Statements whose parts contradict each other: signed or not, they are no receipts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core import canonical_json
from spanproof.core.errors import MalformedReceiptError
from spanproof.core.log.checkpoint import LoggedLeaf
from spanproof.receipt.statement.statement import parse_statement
from tests.receipt.statements import (
    CANONICAL,
    EXTRACTION_ID,
    SOURCE,
    digest,
    identify,
    make_document,
    make_predicate,
    make_result,
    make_statement,
    make_verdict,
    sha256,
)

if TYPE_CHECKING:
    from collections.abc import Callable

INTAKE = LoggedLeaf(origin="log.example.com", index=4, leaf_hash=bytes(range(32)))


def _parse(predicate: dict[str, Any]) -> None:
    kind = "urn:spanproof:attestation:span-verification:v1"
    parse_statement(canonical_json.dumps(make_statement(kind, predicate)))


def _judge(predicate: dict[str, Any], *, outcome: str = "pass", **statuses: str) -> dict[str, Any]:
    """The predicate with other statuses and an outcome, its codes and summary following them."""
    (verdict,) = predicate["verdicts"]
    for axis, status in statuses.items():
        verdict[axis]["status"] = status
    axes = ("identity", "existence", "locator", "support", "attribution")
    verdict["codes"] = [f"{axis.upper()}_{verdict[axis]['status']}" for axis in axes]
    verdict["outcome"] = outcome
    summary = predicate["summary"]
    counted = dict.fromkeys(("pass", "fail", "review", "error"), 0) | {outcome: 1}
    summary["counts"] = {"verdicts": 1, **counted}
    summary["result"] = outcome
    summary["all_spans_present"] = verdict["existence"]["status"] in {"EXACT", "FOLD_EQUAL"}
    summary["all_claims_entailed"] = verdict["support"]["status"] == "ENTAILED"
    return predicate


def _drop_span(predicate: dict[str, Any]) -> None:
    for name in ("char_start", "char_end", "span_sha256"):
        predicate["verdicts"][0]["existence"][name] = None


def _set(path: str, *, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(predicate: dict[str, Any]) -> None:
        *parts, last = path.split("/")
        target: Any = predicate
        for part in parts:
            target = target[int(part) if part.isdigit() else part]
        target[int(last) if last.isdigit() else last] = to

    return change


def _leave_nothing(verdict: dict[str, Any]) -> None:
    verdict["identity"]["extraction_id"] = digest("another")
    verdict["existence"] |= {"char_start": 0, "char_end": 0}


CONTRADICTIONS: dict[str, Callable[[dict[str, Any]], None]] = {
    "a document twice": lambda p: p["documents"].append(make_document()),
    "a text twice": lambda p: p["documents"][0]["canonical_texts"].append(
        make_document()["canonical_texts"][0]
    ),
    "a document twice, its text once": lambda p: p["documents"].append(
        make_document() | {"canonical_texts": []}
    ),
    "an empty span of no text": lambda p: _leave_nothing(p["verdicts"][0]),
    "the intake in another log": _set("tenant_log", to="other.example.com"),
    "a verdict on no citation": _set("verdicts/0/citation", to=1),
    "another anchor": _set("verdicts/0/anchor", to=2),
    "a verdict repaired, its citation not": _set("verdicts/0/repaired", to=True),
    "a claim beyond the answer": _set("verdicts/0/claim/end", to=10_000),
    "a claim that ends before it starts": _set("verdicts/0/claim/start", to=60),
    "half a span": _set("verdicts/0/existence/char_end", to=None),
    "a span without its digest": _set("verdicts/0/existence/span_sha256", to=None),
    "no document of that hash": _set("verdicts/0/identity/doc_hash", to=digest("another")),
    "no text of that extraction": _set("verdicts/0/identity/extraction_id", to=digest("another")),
    "an extraction of another pipeline": _set(
        "documents/0/canonical_texts/0/pipeline_config_sha256", to=sha256("another")
    ),
    "an extraction of other words": _set(
        "documents/0/canonical_texts/0/extraction_id", to=identify(digest(SOURCE), "other words")
    ),
    "an extraction of another document": lambda p: (
        p["documents"].append(
            make_document()
            | {
                "doc_hash": digest("another"),
                "canonical_texts": [
                    make_document()["canonical_texts"][0]
                    | {"extraction_id": identify(digest("another"), "x"), "sha256": sha256("x")}
                ],
            }
        )
        or p["verdicts"][0]["identity"].update(extraction_id=identify(digest("another"), "x"))
    ),
    "no extraction named": _set("verdicts/0/identity/extraction_id", to=None),
    "a span beyond its text": _set("verdicts/0/existence/char_end", to=10_000),
    "a span that ends before it starts": _set("verdicts/0/existence/char_start", to=10_000),
    "codes of another status": _set("verdicts/0/codes/1", to="EXISTENCE_MOVED"),
    "codes in another order": lambda p: p["verdicts"][0]["codes"].reverse(),
    "repaired citations that are none": _set("repaired", to=[0]),
    "a count too many": _set("summary/counts/fail", to=1),
    "verdicts miscounted": _set("summary/counts/verdicts", to=2),
    "spans absent by the summary alone": _set("summary/all_spans_present", to=False),
    "claims not entailed by the summary alone": _set("summary/all_claims_entailed", to=False),
    "a fail of verdicts that pass": _set("summary/result", to="fail"),
    "an error of verdicts that pass": _set("summary/result", to="error"),
    "a pass with an orphan": _set(
        "summary/orphan_anchors", to=[{"anchor": 9, "start": 0, "end": 1}]
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_contradiction_is_malformed(name: str) -> None:
    predicate = make_predicate(INTAKE)
    _parse(predicate)
    CONTRADICTIONS[name](predicate)
    with pytest.raises(MalformedReceiptError, match="contradiction"):
        _parse(predicate)


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s["subject"].pop(),
        lambda s: s["subject"].reverse(),
        lambda s: s["subject"].append(s["subject"][0]),
        lambda s: s["subject"][0].update(name="question"),
        lambda s: s["subject"][1]["digest"].update(sha256=sha256("another")),
        lambda s: s.update(subject=[]),
    ],
)
def test_subjects_are_the_predicates_own(change: Callable[[dict[str, Any]], None]) -> None:
    statement = make_result(INTAKE)
    change(statement)
    with pytest.raises(MalformedReceiptError, match="contradiction"):
        parse_statement(canonical_json.dumps(statement))


#: Statuses, whether there is a span, and the outcomes that are open to a policy.
OUTCOMES: list[tuple[dict[str, str], bool, set[str]]] = [
    ({}, True, {"pass", "review", "fail", "error"}),
    ({"existence": "FOLD_EQUAL"}, True, {"pass", "review", "fail", "error"}),
    ({"existence": "MOVED"}, True, {"pass", "review", "fail", "error"}),
    ({"identity": "SUPERSEDED"}, True, {"pass", "review", "fail", "error"}),
    ({"identity": "HASH_MISMATCH"}, True, {"fail"}),
    ({"existence": "ALTERED"}, True, {"fail"}),
    ({"existence": "ABSENT"}, False, {"fail"}),
    ({"existence": "STITCHED"}, False, {"fail"}),
    ({"existence": "MISATTRIBUTED"}, False, {"fail"}),
    ({"support": "CONTRADICTED"}, True, {"fail"}),
    ({"support": "NEUTRAL"}, True, {"fail"}),
    ({"support": "NOT_RUN"}, True, {"fail", "error"}),
    ({"support": "BORDERLINE"}, True, {"fail", "review"}),
    ({"existence": "AMBIGUOUS", "support": "NOT_RUN"}, False, {"fail", "review"}),
    ({"existence": "UNVERIFIABLE", "support": "NOT_RUN"}, False, {"fail", "error"}),
    ({"existence": "UNVERIFIABLE"}, False, {"fail", "error"}),
    ({"existence": "NOT_RUN", "support": "NOT_RUN"}, False, {"fail", "error"}),
    ({"identity": "UNKNOWN_DOCUMENT", "support": "NOT_RUN"}, False, {"fail", "error"}),
    ({"identity": "UNKNOWN_EXTRACTION"}, False, {"fail", "error"}),
    # EXACT at no place is no place to pass from.
    ({}, False, {"fail", "review"}),
]


@pytest.mark.parametrize(("statuses", "has_span", "allowed"), OUTCOMES)
def test_no_outcome_is_better_than_its_axes(
    statuses: dict[str, str], has_span: bool, allowed: set[str]
) -> None:
    for outcome in ("pass", "review", "fail", "error"):
        predicate = _judge(make_predicate(INTAKE), outcome=outcome, **statuses)
        if not has_span:
            _drop_span(predicate)
        if outcome in allowed:
            _parse(predicate)
            continue
        with pytest.raises(MalformedReceiptError, match="axes allow"):
            _parse(predicate)


def test_a_citation_that_nobody_judged_is_not_present() -> None:
    predicate = make_predicate(INTAKE)
    predicate["citations"].append(predicate["citations"][0] | {"anchor": 2})
    with pytest.raises(MalformedReceiptError, match="all_spans_present"):
        _parse(predicate)
    predicate["summary"]["all_spans_present"] = False
    _parse(predicate)


def test_nothing_is_not_a_pass() -> None:
    predicate = make_predicate(INTAKE) | {"verdicts": [], "citations": []}
    summary = predicate["summary"]
    summary |= {"counts": dict.fromkeys(summary["counts"], 0), "result": "pass"}
    summary |= {"all_spans_present": False, "all_claims_entailed": False}
    with pytest.raises(MalformedReceiptError, match="result that follows"):
        _parse(predicate)
    for result in ("fail", "review"):
        summary["result"] = result
        _parse(predicate)
    for name in ("all_spans_present", "all_claims_entailed"):
        summary[name] = True
        with pytest.raises(MalformedReceiptError, match=name):
            _parse(predicate)
        summary[name] = False


def test_the_worst_verdict_decides_and_an_orphan_fails() -> None:
    predicate = make_predicate(INTAKE)
    second = make_verdict() | {"outcome": "review"}
    predicate["verdicts"].append(second)
    summary = predicate["summary"]
    summary["counts"] = {"verdicts": 2, "pass": 1, "fail": 0, "review": 1, "error": 0}
    with pytest.raises(MalformedReceiptError, match="result that follows"):
        _parse(predicate)
    summary["result"] = "review"
    _parse(predicate)
    summary["orphan_anchors"] = [{"anchor": 7, "start": 0, "end": 3}]
    with pytest.raises(MalformedReceiptError, match="result that follows"):
        _parse(predicate)
    summary["result"] = "fail"
    _parse(predicate)


def test_a_pass_may_become_a_review_but_no_more() -> None:
    predicate = make_predicate(INTAKE)
    predicate["summary"]["result"] = "review"
    _parse(predicate)


def test_what_stands_at_an_edge_contradicts_nothing() -> None:
    predicate = make_predicate(INTAKE)
    verdict = predicate["verdicts"][0]
    length = predicate["documents"][0]["canonical_texts"][0]["code_points"]
    verdict["existence"] |= {"char_start": length, "char_end": length}
    verdict["claim"] |= {"start": 7, "end": 7}
    verdict["codes"].append("OFFSETS_NOT_GIVEN")
    _parse(predicate)
    verdict["existence"]["char_end"] += 1
    with pytest.raises(MalformedReceiptError, match="a span in its canonical text"):
        _parse(predicate)


def test_a_repaired_citation_is_named() -> None:
    predicate = make_predicate(INTAKE)
    predicate["citations"][0]["repaired"] = True
    predicate["verdicts"][0]["repaired"] = True
    with pytest.raises(MalformedReceiptError, match="repaired"):
        _parse(predicate)
    predicate["repaired"] = [0]
    _parse(predicate)


def test_two_texts_of_one_document_are_two_subjects() -> None:
    predicate = make_predicate(INTAKE)
    other = make_document()["canonical_texts"][0] | {
        "extraction_id": identify(digest(SOURCE), CANONICAL, b"other"),
        "pipeline_config_sha256": sha256(b"other"),
    }
    predicate["documents"][0]["canonical_texts"].append(other)
    kind = "urn:spanproof:attestation:span-verification:v1"
    payload = canonical_json.dumps(make_statement(kind, predicate))
    names = [name for name, _ in parse_statement(payload).subjects]
    assert names[1:] == ["document-0", "canonical-text-0-0", "canonical-text-0-1"]
    assert EXTRACTION_ID in payload.decode()
    assert json.loads(payload)["predicate"] == predicate
