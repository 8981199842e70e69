"""Run every benchmark, one after the other: ``python -m bench``."""

from __future__ import annotations

import subprocess
import sys

BENCHMARKS = (
    "verification",
    "span_checks",
    "mechanical",
    "documents.extraction",
    "documents.caged",
    "documents.growth",
    "documents.tables_of_rows",
    "documents.cross_check",
    "receipts.receipt_check",
    "receipts.receipt_cost",
    "entailment",
    "contexts",
    "receipts.log_append",
    "receipts.log_fsck",
    "service.backup",
    "console",
    "sample_power",
)


def main() -> None:
    """Each in a process of its own; it prints its table and writes its JSON."""
    for name in BENCHMARKS:
        subprocess.run([sys.executable, "-m", f"bench.{name}"], check=True)


if __name__ == "__main__":
    main()
