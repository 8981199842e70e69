from __future__ import annotations

from datetime import UTC, datetime

import pytest

from spanproof.api.console.triage.filters import read_filters
from spanproof.api.console.triage.rows import make_row, make_unreadable_row
from spanproof.core.verdicts.status import Outcome
from spanproof.operations.triage.choosing import View
from tests.api.console.samples import (
    LINKS,
    cite,
    make_block,
    make_page,
    make_verdict,
    read_answer,
)
from tests.builders import MOMENT

NOW = datetime(2026, 11, 20, 15, tzinfo=UTC)
PAGE = make_page("Refunds are paid within four business days.")


def test_empty_fields_are_no_filter() -> None:
    form = read_filters({"result": "", "code": "  ", "doc_hash": "", "sort": ""}, now=NOW)

    assert form.given == {"period": "30"}
    assert form.view == View(since=datetime(2026, 10, 22, tzinfo=UTC))
    assert form.problems == ()


def test_a_filter_without_a_period_is_of_all_time_and_named_days_win() -> None:
    assert read_filters({"code": "MOVED"}, now=NOW).view.since is None
    form = read_filters({"period": "7", "since": "2026-11-01", "sort": "failures"}, now=NOW)
    assert form.given == {"since": "2026-11-01"}
    assert form.to_query({"result": "fail"}) == {
        "since": "2026-11-01",
        "sort": "failures",
        "result": "fail",
    }


def test_until_a_day_means_until_the_day_is_over() -> None:
    view = read_filters({"since": "2026-11-20", "until": "2026-11-20"}, now=NOW).view

    assert view.since == datetime(2026, 11, 20, tzinfo=UTC)
    assert view.until == datetime(2026, 11, 21, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("doc_hash", "sha256:AB"),
        ("doc_hash", "SHA256:" + "0" * 64),
        ("since", "yesterday"),
        ("until", "9999-12-31"),
        ("result", "splendid"),
        ("outcome", "PASS"),
        ("page", "0"),
        ("page", "-1"),
        ("page", "1e3"),
        ("page", "9" * 5000),
        ("period", "8"),
        ("sort", "best"),
        ("skip", "-1"),
    ],
)
def test_a_wrong_filter_is_a_problem_and_never_ignored(name: str, value: str) -> None:
    (problem,) = read_filters({name: value}, now=NOW).problems

    assert problem.pointer == f"/{name}"


def test_a_row_counts_outcomes_worst_first_and_names_documents_once() -> None:
    quote = cite(PAGE, "four business days", doc_title="Terms")
    answer = read_answer("Soon [1]. Late [1]. Else [7].", quote, question="How\n long?")
    block = make_block(
        make_verdict(answer, PAGE, "Soon [1]."),
        make_verdict(answer, PAGE, "Late [1].", outcome=Outcome.FAIL),
        result="fail",
        orphan_anchors=[{"anchor": 7, "start": 25, "end": 28}],
    )

    row = make_row("v 1", MOMENT, answer, block, LINKS)

    assert row.heading == "How long?"
    assert row.counts == (("fail", 1), ("orphan", 1), ("pass", 1))
    assert [document.title for document in row.documents] == ["Terms"]
    assert row.url == "/answers/v%201"


def test_without_a_question_the_first_words_head_the_row() -> None:
    answer = read_answer("word " * 100)

    row = make_row("v", MOMENT, answer, make_block(), LINKS)

    assert row.heading.endswith("…")
    assert len(row.heading) == 140


def test_a_record_that_cannot_be_read_is_an_error() -> None:
    row = make_unreadable_row("v", MOMENT, "BLOB_DIGEST_MISMATCH", LINKS)

    assert row.result == "error"
    assert "BLOB_DIGEST_MISMATCH" in row.heading
