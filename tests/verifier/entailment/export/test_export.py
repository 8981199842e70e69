from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment import load_model
from spanproof.verifier.entailment.backends.torch import TorchBackend
from spanproof.verifier.entailment.encoding.planning import PairPlanner
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.export import graph
from spanproof.verifier.entailment.loading import embedded_folder
from spanproof.verifier.entailment.models.derived_files import CONTENT, RECORD
from spanproof.verifier.entailment.models.folder import check_folder
from spanproof.verifier.entailment.models.graph_file import CLS_ONLY, FULL, find_graph
from spanproof.verifier.entailment.models.tokenizer import load_tokenizer
from tests.verifier.entailment.tiny_models import (
    build_folder,
    build_tokenizer,
    edit_json,
    load_onnx,
)

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.verifier.entailment.backend import Call
    from spanproof.verifier.entailment.models.folder import ModelFolder

LONG = " ".join(f"The man number {n} is playing a guitar on a stage." for n in range(120))
PAIRS = [ENTAILED, CONTRADICTED, NEUTRAL, (LONG, "A man is playing a guitar.")]


def plan(folder: ModelFolder) -> list[Call]:
    tokenizer, _ = load_tokenizer(folder)
    planner = PairPlanner(tokenizer, positions=folder.positions)
    return [call for pair in PAIRS for call in planner.plan(*pair).calls]


def apart(ours: list[tuple[float, ...]], theirs: list[tuple[float, ...]]) -> float:
    """The greatest difference of two logits."""
    return max(
        abs(one - other)
        for row, other_row in zip(ours, theirs, strict=True)
        for one, other in zip(row, other_row, strict=True)
    )


def assert_forms_agree(folder: ModelFolder, cache: Path) -> None:
    calls = plan(folder)
    reference = TorchBackend.load(folder, device="cpu").run(calls)
    full = load_onnx(folder, cache=cache, form=FULL)
    narrow = load_onnx(folder, cache=cache, form=CLS_ONLY)
    assert "+full+" in full.runtime
    assert "+cls-only+" in narrow.runtime
    assert apart(full.run(calls), reference) <= 1e-4
    assert apart(narrow.run(calls), reference) <= 1e-4
    assert apart(narrow.run(calls), full.run(calls)) <= 1e-5


def test_both_forms_say_what_transformers_says(taught: Path, tmp_path: Path) -> None:
    assert_forms_agree(check_folder(taught), tmp_path)


@pytest.mark.long
@pytest.mark.model
def test_both_forms_of_the_embedded_model_do_too(embedded_cache: Path) -> None:
    assert_forms_agree(check_folder(embedded_folder()), embedded_cache)


def test_the_graph_says_what_the_plain_library_says(taught: Path, tmp_path: Path) -> None:
    # Not through our own torch backend: the library's tokenizer and model as its users call them.
    model = transformers.AutoModelForSequenceClassification.from_pretrained(taught).eval()
    tokenizer = build_tokenizer()
    loaded = load_model(taught, device="cpu", cache=tmp_path)
    for pair, reading in zip(PAIRS[:3], loaded.read_windows(PAIRS[:3]), strict=True):
        encoding = tokenizer.encode(*pair)
        with torch.inference_mode():
            logits = model(
                input_ids=torch.tensor([encoding.ids]),
                token_type_ids=torch.tensor([encoding.type_ids]),
            ).logits[0]
        assert reading.logits[0] == pytest.approx(logits.tolist(), abs=1e-4)


def test_an_export_gives_the_same_bytes_again(taught: Path, tmp_path: Path) -> None:
    folder = check_folder(taught)
    first = find_graph(folder, export=graph.export_graph, cache=tmp_path / "one")
    second = find_graph(folder, export=graph.export_graph, cache=tmp_path / "two")
    assert first.digest == second.digest
    assert first.form == CLS_ONLY
    runtime = load_model(taught, device="cpu", cache=tmp_path / "one").identity.runtime
    assert f"graph-{first.digest}" in runtime


