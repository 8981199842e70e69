"""The metric classes with the real RAGAS and DeepEval, each in an environment of its own.

Their requirements contradict those of the other tools of this repository (older releases of openai
and of rich), so each is installed by itself: 185 MB and 700 MB. RAGAS 0.4 cannot be imported with
newer releases of langchain-community. ``make test-metrics`` runs this, and so does ``.ci/run``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.environments import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = [pytest.mark.slow, pytest.mark.model]
CASES = """
import spanproof
T = ["The lease runs for five years.", "The rent is 850 euros a month."]
CITED = "The lease runs for five years [1]. The rent is 900 euros a month [2]."
BARE = " ".join(T)
"""
DEEPEVAL = (
    CASES
    + """
from deepeval import assert_test
from deepeval.test_case import LLMTestCase
from spanproof.client.adoption.deepeval_metric import FaithfulnessBySpanproof
metric = FaithfulnessBySpanproof(spanproof.verify)
false = LLMTestCase(input="?", actual_output=CITED, retrieval_context=T)
assert (metric.measure(false), metric.is_successful()) == (0.5, False)
assert "'900 euros' where the span says '850 euros'" in metric.reason
true = LLMTestCase(input="?", actual_output=BARE, retrieval_context=T)
assert_test(true, [metric], run_async=False)
try:
    assert_test(false, [metric], run_async=False)
except AssertionError:
    print("held")
"""
)
RAGAS = (
    CASES
    + """
from ragas import EvaluationDataset, evaluate
from spanproof.client.adoption.ragas_metric import FaithfulnessBySpanproof
rows = [{"user_input": "?", "response": said, "retrieved_contexts": T} for said in (CITED, BARE)]
metric = FaithfulnessBySpanproof(spanproof.verify)
done = evaluate(EvaluationDataset.from_list(rows), metrics=[metric])
assert done["faithfulness_by_spanproof"] == [0.5, 1.0], done
print("held")
"""
)


@pytest.mark.parametrize(
    ("packages", "code"),
    [(["deepeval>=4.3,<5"], DEEPEVAL), (["ragas>=0.4.3,<0.5", "langchain-community<0.4"], RAGAS)],
    ids=["deepeval", "ragas"],
)
def test_the_metric_scores_as_the_framework_asks(
    tmp_path: Path, packages: Sequence[str], code: str
) -> None:
    site = tmp_path / "site"
    install = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "--no-compile",
    ]
    subprocess.run([*install, "--target", str(site), *packages], check=True)
    # The tool's own requirements first, then those of spanproof from this environment.
    ours = Path(str(metadata.distribution("onnxruntime").locate_file("")))
    paths = os.pathsep.join(map(str, (site, ROOT / "src", ours)))
    variables = {
        "PYTHONPATH": paths,
        "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
        "RAGAS_DO_NOT_TRACK": "true",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | variables, capture_output=True, text=True,
        check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "held" in done.stdout
