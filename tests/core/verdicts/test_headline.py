"""The headline counts citations, not verdicts, and never promises more than all of theirs."""

from __future__ import annotations

import pytest

from spanproof.core.verdicts.headline import count_passing


@pytest.mark.parametrize(
    ("outcomes", "headline"),
    [
        ([], "no citation was judged"),
        ([(0, "pass")], "1 of 1 citation passes"),
        ([(0, "pass"), (1, "fail"), (2, "pass")], "2 of 3 citations pass"),
        ([(0, "pass"), (0, "review")], "0 of 1 citations pass"),
    ],
)
def test_a_citation_passes_if_each_of_its_verdicts_does(
    outcomes: list[tuple[int, str]], headline: str
) -> None:
    verdicts = [{"citation": index, "outcome": outcome} for index, outcome in outcomes]
    assert count_passing({"verdicts": verdicts}) == headline
