from __future__ import annotations

import numpy as np

from spanproof.monitor.excess import find_excess


def table(cells: list[list[int]]) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """The counts of pairs with the sums of rows and columns."""
    counts = np.array(cells, dtype=np.int64)
    rows = np.column_stack([counts, counts.sum(axis=1)])
    return np.vstack([rows, rows.sum(axis=0)])


def test_the_pair_that_fails_only_together_stands_out() -> None:
    # Both values are fine without each other; one more row fails everywhere, and is no pair.
    answers = table([[400, 40, 400], [300, 300, 300], [100, 100, 100]])
    failed = table([[6, 30, 7], [5, 5, 4], [50, 50, 50]])
    found = find_excess(answers, failed, most=5)
    assert [(cell.first, cell.second) for cell in found] == [(0, 1)]
    (cell,) = found
    assert (cell.answers, cell.failed) == (40, 30)
    assert cell.rate.method == "wilson"
    assert 0.59 < cell.rate.low < 0.75 < cell.rate.high < 0.87
    # The column without the row fails as 55 of 400 do: more than the row does without the column.
    assert 0.13 < cell.expected < 0.15
    assert cell.least_excess < cell.excess < 30


def test_a_value_in_all_answers_forms_no_pair_and_a_rare_one_does() -> None:
    # The second column is in almost every answer: the row's own share says it all.
    assert find_excess(table([[0, 200], [2, 1800]]), table([[0, 100], [0, 20]]), most=5) == []
    # A value that only ever came with another one, which is fine without it.
    (cell,) = find_excess(table([[50, 0], [450, 1500]]), table([[40, 0], [5, 15]]), most=5)
    assert (cell.first, cell.second, cell.failed) == (0, 0, 40)


def test_few_failures_and_no_failures_are_no_pattern() -> None:
    assert find_excess(table([[2, 50], [50, 50]]), table([[2, 0], [0, 0]]), most=5) == []
    assert find_excess(table([[2, 50], [50, 50]]), table([[0, 0], [0, 0]]), most=5) == []
    assert find_excess(table([[]]), table([[]]), most=5) == []
