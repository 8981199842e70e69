from __future__ import annotations

import json
from typing import Any

import pytest

from spanproof.core.errors import MalformedLabelsError
from spanproof.verifier.fields.calibration import calibrate_fields
from spanproof.verifier.fields.labelled import dump_rows, parse_labelled
from spanproof.verifier.fields.statistics import Confusion, Share, find_kappa


def make_row(response: str, *, label: bool, value: Any = "high", **more: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "response": response,
        "context": {"case": {"fields": {"risk": value}}},
        "registry": {"prefixes": {"C": "case"}, "types": {"risk": "enum"}},
        "labels": {"case.risk": label},
    } | more


def calibrate(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return calibrate_fields(parse_labelled(dump_rows(rows)))


def test_wilson_intervals_are_those_of_the_textbook() -> None:
    # Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29; 95 per cent.
    for hits, total, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        interval = Share(hits=hits, total=total).interval
        assert interval is not None
        assert interval == pytest.approx((low, high), abs=5e-5)
    assert Share(hits=0, total=0).interval is None
    assert Share(hits=0, total=0).value is None


def test_kappa_is_chance_corrected() -> None:
    cells = Confusion(true_positives=20, false_positives=5, false_negatives=10, true_negatives=15)
    kappa = find_kappa(cells)
    assert kappa["value"] == pytest.approx(0.4)
    assert kappa["low"] is not None
    assert kappa["high"] is not None
    assert kappa["low"] < 0.4 < kappa["high"]
    at_chance = Confusion(
        true_positives=25, false_positives=25, false_negatives=25, true_negatives=25
    )
    assert find_kappa(at_chance)["value"] == pytest.approx(0.0)
    one_sided = Confusion(true_positives=9, false_positives=0, false_negatives=0, true_negatives=0)
    assert find_kappa(one_sided)["value"] is None


def test_figures_are_counted_by_type() -> None:
    rows = [
        make_row("The risk is high.", label=True),
        make_row("A high tower.", label=False),
        make_row("Nobody knows.", label=True),
        make_row("Nobody knows.", label=False),
        make_row("It is so. [[C:risk]]", label=False),
    ]
    found = calibrate(rows)
    enum = found["types"]["enum"]
    counts = ("true_positives", "false_positives", "false_negatives", "true_negatives")
    assert [enum[name] for name in counts] == [1, 1, 1, 2]
    assert enum["precision"]["value"] == 0.5
    assert enum["is_enough"] is False
    assert found["marker"]["precision"]["value"] == 0.0
    assert found["overall"]["labels"] == 5


def test_the_threshold_with_the_best_f1_is_proposed() -> None:
    rows = [make_row("The risk is high.", label=True) for _ in range(20)]
    rows += [make_row("A high tower.", label=False) for _ in range(20)]
    found = calibrate(rows)
    threshold = found["types"]["enum"]["threshold"]
    assert threshold["value"] == 0.95
    assert threshold["low"] == threshold["high"] == 0.95
    assert threshold["precision"]["value"] == threshold["recall"]["value"] == 1.0
    assert found["policy"] == {"thresholds": {"enum": 0.95}}
    assert calibrate(rows) == found
    # And what is proposed can be used.
    row = make_row("A high tower.", label=True)
    row["registry"]["policy"] = found["policy"]
    assert "case.risk" not in json.dumps(calibrate([row])["policy"])


def test_an_interval_shows_that_labels_disagree() -> None:
    rows = [make_row("The risk is high.", label=n % 2 == 0) for n in range(10)]
    rows += [make_row("A high tower.", label=n % 2 == 0) for n in range(10)]
    threshold = calibrate(rows)["types"]["enum"]["threshold"]
    assert threshold["low"] < threshold["high"]


def test_where_nothing_right_is_found_nothing_is_proposed() -> None:
    found = calibrate([make_row("Nobody knows.", label=True)])
    assert found["types"]["enum"]["threshold"]["value"] is None
    assert found["policy"] == {"thresholds": {}}


GOOD = make_row("The risk is high.", label=True)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "got 0"),
        (b"\n \n", "got 0"),
        (b"{", "line 1: no JSON"),
        (b"[]", "line 1: expected an object"),
        (json.dumps({**GOOD, "labels": {}}).encode(), "at least one field"),
        (json.dumps({**GOOD, "labels": {"case.risk": "yes"}}).encode(), "true or false"),
        (json.dumps({**GOOD, "labels": {"case.gone": True}}).encode(), "a field of the context"),
        (json.dumps({**GOOD, "response": 1}).encode(), "a string at /response"),
        (json.dumps(GOOD).encode() + b"\n" + b"x\n" * 7, "line 2: no JSON"),
        (b"x\n" * 7, "and 2 more"),
    ],
)
def test_bad_labels_are_one_error(content: bytes, said: str) -> None:
    with pytest.raises(MalformedLabelsError) as caught:
        parse_labelled(content)
    assert said in str(caught.value)
