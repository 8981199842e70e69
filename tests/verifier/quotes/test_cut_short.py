"""A long quote whose time ends within its alignment, or within its comparison, did not run."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from spanproof.core.budget import BUDGET_SPENT, Budget, spending
from spanproof.core.citation import Quote
from spanproof.core.span import Span
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.quotes import alignment, difference
from spanproof.verifier.quotes.existence import check_existence
from tests.builders import make_extraction

if TYPE_CHECKING:
    from types import ModuleType

    import pytest

LOOK = "look"
#: Another word at every ninth place, and as many other ones in each of four paragraphs.
WORDS = [f"word{number}" for number in range(900)]
QUOTE = " ".join("other" if at % 9 == 0 else word for at, word in enumerate(WORDS))
SOURCE = "\n\n".join(
    " ".join(f"else{part}" if at % 9 == part else word for at, word in enumerate(WORDS))
    for part in range(1, 5)
)


class Steps:
    """What was done and when the budget was looked at, in order; a clock that counts the work."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: ModuleType, *names: str) -> None:
        self.done: list[str] = []
        for name in names:
            monkeypatch.setattr(module, name, self._noting(name, getattr(module, name)))

    def look(self) -> None:
        """A checkpoint."""
        self.done.append(LOOK)

    def clock(self) -> float:
        """Steps of work so far."""
        return float(sum(step != LOOK for step in self.done))

    def _noting(self, name: str, work: Any) -> Any:
        def note(*given: Any, **named: Any) -> Any:
            self.done.append(name)
            return work(*given, **named)

        return note


def test_alignment_ends_with_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    extraction = make_extraction(SOURCE)
    steps = Steps(monkeypatch, alignment, "_align")
    existence, codes = check_existence(Quote(text=QUOTE), extraction, ())
    assert existence.status is ExistenceStatus.ALTERED
    windows = len(steps.done)
    assert windows >= 3
    steps.done.clear()
    with spending(Budget(1.5, clock=steps.clock)):
        existence, codes = check_existence(Quote(text=QUOTE), extraction, ())
    assert (existence.status, codes) == (ExistenceStatus.NOT_RUN, (BUDGET_SPENT,))
    assert len(steps.done) == 2


def test_between_two_steps_of_a_comparison_the_budget_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    extraction = make_extraction(SOURCE)
    region = Span(0, SOURCE.index("\n\n"))
    steps = Steps(monkeypatch, difference, "find_protected", "lcs_rows", "judge_folds")
    with spending(Budget(None, clock=steps.clock, on_checkpoint=steps.look)):
        found = difference.describe_difference(QUOTE, extraction, region)
    assert len(found.edits) == 200
    assert steps.clock() == steps.done.count(LOOK) == 203
    assert all(LOOK in pair for pair in pairwise(steps.done))
