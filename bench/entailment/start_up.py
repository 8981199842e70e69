"""How long the command line takes to be ready for ``spanproof entail``, each time in a new process.

Three steps: importing what the command imports, ``spanproof entail --help`` whole, and the model
opened from what was derived from it before. None of them may bring in torch.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_REPORT = (
    "import json, sys, time; print(json.dumps([time.process_time(),"
    " sorted({'torch', 'transformers'} & set(sys.modules))]))"
)
#: Seconds that importing the command may take.
TARGET_SECONDS = 1.0
STEPS = {
    "import of the command": [
        "-c",
        (
            "import spanproof.api.cli.model.commands;"
            f"import spanproof.operations.entailment.pairs; {_REPORT}"
        ),
    ],
    "entail --help": ["-m", "bench.entailment.start_up"],
    "model ready": [
        "-c",
        (
            "import sys; from pathlib import Path;"
            " from spanproof.verifier.entailment.loading import load_model;"
            " load_model(Path(sys.argv[1]), runtime='onnx', device='cpu',"
            f" cache=Path(sys.argv[2])); {_REPORT}"
        ),
    ],
}


def measure_start_up(folder: Path, cache: Path, rounds: int) -> dict[str, Any]:
    """Median and range of wall and CPU seconds by step, and which heavy libraries came along."""
    found: dict[str, list[tuple[float, float, list[str]]]] = {name: [] for name in STEPS}
    for _ in range(rounds):
        for name, arguments in STEPS.items():
            command = [sys.executable, *arguments, str(folder), str(cache)]
            wall, cpu = time.perf_counter(), _children_seconds()
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            spent = time.perf_counter() - wall, _children_seconds() - cpu
            found[name].append((*spent, json.loads(done.stdout.splitlines()[-1])[1]))
    return {
        name: {
            "wall_seconds": _spread([row[0] for row in rows]),
            "cpu_seconds": _spread([row[1] for row in rows]),
            "heavy": rows[0][2],
        }
        for name, rows in found.items()
    }


def _children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def main() -> None:
    """``spanproof entail --help`` in this process, then what it had imported."""
    from spanproof.api.cli.program import run

    if run(["entail", "--help"]) != 0:
        raise SystemExit(1)
    print(json.dumps([time.process_time(), sorted({"torch", "transformers"} & set(sys.modules))]))


if __name__ == "__main__":
    main()
