"""Run every benchmark, one after the other: ``python -m bench``."""

from __future__ import annotations

import subprocess
import sys

BENCHMARKS = (
    "verification",
    "span_checks",
    "mechanical",
    "extraction",
    "caged",
    "growth",
    "witness",
    "receipt_check",
    "receipt_cost",
    "entailment",
    "log_append",
    "log_fsck",
)


def main() -> None:
    """Each in a process of its own; it prints its table and writes its JSON."""
    for name in BENCHMARKS:
        subprocess.run([sys.executable, "-m", f"bench.{name}"], check=True)


if __name__ == "__main__":
    main()
