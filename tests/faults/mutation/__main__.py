"""``python -m tests.faults.mutation [core|receipt|log|MODULE …]``: outcomes as JSON lines.

Outcomes go to stdout, a line each, then the score a module; the exit status is 1 below the floor.
Mutants come in an order by chance that is always the same: ``--part 1/4`` takes a quarter of each
module's, and what a run has judged when it is ended is a random sample too. ``--only FILE`` takes
the mutants that a file names, ``--tests`` other tests than the target's. ``--most 5`` gives a
mutant the fastest of its module's own tests that take 5 s together, and as many seconds of the
others: what slower ones notice counts as alive.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faults.mutation.equivalents import EQUIVALENT
from tests.faults.mutation.runner import run
from tests.faults.mutation.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.faults.mutation.runner import Outcome

FLOOR = 0.90


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the mutants that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.mutation")
    parser.add_argument("names", nargs="*", default=list(TARGETS))
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--only", type=Path)
    parser.add_argument("--tests", nargs="+")
    parser.add_argument("--most", type=float, default=math.inf)
    given = parser.parse_args(arguments)
    known = {*TARGETS, *(each for target in TARGETS.values() for each in target.list_modules())}
    if unknown := set(given.names) - known:
        parser.error(f"expected names of modules or of {', '.join(TARGETS)}, got {unknown}")
    part, parts = (int(number) for number in given.part.split("/"))
    only = given.only.read_text("utf-8").splitlines() if given.only else []
    outcomes: list[Outcome] = []
    # Those of a target together: its tests are run once before their mutants are.
    for name, target in TARGETS.items():
        modules = [
            module
            for module in target.list_modules()
            if name in given.names or module in given.names
        ]
        if modules:
            share = slice(part - 1, None, parts)
            tests = given.tests or target.list_tests()
            outcomes += run(modules, tests, only, share, given.most)
    return report(outcomes)


def report(outcomes: Sequence[Outcome]) -> int:
    """Print the table; 1 where a module is below the floor."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in outcomes:
        lives = each.status in {"survived", "unreached"}
        status = "equivalent" if lives and each.mutant in EQUIVALENT else each.status
        counts[each.mutant.partition(":")[0]][status] += 1
    sys.stderr.write("| Module | Mutants | Killed | Time limit | Equivalent | Alive | Score |\n")
    sys.stderr.write("|---|---|---|---|---|---|---|\n")
    lowest = 1.0
    total: Counter[str] = Counter()
    for module, found in [*sorted(counts.items()), ("all", total)]:
        if found is not total:
            total.update(found)
        alive = found["survived"] + found["unreached"]
        judged = sum(found.values()) - found["equivalent"]
        score = (judged - alive) / judged if judged else 1.0
        lowest = min(lowest, score)
        sys.stderr.write(
            f"| {module} | {sum(found.values())} | {found['killed']} | {found['timeout']} |"
            f" {found['equivalent']} | {alive} | {score:.1%} |\n"
        )
    return int(lowest < FLOOR)


if __name__ == "__main__":
    sys.exit(main())
