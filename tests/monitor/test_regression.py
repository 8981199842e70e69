"""Rates, run files and the gate: what counts as a regression, and that nothing else does."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.errors import MalformedRunError
from spanproof.monitor.case_result import WORST_FIRST, CaseResult
from spanproof.monitor.evaluation import compute_rates
from spanproof.monitor.evaluation_run import EvaluationRun, dump_run, parse_run
from spanproof.monitor.regression import compare_runs

HEADER: dict[str, Any] = {"verifier": "v", "model": {"name": "m", "weights_sha256": None}}


def make_case(case_id: str = "a", **given: Any) -> CaseResult:
    """A case that passes; ``given`` says otherwise."""
    case = CaseResult(
        case_id=case_id,
        case_sha256="sha256:" + "0" * 64,
        result="pass",
        expected=None,
        answer_kind="answer",
        abstention_reason=None,
        citations=1,
        needing=1,
        uncited=0,
        all_spans_present=True,
        all_claims_entailed=True,
        orphan_anchors=0,
        repaired=0,
        trusted_top_3=None,
        problem=None,
    )
    return replace(case, **given)


def make_run(*cases: CaseResult, **header: Any) -> EvaluationRun:
    """A run with these cases."""
    return EvaluationRun(header=HEADER | header, cases=cases)


RESULTS = st.sampled_from(WORST_FIRST)
CASES = st.builds(
    make_case,
    case_id=st.text("abc", min_size=1, max_size=3),
    result=RESULTS,
    expected=st.none() | RESULTS,
    abstention_reason=st.sampled_from([None, "no_citations"]),
    answer_kind=st.sampled_from(["answer", "refusal"]),
    citations=st.integers(0, 2),
    uncited=st.integers(0, 1),
    orphan_anchors=st.integers(0, 1),
    trusted_top_3=st.sampled_from([None, False, True]),
    all_spans_present=st.booleans(),
    all_claims_entailed=st.booleans(),
)
RUNS = st.lists(CASES, min_size=1, max_size=6, unique_by=lambda case: case.case_id).map(
    lambda cases: make_run(*cases)
)


def kinds(run: EvaluationRun, baseline: EvaluationRun) -> list[tuple[str, str]]:
    """Kind and name of every regression."""
    return [(each.kind, each.name) for each in compare_runs(run, baseline).regressions]


@settings(deadline=None)  # The first interval imports scipy.
@given(RUNS)
def test_a_run_beside_itself_has_no_flip_and_no_regression(
    run: EvaluationRun,
) -> None:
    found = compare_runs(run, run)
    assert (found.flips, found.new, found.missing, found.regressions) == ((), (), (), ())
    assert not found.header_differences


@settings(deadline=None)  # The first interval imports scipy.
@given(RUNS)
def test_a_run_file_is_read_as_it_was_written(run: EvaluationRun) -> None:
    written = dump_run(run)
    assert parse_run(written) == run
    assert dump_run(parse_run(written)) == written
    assert json.loads(written) == run.to_json()


@settings(deadline=None)  # The first interval imports scipy.
@given(RUNS, RUNS)
def test_every_case_is_in_both_new_or_missing(run: EvaluationRun, other: EvaluationRun) -> None:
    found = compare_runs(run, other)
    now, before = ({case.case_id for case in each.cases} for each in (run, other))
    assert set(found.new) == now - before
    assert set(found.missing) == before - now
    assert {("missing", name) for name in found.missing} <= set(kinds(run, other))


@pytest.mark.parametrize(
    ("before", "now", "expected", "direction"),
    [
        ("pass", "fail", None, "worse"),
        ("pass", "review", None, "worse"),
        ("review", "error", None, "worse"),
        ("error", "fail", None, "worse"),
        ("fail", "pass", None, "better"),
        ("fail", "pass", "fail", "worse"),
        ("pass", "fail", "fail", "better"),
        ("error", "review", "fail", "neither"),
    ],
)
def test_what_a_case_expects_decides_which_way_is_worse(
    before: str, now: str, expected: str | None, direction: str
) -> None:
    run = make_run(make_case(result=now, expected=expected))
    baseline = make_run(make_case(result=before, expected=expected))
    (flip,) = compare_runs(run, baseline).flips
    assert flip.direction == direction
    assert (("worse", "a") in kinds(run, baseline)) == (direction == "worse")


def test_a_new_case_that_is_not_as_expected_is_a_regression_and_a_known_one_is_not() -> None:
    unmet = make_case("b", result="review", expected="pass")
    passing = make_run(make_case("a", result="review"))
    assert ("unmet", "b") in kinds(make_run(*passing.cases, unmet), passing)
    known = make_run(unmet)
    assert kinds(known, known) == []


def test_a_missing_case_is_no_pass() -> None:
    both = make_run(make_case("a"), make_case("b"))
    assert kinds(make_run(make_case("a")), both) == [("missing", "b")]


def test_a_rate_regresses_only_beyond_its_interval() -> None:
    many = [make_case(f"{number}") for number in range(40)]
    fallen = [replace(case, all_spans_present=False) for case in many[:20]]
    half = make_run(*fallen, *many[20:])
    # 20 of 40 against an estimate of 19 of 40 are within the interval; against 40 of 40 are not.
    nearly = make_run(*fallen[:19], *many[19:])
    assert kinds(half, nearly) == []
    assert ("rate", "spans_present") in kinds(half, make_run(*many))
    assert kinds(make_run(*many), half) == []


def test_of_missing_answers_and_orphans_less_is_better_and_repair_is_neither() -> None:
    many = [make_case(f"{number}") for number in range(30)]
    bad = [
        replace(case, abstention_reason="no_citations", orphan_anchors=1, repaired=1)
        for case in many
    ]
    assert kinds(make_run(*bad), make_run(*many)) == [("rate", "no_answer"), ("rate", "orphans")]
    assert kinds(make_run(*many), make_run(*bad)) == []


def test_a_baseline_with_rates_of_older_names_is_compared_as_before() -> None:
    many = [make_case(f"{number}") for number in range(30)]
    older = parse_run(dump_run(make_run(*many)).replace(b'"no_answer"', b'"abstention"'))
    bad = [replace(case, abstention_reason="no_citations") for case in many]
    assert kinds(make_run(*bad), older) == [("rate", "no_answer")]


def test_a_rate_of_which_nothing_is_measured_any_more_is_a_regression() -> None:
    run, baseline = make_run(make_case(citations=0)), make_run(make_case())
    assert kinds(run, baseline) == [("rate", "spans_present"), ("rate", "claims_entailed")]
    assert kinds(baseline, run) == []


def test_another_header_is_told_by_pointer() -> None:
    model = {"name": "other", "weights_sha256": None}
    found = compare_runs(make_run(make_case(), model=model), make_run(make_case(), extra=1))
    assert found.header_differences == ("/extra", "/model/name")
    assert not found.to_json()["same_header"]


def test_rates_count_what_they_are_about() -> None:
    rates = compute_rates(
        [
            make_case("a", trusted_top_3=True),
            make_case("b", result="fail", uncited=1, needing=2, all_spans_present=False),
            make_case("c", answer_kind="refusal", citations=0, needing=0, result="review"),
            make_case("d", abstention_reason="no_citations", citations=0, uncited=1, result="fail"),
            make_case(
                "e",
                problem="DOCUMENT_BROKEN",
                abstention_reason="DOCUMENT_BROKEN",
                result="error",
                needing=0,
                all_spans_present=False,
                all_claims_entailed=False,
                expected="error",
            ),
        ]
    ).to_json()
    counted = {name: (rate["count"], rate["n"]) for name, rate in rates.items()}
    assert counted == {
        "passed": (1, 5),
        "expected_met": (1, 1),
        "citation_coverage": (1, 3),
        "no_answer": (3, 5),
        "spans_present": (1, 3),
        "claims_entailed": (2, 3),
        "orphans": (0, 4),
        "repaired": (0, 4),
        "trusted_top_3": (1, 1),
    }
    reasons = rates["no_answer"]["by_reason"]
    assert {name: each["count"] for name, each in reasons.items()} == {
        "DOCUMENT_BROKEN": 1,
        "no_citations": 1,
        "refusal": 1,
    }
    # Wilson's interval of 3 in 5, by the formula.
    assert (rates["no_answer"]["low"], rates["no_answer"]["high"]) == (0.230724, 0.882379)


def test_nothing_measured_is_no_rate() -> None:
    rate = compute_rates([make_case()]).to_json()["trusted_top_3"]
    assert (rate["n"], rate["estimate"], rate["low"], rate["high"]) == (0, None, None, None)


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.update(kind="other"),
        lambda body: body.pop("header"),
        lambda body: body.update(cases=[]),
        lambda body: body.update(cases=[7]),
        lambda body: body["cases"].append(body["cases"][0]),
        lambda body: body["cases"][0].pop("result"),
        lambda body: body["cases"][0].update(result="good"),
        lambda body: body["cases"][0].update(expected="good"),
        lambda body: body["cases"][0].update(citations=True),
        lambda body: body["cases"][0].update(more=1),
    ],
)
def test_a_file_that_is_no_run_is_malformed(change: Any) -> None:
    body = make_run(make_case()).to_json()
    change(body)
    with pytest.raises(MalformedRunError):
        parse_run(json.dumps(body).encode())


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff", b"[]", b"7", b"[" * 100_000])
def test_bytes_that_are_no_json_object_are_malformed(raw: bytes) -> None:
    with pytest.raises(MalformedRunError):
        parse_run(raw)