def test_a_graph_of_other_weights_is_refused_by_the_probes(taught: Path, tmp_path: Path) -> None:
    folder = check_folder(taught)
    other = check_folder(build_folder(tmp_path / "other", seed=7))
    content = graph.export_graph(other, FULL)
    probes = plan(folder)
    expected = TorchBackend.load(folder, device="cpu").run(probes)
    with pytest.raises(ModelUnavailableError, match="within"):
        graph._compare(content, probes, expected)


def test_a_swapped_graph_is_never_run(taught: Path, tmp_path: Path) -> None:
    calls = plan(check_folder(taught))
    backend = load_onnx(check_folder(taught), cache=tmp_path / "cache")
    (place,) = (tmp_path / "cache").iterdir()
    other = check_folder(build_folder(tmp_path / "other", seed=7))
    find_graph(other, export=graph.export_graph, cache=tmp_path / "others")
    (foreign,) = (tmp_path / "others").iterdir()
    for names in ([CONTENT], [RECORD], [CONTENT, RECORD]):
        for name in names:
            shutil.copyfile(foreign / name, place / name)
        again = load_onnx(check_folder(taught), cache=tmp_path / "cache")
        assert again.runtime == backend.runtime
        assert again.run(calls) == backend.run(calls)


def test_a_swapped_graph_without_whole_weights_is_a_typed_error(
    folder: Path, tmp_path: Path
) -> None:
    load_model(folder, device="cpu", cache=tmp_path / "cache")
    (place,) = (tmp_path / "cache").iterdir()
    (place / CONTENT).write_bytes(b"")
    edit_json(folder / "config.json", hidden_size=64)
    with pytest.raises(ModelUnavailableError):
        load_model(folder, device="cpu", cache=tmp_path / "cache")


def test_weights_changed_after_the_check_are_not_exported(folder: Path, tmp_path: Path) -> None:
    checked = check_folder(folder)
    build_folder(tmp_path / "other", seed=7)
    shutil.copyfile(tmp_path / "other" / "model.safetensors", folder / "model.safetensors")
    with pytest.raises(ModelUnavailableError, match="got others"):
        find_graph(checked, export=graph.export_graph, cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("name", ["classifier.bias", "bert.embeddings.word_embeddings.weight"])
def test_weights_that_are_not_numbers_are_refused(folder: Path, tmp_path: Path, name: str) -> None:
    weights = load_file(folder / "model.safetensors")
    weights[name].fill_(float("nan"))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelUnavailableError, match="finite"):
        load_model(folder, device="cpu", cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


EXPORT = """
import json, sys
from pathlib import Path
from spanproof.verifier.entailment import load_model
model = load_model(Path(sys.argv[1]), device="cpu", cache=Path(sys.argv[2]))
json.dump([model.identity.runtime, model.judge([tuple(json.loads(sys.argv[3]))])[0].logits],
    sys.stdout)
"""


@pytest.mark.long
def test_two_processes_exporting_at_once_agree(taught: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", EXPORT, str(taught), str(tmp_path), json.dumps(ENTAILED)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    answers = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert answers[0] == answers[1]
    (place,) = tmp_path.iterdir()
    assert {path.name for path in place.iterdir()} == {CONTENT, RECORD}


WITHOUT_TORCH = """
import sys
from pathlib import Path
from spanproof.verifier.entailment import load_model
model = load_model(Path(sys.argv[1]), device="cpu", cache=Path(sys.argv[2]))
assert model.judge([("A man is playing.", "A man.")])[0].reason is None
heavy = {"torch", "transformers", "onnx"} & set(sys.modules)
assert not heavy, heavy
"""


@pytest.mark.long
def test_a_kept_graph_is_judged_by_without_torch(taught: Path, tmp_path: Path) -> None:
    load_model(taught, device="cpu", cache=tmp_path)
    command = [sys.executable, "-c", WITHOUT_TORCH, str(taught), str(tmp_path)]
    subprocess.run(command, check=True)
