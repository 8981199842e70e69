"""``entail`` starts without torch: nothing but the first export of a model needs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from spanproof.verifier.entailment.examination.canary import ENTAILED
from tests.verifier.entailment.tiny_models import build_folder, teach_canary

if TYPE_CHECKING:
    from pathlib import Path

RUN = """
import sys
from spanproof.api.cli import main
forbidden = set(sys.argv.pop(1).split(","))
try:
    main()
except SystemExit as error:
    assert not error.code, error.code
heavy = {name for name in forbidden if sys.modules.get(name)}
assert not heavy, heavy
"""


def run_without(forbidden: str, *arguments: str | Path, **settings: str) -> None:
    subprocess.run(
        [sys.executable, "-c", RUN, forbidden, *map(str, arguments)],
        check=True,
        stdout=subprocess.DEVNULL,
        env=os.environ | settings,
    )


def test_its_help_imports_no_runtime_at_all() -> None:
    run_without("torch,transformers,onnx,onnxruntime,tokenizers", "entail", "--help")


@pytest.mark.long
def test_it_judges_without_torch_once_the_graph_is_kept(tmp_path: Path) -> None:
    model = teach_canary(build_folder(tmp_path / "model"))
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    pairs.write_text(json.dumps({"premise": ENTAILED[0], "hypothesis": ENTAILED[1]}) + "\n")
    settings = {"SPANPROOF_HOME": str(tmp_path / "home"), "SPANPROOF_MODEL": str(model)}
    run_without("nothing", "entail", pairs, "--output", out, **settings)
    assert len(list((tmp_path / "home" / "models").iterdir())) == 1
    first = json.loads(out.read_text())
    assert first["label"] == "ENTAILED"
    out.unlink()
    # Nothing that was read before may answer for the model.
    settings |= {"SPANPROOF_CACHE_ENTRIES": "0"}
    run_without("torch,transformers,onnx", "entail", pairs, "--output", out, **settings)
    assert json.loads(out.read_text()) == first
