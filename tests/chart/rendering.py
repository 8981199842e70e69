"""The chart as Kubernetes gets it; ``python -m tests.chart.rendering`` prints what is shipped."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

CHART = Path(__file__).parents[2] / "deploy" / "helm" / "spanproof"
MANIFEST = Path(__file__).parents[2] / "deploy" / "kubernetes" / "spanproof.yaml"
GO = shutil.which("go")
_HEAD = """\
# The service and its workers, rendered from deploy/helm/spanproof: docs/how-to/fleet.md. PostgreSQL
# and the object store are yours. The Secret 'spanproof' has database-url, key-passphrase,
# s3-access-key and s3-secret-key; the Secret 'spanproof-home' has home.tar: keys and the log's
# mark, made once by 'spanproof keys create'.
"""


def read_values(**changed: Any) -> dict[str, Any]:
    """The chart's own values, with these in place of theirs."""
    values: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    return values | changed


def render(values: dict[str, Any]) -> str:
    """The manifests, by Go's template engine, which is Helm's."""
    program = Path(__file__).with_name("render.go")
    told = subprocess.run(
        [str(GO), "run", str(program), str(CHART), json.dumps(values)],
        capture_output=True,
        check=True,
        text=True,
        timeout=300,
    )
    parts = re.split(r"^---\n", told.stdout, flags=re.MULTILINE)
    return "---\n".join(f"{part.rstrip()}\n" for part in parts if part.strip())


if __name__ == "__main__":
    sys.stdout.write(_HEAD + render(read_values()))
