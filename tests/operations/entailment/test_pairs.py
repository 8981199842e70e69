from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import ModelUnavailableError
from spanproof.operations.entailment.pairs import BATCH
from tests.builders import ScriptedModel
from tests.contexts import with_parts, with_settings
from tests.operations.entailment.lines import entail_lines

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context


def _line(premise: str, hypothesis: str, **more: Any) -> str:
    return json.dumps({"premise": premise, "hypothesis": hypothesis} | more)


@pytest.fixture
def judged(context: Context) -> Context:
    model = ScriptedModel(
        {
            "The shop is open.": (0.9, 0.07, 0.03),
            "The shop is shut.": (0.02, 0.03, 0.95),
            "It opens at 9 o'clock.": (0.99, 0.005, 0.005),
            "Undecided.": (0.4, 0.3, 0.4),
        }
    )
    return with_parts(context, model=model)


def test_each_line_gets_its_row_in_order_with_what_it_brought(judged: Context) -> None:
    lines = [
        _line("The shop is open.", "The shop is open.", id=7),
        _line("The shop is shut.", "The shop is open."),
        _line("The moon is round.", "The shop is open."),
    ]
    rows = list(entail_lines(judged, lines))
    assert [row["label"] for row in rows] == ["ENTAILED", "CONTRADICTED", "NEUTRAL"]
    assert [row["supported"] for row in rows] == [True, False, False]
    assert rows[0]["id"] == 7
    assert rows[0]["p_entailment"] == 0.9


def test_another_number_is_vetoed_however_sure_the_model(judged: Context) -> None:
    (row,) = entail_lines(judged, [_line("It opens at 9 o'clock.", "It opens at 8 o'clock.")])
    assert row["label"] == "ENTAILED"
    assert row["supported"] is False
    assert row["vetoes"]


def test_at_a_tie_nothing_is_entailed(judged: Context) -> None:
    (row,) = entail_lines(judged, [_line("Undecided.", "The shop is open.")])
    assert row["label"] == "CONTRADICTED"


@pytest.mark.parametrize(
    "line",
    [
        "not JSON",
        "[]",
        "7",
        '{"premise": "a"}',
        '{"premise": 1, "hypothesis": "b"}',
        '{"premise": null, "hypothesis": "b", "reason": null}',
        b"\xff\xfe\x00",
    ],
)
def test_a_line_that_is_no_pair_is_not_run_and_the_next_is(
    judged: Context, line: str | bytes
) -> None:
    rows = list(entail_lines(judged, [line, _line("The shop is open.", "It is open.")]))
    assert rows[0]["label"] == "NOT_RUN"
    assert rows[0]["reason"] == "malformed_line"
    assert rows[0]["p_entailment"] is None
    assert rows[0]["supported"] is False
    assert rows[1]["label"] == "ENTAILED"


def test_many_lines_stay_in_order_and_an_empty_one_has_its_row(judged: Context) -> None:
    lines = [_line("The moon is round.", f"Claim {number}.") for number in range(2 * BATCH + 1)]
    rows = list(entail_lines(judged, [*lines[:70], "\n", *lines[70:]]))
    assert rows.pop(70)["label"] == "NOT_RUN"
    assert [row["hypothesis"] for row in rows] == [f"Claim {n}." for n in range(2 * BATCH + 1)]


def test_without_a_model_it_is_an_error(context: Context, tmp_path: Path) -> None:
    context = with_settings(context, model=tmp_path / "nowhere")
    with pytest.raises(ModelUnavailableError):
        list(entail_lines(context, [_line("a", "b")]))
