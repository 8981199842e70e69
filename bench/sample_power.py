"""How soon ``audit sample`` sees an aimed sample: ``python -m bench.sample_power [--runs 1000]``.

One answer in a hundred has an id that is never drawn, as who holds the epoch's key can choose it;
each other answer is drawn with the plan's probability. The tests are the audit's own
(``spanproof.monitor.fit``), at its own level. "Scattered" evaders have nothing in common that an
audit sees; those "of one model" are the answers of a model that is named in no other answer.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from bench.report import write_report
from spanproof.monitor.fit import LEVEL, DrawCount, fit_rates

PROBABILITIES = (0.05, 0.5)
ANSWERS = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000)
EVADING = 0.01


def simulate(  # noqa: PLR0913 - what tells one row of the table from another
    answers: int, probability: float, *, evading: float, is_one_model: bool, runs: int, seed: int
) -> float:
    """The share of the runs that the audit calls unfair."""
    evaders = round(answers * evading)
    random = np.random.default_rng(seed)
    drawn = random.binomial(answers - evaders, probability, size=runs)
    if not is_one_model:
        return float(np.mean([_is_unfair(answers, int(each), probability) for each in drawn]))
    model = DrawCount(stratum="all", model="m", probability=probability, answers=evaders, chosen=0)
    return float(np.mean([_is_unfair(answers, int(each), probability, model) for each in drawn]))


def _is_unfair(answers: int, chosen: int, probability: float, *parts: DrawCount) -> bool:
    whole = DrawCount(stratum="all", probability=probability, answers=answers, chosen=chosen)
    return not all(each.is_fair for each in fit_rates([whole, *parts]))


def main() -> None:
    """Draw, test, print the table, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20261123)
    arguments = parser.parse_args()
    print(f"{EVADING:.0%} evade, level {LEVEL:g}, {arguments.runs} runs, seed {arguments.seed}")
    figures = []
    for probability in PROBABILITIES:
        for answers in ANSWERS:
            row = {
                name: simulate(
                    answers,
                    probability,
                    evading=evading,
                    is_one_model=is_one_model,
                    runs=arguments.runs,
                    seed=arguments.seed,
                )
                for name, evading, is_one_model in (
                    ("none evade", 0.0, False),
                    ("scattered", EVADING, False),
                    ("of one model", EVADING, True),
                )
            }
            figures.append({"probability": probability, "answers": answers, **row})
            shown = "  ".join(f"{name} {power:6.1%}" for name, power in row.items())
            print(f"p {probability:<5} {answers:>11,}  {shown}")
            sys.stdout.flush()
    found = {"evading": EVADING, "level": LEVEL, "runs": arguments.runs, "rows": figures}
    print(f"wrote {write_report('sample_power', found, packages=('spanproof', 'numpy'))}")


if __name__ == "__main__":
    main()
