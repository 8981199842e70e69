from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.backend import Call
from spanproof.verifier.entailment.backends.onnx import OnnxBackend
from spanproof.verifier.entailment.export.graph import export_graph, ship_graph
from spanproof.verifier.entailment.loading import embedded_folder
from spanproof.verifier.entailment.models.folder import check_folder
from spanproof.verifier.entailment.models.graph_file import find_graph
from spanproof.verifier.entailment.models.shipped_graph import RECORD, STRUCTURE
from tests.verifier.entailment.tiny_models import build_folder, edit_json

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.verifier.entailment.models.folder import ModelFolder

CALLS = [
    Call(ids=(2, *range(4, 4 + count), 3), types=(0,) * (count + 1) + (1,), premise="", claim="")
    for count in (3, 9, 14)
]


def refuse(folder: ModelFolder, form: str) -> bytes:
    raise AssertionError(folder, form)


@pytest.fixture
def shipped(folder: Path) -> Path:
    """A folder that brings its graph along."""
    ship_graph(folder)
    return folder


def test_the_whole_graph_is_the_exported_one_byte_for_byte(shipped: Path, tmp_path: Path) -> None:
    checked = check_folder(shipped)
    graph = find_graph(checked, cache=tmp_path / "cache", export=refuse)
    exported = export_graph(checked, graph.form)
    assert graph.to_file() == exported
    assert graph.digest == Digest.of(exported)
    assert len(graph.structure) < len(exported) / 2
    assert not (tmp_path / "cache").exists()


def test_it_gives_the_bits_of_the_exported_file(shipped: Path) -> None:
    graph = find_graph(check_folder(shipped), cache=None, export=refuse)
    in_parts = OnnxBackend.open(graph.structure, tensors=graph.tensors, runtime="in parts")
    as_file = OnnxBackend.open(graph.to_file(), runtime="as one file")
    expected = as_file.run(CALLS)
    for array in graph.tensors.values():
        if array.flags.writeable:
            array[...] = np.nan  # ONNX Runtime took its own copy
    assert in_parts.run(CALLS) == expected


@pytest.mark.parametrize("changed", ["model.safetensors", "config.json"])
def test_the_graph_of_another_model_is_passed_over(
    shipped: Path, tmp_path: Path, changed: str
) -> None:
    own = find_graph(check_folder(shipped), cache=None, export=refuse)
    other = build_folder(tmp_path / "other", positions=256, seed=7)
    shutil.copyfile(other / "config.json", shipped / "config.json")
    if changed == "model.safetensors":
        shutil.copyfile(other / changed, shipped / changed)
        found = find_graph(check_folder(shipped), cache=None, export=export_graph)
        assert found.digest != own.digest
    else:
        with pytest.raises(AssertionError):
            find_graph(check_folder(shipped), cache=None, export=refuse)


def test_a_changed_structure_is_refused(shipped: Path) -> None:
    model = onnx.load(shipped / STRUCTURE, load_external_data=False)
    model.producer_name = "somebody"
    (shipped / STRUCTURE).write_bytes(model.SerializeToString())
    with pytest.raises(ModelUnavailableError, match="Expected a graph with SHA-256"):
        find_graph(check_folder(shipped), cache=None, export=refuse)


@pytest.mark.parametrize(
    "content", [b"", b"\x3a", b"\xff" * 40, b"\x3a\x7f\x01", b"no protocol buffer"]
)
def test_a_broken_structure_is_a_typed_error(shipped: Path, content: bytes) -> None:
    (shipped / STRUCTURE).write_bytes(content)
    with pytest.raises(ModelUnavailableError, match="Expected a graph"):
        find_graph(check_folder(shipped), cache=None, export=refuse)


@pytest.mark.parametrize(
    "initializers",
    [
        {},
        {"model.bert.pooler.dense.weight": {"tensor": "gone", "transposed": False}},
        {"model.bert.pooler.dense.weight": {"tensor": "classifier.weight", "transposed": False}},
        [],
        None,
    ],
)
def test_a_record_of_other_tensors_is_a_typed_error(shipped: Path, initializers: object) -> None:
    edit_json(shipped / RECORD, initializers=initializers)
    with pytest.raises(ModelUnavailableError, match="Expected a graph"):
        find_graph(check_folder(shipped), cache=None, export=refuse)


def test_the_embedded_model_brings_its_own_along() -> None:
    # After new weights or another config: python -m spanproof.verifier.entailment.export FOLDER.
    folder = embedded_folder()
    record = json.loads((folder / RECORD).read_bytes())
    graph = find_graph(check_folder(folder), cache=None, export=refuse)
    assert graph.digest.hex == record["sha256"]


@pytest.mark.model
@pytest.mark.long
def test_the_embedded_graph_is_what_is_exported_of_the_embedded_weights() -> None:
    checked = check_folder(embedded_folder())
    graph = find_graph(checked, cache=None, export=refuse)
    assert Digest.of(export_graph(checked, graph.form)) == graph.digest


LIGHT = """
import resource, sys
from pathlib import Path
from spanproof.verifier.entailment.loading import load_model
model = load_model(runtime="onnx")
assert model.judge([("A man is playing.", "A man.")])[0].reason is None
heavy = {"torch", "transformers", "onnx", "safetensors", "pydantic"} & set(sys.modules)
assert not heavy, heavy
used = resource.getrusage(resource.RUSAGE_SELF)
assert used.ru_utime + used.ru_stime < 3, used
# Not ru_maxrss: it begins with what the process that started this one held.
(most,) = [l for l in Path("/proc/self/status").read_text().splitlines() if l.startswith("VmHWM")]
assert int(most.split()[1]) < 400 * 1024, most
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_its_first_use_is_light() -> None:
    subprocess.run([sys.executable, "-c", LIGHT], check=True)
