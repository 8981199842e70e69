"""A model is examined once, kept under a name, and refused when it is another since."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from safetensors.torch import load_file, save_file

from spanproof.core.errors import ConflictError, InputError, ModelLabelsError, ModelUnavailableError
from spanproof.operations.entailment.model import describe_model
from spanproof.operations.entailment.register import register_model
from tests.contexts import with_settings
from tests.verifier.entailment.golden_models import build_golden_model
from tests.verifier.entailment.tiny_models import build_folder, edit_json

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.operations.entailment.register import Registered

MOMENT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
NAMES = {"0": "entailment", "1": "neutral", "2": "contradiction"}


@pytest.fixture(scope="session")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that passes everything; read only."""
    return build_golden_model(tmp_path_factory.mktemp("golden") / "tiny-nli")


@pytest.fixture
def folder(golden: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return shutil.copytree(golden, tmp_path / "Tiny NLI")


def register(context: Context, folder: Path, **options: Any) -> Registered:
    return register_model(context, folder, registered_at=MOMENT, **options)


def use(context: Context, model: str | Path) -> Context:
    """Set SPANPROOF_MODEL as its value would be read."""
    read = type(context.settings).model_validate(context.settings.model_dump() | {"model": model})
    return with_settings(context, model=read.model)


def test_a_record_says_what_was_examined(context: Context, folder: Path) -> None:
    registered = register(context, folder)
    record = json.loads(registered.path.read_text())
    assert record == registered.record
    assert registered.path == context.settings.home / "models" / "registered" / "tiny-nli.json"
    assert record["name"] == "tiny-nli"
    assert record["folder"] == str(folder)
    assert record["labels"] == ["entailed", "neutral", "contradicted"]
    assert record["golden"]["entailed_against_rest"] == 1.0
    assert record["golden"]["pairs"] == record["layouts_compared"]
    assert record["canary"] == "passed"
    assert record["reproducible"] == {"largest_difference": 0.0}
    assert record["calibration"]["status"] == "none"
    assert record["registered_at"] == "2026-11-21T12:00:00Z"
    assert record["pairs_per_second"] > 0
    assert "onnxruntime" in record["runtime"]


def test_the_name_works_as_the_path_does(context: Context, folder: Path) -> None:
    record = register(context, folder, name="ours").record
    pairs = [("All of the students passed the exam.", "Some of the students passed the exam.")]
    context = use(context, "ours")
    by_name = context.require_model()
    described = describe_model(context)
    assert described["folder"] == str(folder)
    assert described["registrations"] == [
        {"name": "ours", "registered_at": record["registered_at"], "golden": 1.0}
    ]
    named = by_name.judge(pairs)
    context = use(context, folder)
    assert context.require_model().judge(pairs) == named


def test_weights_that_changed_since_are_refused_until_registered_again(
    context: Context, folder: Path
) -> None:
    before = register(context, folder, name="ours").record["weights_sha256"]
    weights = load_file(folder / "model.safetensors")
    weights["classifier.bias"] = weights["classifier.bias"] + 1e-3
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    context = use(context, "ours")
    with pytest.raises(ModelUnavailableError, match=f"as registered \\({before}\\), got") as caught:
        context.require_model()
    assert "Register the model again" in caught.value.hint
    after = register(context, folder, name="ours").record["weights_sha256"]
    assert after != before
    assert context.require_model().identity.weights_digest is not None


@pytest.mark.parametrize(
    ("file", "what"), [("config.json", "a config"), ("tokenizer.json", "a tokenizer")]
)
def test_another_config_or_tokenizer_is_refused(
    context: Context, folder: Path, file: str, what: str
) -> None:
    register(context, folder, name="ours")
    edit_json(folder / file, note="changed")
    context = use(context, "ours")
    with pytest.raises(ModelUnavailableError, match=f"{what} of 'ours' as registered|tokenizer"):
        context.require_model()


def test_labels_that_bear_each_others_names_are_refused_and_nothing_is_kept(
    context: Context, folder: Path
) -> None:
    swapped = {"0": "contradiction", "1": "neutral", "2": "entailment"}
    edit_json(folder / "config.json", id2label=swapped)
    with pytest.raises(ModelLabelsError, match="behave like entailed, neutral, contradicted"):
        register(context, folder)
    assert not list(context.registered.glob("*"))


def test_an_untrained_head_is_refused(context: Context, tmp_path: Path) -> None:
    with pytest.raises((ModelUnavailableError, ModelLabelsError), match="golden pairs"):
        register(context, build_folder(tmp_path / "random"))


def test_a_label_map_names_the_outputs_and_goes_again_where_it_is_wrong(
    context: Context, folder: Path, tmp_path: Path
) -> None:
    edit_json(folder / "config.json", id2label={str(n): f"LABEL_{n}" for n in range(3)})
    with pytest.raises(ModelLabelsError, match="LABEL_0"):
        register(context, folder)
    wrong, right = tmp_path / "wrong.json", tmp_path / "right.json"
    wrong.write_text(json.dumps({"0": "neutral", "1": "entailment", "2": "contradiction"}))
    right.write_text(json.dumps(NAMES))
    with pytest.raises(ModelLabelsError, match="behave like"):
        register(context, folder, label_map=wrong)
    assert not (folder / "label_map.json").exists()
    register(context, folder, label_map=right)
    assert json.loads((folder / "label_map.json").read_text()) == NAMES
    with pytest.raises(ConflictError, match="label map"):
        register(context, folder, label_map=wrong)


@pytest.mark.parametrize("content", ["[]", "{", '{"a": "entailment"}', '{"0": 1}'])
def test_a_label_map_that_is_none_is_refused(
    context: Context, folder: Path, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "map.json"
    path.write_text(content)
    with pytest.raises(InputError, match="label names"):
        register(context, folder, label_map=path)


@pytest.mark.parametrize("name", ["", "../up", "UPPER", "with space", "-dash"])
def test_a_name_that_is_no_files_is_refused(context: Context, folder: Path, name: str) -> None:
    with pytest.raises(InputError, match="Expected a name"):
        register(context, folder, name=name)


def test_a_name_that_is_a_folders_too_is_refused(
    context: Context, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(context, folder, name="ours")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours").mkdir()
    context = use(context, "ours")
    with pytest.raises(ModelUnavailableError, match="Expected one model"):
        context.require_model()


def test_a_broken_record_is_no_model(context: Context, folder: Path) -> None:
    path = register(context, folder, name="ours").path
    path.write_text("{}")
    context = use(context, "ours")
    with pytest.raises(ModelUnavailableError, match="Expected a model's registration"):
        context.require_model()
