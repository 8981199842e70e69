"""One benchmark's result as JSON: measured figures, date, versions and machine."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("spanproof", "numpy", "pymupdf", "torch", "transformers")


def write_report(name: str, figures: dict[str, Any], *, packages: Sequence[str] = PACKAGES) -> Path:
    """Write ``bench/results/<name>.json`` and return its path."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    report = {
        "benchmark": name,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "versions": {package: metadata.version(package) for package in packages},
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "figures": figures,
    }
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return path
