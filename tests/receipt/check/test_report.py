"""Nothing is not a pass, and the lowest number other than 0 is the worst."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from spanproof.receipt.check.report import (
    LIMITATIONS,
    CheckOutcome,
    CheckReport,
    Line,
    LineStatus,
    Question,
    find_worst,
)


def make_report(**statuses: LineStatus) -> CheckReport:
    lines = tuple(
        Line(
            question=question,
            status=statuses.get(question.name, LineStatus.OK),
            words="words",
            code="CODE",
        )
        for question in Question
    )
    return CheckReport(lines=lines, receipt_id="id", limitations="urn:x")


def test_nothing_at_all_is_no_pass() -> None:
    assert find_worst([]) is CheckOutcome.NOT_CHECKED


def test_the_worst_is_the_lowest_number_other_than_zero() -> None:
    for pair in product(CheckOutcome, repeat=2):
        bad = [each for each in pair if each]
        assert find_worst(pair) == (min(bad) if bad else 0)


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ({}, 0),
        ({"TIME": LineStatus.NOT_ASKED}, 0),
        ({"TIME": LineStatus.NOT_CHECKED}, 4),
        ({"POLICY": LineStatus.FAILED}, 3),
        ({"POLICY": LineStatus.FAILED, "TIME": LineStatus.NOT_CHECKED}, 3),
        ({"POLICY": LineStatus.FAILED, "SPAN": LineStatus.FAILED}, 1),
        ({"POLICY": LineStatus.NOT_CHECKED}, 4),
        *(({question.name: LineStatus.FAILED}, 1) for question in list(Question)[:-1]),
    ],
)
def test_the_lines_make_the_outcome(statuses: dict[str, Any], expected: int) -> None:
    report = make_report(**statuses)
    assert report.outcome == expected
    assert report.to_json()["exit_code"] == expected
    decisive = report.decisive
    if expected == 0:
        assert decisive is None
    else:
        assert decisive is not None
        assert decisive.outcome == expected


def test_a_report_answers_every_question_once_and_in_order() -> None:
    report = make_report()
    assert [report[question].question for question in Question] == list(Question)
    with pytest.raises(ValueError, match="each question in order"):
        CheckReport(lines=report.lines[:-1])
    with pytest.raises(ValueError, match="each question in order"):
        CheckReport(lines=(*report.lines[1:], report.lines[0]))


def test_what_none_of_it_proves_is_always_said() -> None:
    assert make_report().limitation == f"{LIMITATIONS} See urn:x"
    assert CheckReport(lines=make_report().lines).limitation == LIMITATIONS
    assert "true" in LIMITATIONS


def test_the_json_has_every_line() -> None:
    body = make_report().to_json()
    assert set(body) == {"receipt_id", "outcome", "exit_code", "lines", "limitations"}
    assert body["receipt_id"] == make_report().receipt_id
    assert body["limitations"] == make_report().limitation
    assert body["outcome"] == "OK"
    assert [line["question"] for line in body["lines"]] == [each.value for each in Question]
    assert body["lines"][0] == {
        "question": "SIGNATURE",
        "status": "OK",
        "code": "CODE",
        "words": "words",
    }


def test_a_report_is_printed_whole() -> None:
    report = make_report(SPAN=LineStatus.FAILED, SUPPORT=LineStatus.NOT_CHECKED)
    printed = report.to_json()
    assert printed.pop("lines")[4:7] == [
        {"question": "DOCUMENT", "status": "OK", "code": "CODE", "words": "words"},
        {"question": "SPAN", "status": "FAILED", "code": "CODE", "words": "words"},
        {"question": "SUPPORT", "status": "NOT CHECKED", "code": "CODE", "words": "words"},
    ]
    assert printed == {
        "receipt_id": "id",
        "outcome": "FAILED",
        "exit_code": 1,
        "limitations": report.limitation,
    }


def test_the_words_of_questions_and_answers_and_the_exit_codes_stay_as_they_are() -> None:
    """Other programs read them."""
    assert [question.value for question in Question] == [
        *("SIGNATURE", "LOG", "TIME", "ANSWER", "DOCUMENT", "SPAN", "SUPPORT", "POLICY")
    ]
    assert [status.value for status in LineStatus] == ["OK", "FAILED", "NOT ASKED", "NOT CHECKED"]
    assert {outcome.name: int(outcome) for outcome in CheckOutcome} == {
        "OK": 0,
        "FAILED": 1,
        "MALFORMED": 2,
        "POLICY_UNMET": 3,
        "NOT_CHECKED": 4,
    }
    assert LIMITATIONS.startswith("This does not prove that the source is true, ")
    assert LIMITATIONS.endswith(", or that any law is met.")


def test_the_first_line_that_decides_is_named() -> None:
    report = make_report(TIME=LineStatus.NOT_CHECKED, SPAN=LineStatus.FAILED)
    assert report.decisive == report[Question.SPAN]
