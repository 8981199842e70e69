"""Every family through the real loader and exporter says what plain transformers says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from spanproof.core.errors import ModelLabelsError, ModelUnavailableError
from spanproof.verifier.entailment.backend import Call
from spanproof.verifier.entailment.backends.torch import TorchBackend
from spanproof.verifier.entailment.encoding.pairs import PairLayout
from spanproof.verifier.entailment.encoding.planning import MAX_POSITIONS, PairPlanner
from spanproof.verifier.entailment.loading import open_model
from spanproof.verifier.entailment.models.folder import check_folder
from spanproof.verifier.entailment.models.tokenizer import load_tokenizer
from tests.spread import thin_out
from tests.verifier.entailment.architectures import (
    FAMILIES,
    SENTENCES,
    build_family,
    run_transformers,
)

if TYPE_CHECKING:
    from pathlib import Path

CLAIM = "Goods must be delivered in 4 days, not later."
PAIRS = [
    ("Nobody pays.", "Nobody pays."),
    (SENTENCES[0], CLAIM),
    ("\n".join(SENTENCES[:2]), "In 2024 revenue was $3.4 million — naïve, perhaps?"),
]
#: The four orders that public heads come in, and their two-way kin.
ORDERS = [
    ("entailment", "neutral", "contradiction"),
    ("contradiction", "neutral", "entailment"),
    ("contradiction", "entailment", "neutral"),
    ("SUPPORTED", "REFUTED", "NOT ENOUGH INFO"),
    ("entailment", "not_entailment"),
    ("unsupported", "supported"),
]


#: The rest are their kin, and take their time in the longer run.
EVERYDAY = {"bert"}
#: For what is read alike of each: the one that is made and read fastest comes often.
OFTEN = thin_out(["bert", "roberta", "deberta-v3", "modernbert"], every=4)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=() if name in EVERYDAY else pytest.mark.long) for name in FAMILIES
    ],
)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folder(family: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A three-way checkpoint of the family; read only."""
    return build_family(tmp_path_factory.mktemp("families") / family, family)


@pytest.mark.parametrize("runtime", ["torch", "onnx"])
def test_the_logits_are_those_of_transformers(folder: Path, runtime: str, tmp_path: Path) -> None:
    model = open_model(check_folder(folder), runtime=runtime, device="cpu", cache=tmp_path)
    for (premise, claim), reading in zip(PAIRS, model.read_windows(PAIRS), strict=True):
        (logits,) = reading.logits
        assert logits == pytest.approx(run_transformers(folder, premise, claim), abs=1e-4)
    assert ("onnxruntime" in model.identity.runtime) == (runtime == "onnx")
    model.close()


def test_a_two_way_head_is_exported_too(family: str, tmp_path: Path) -> None:
    folder = build_family(tmp_path / "two", family, ("not_entailment", "entailment"))
    model = open_model(check_folder(folder), runtime="onnx", device="cpu")
    premise, claim = PAIRS[1]
    (entailment,) = model.judge([(premise, claim)])
    logits = torch.tensor(run_transformers(folder, premise, claim))
    assert entailment.logits == pytest.approx(logits.tolist(), abs=1e-4)
    assert entailment.p_entailment == pytest.approx(logits.softmax(0)[1].item(), abs=1e-4)
    assert entailment.p_contradiction == 0.0
    model.close()


@pytest.mark.parametrize("family", OFTEN)
@pytest.mark.parametrize("labels", ORDERS, ids="-".join)
def test_probabilities_follow_the_names_of_the_labels(
    family: str, labels: tuple[str, ...], tmp_path: Path
) -> None:
    folder = build_family(tmp_path / "named", family, labels)
    model = open_model(check_folder(folder), runtime="torch", device="cpu")
    premise, claim = PAIRS[1]
    (entailment,) = model.judge([(premise, claim)])
    shares = torch.tensor(run_transformers(folder, premise, claim)).softmax(0).tolist()
    by_name = dict(zip((label.lower() for label in labels), shares, strict=True))
    entailed = by_name.get("entailment", by_name.get("supported"))
    contradicted = by_name.get("contradiction", by_name.get("refuted", 0.0))
    assert entailment.p_entailment == pytest.approx(entailed, abs=1e-4)
    assert entailment.p_contradiction == pytest.approx(contradicted, abs=1e-4)


def test_the_pair_is_laid_out_as_the_tokenizer_lays_it_out(folder: Path) -> None:
    checked = check_folder(folder)
    tokenizer, _ = load_tokenizer(checked)
    layout = PairLayout.of(tokenizer, has_types=checked.has_token_types)
    theirs = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    for premise, claim in PAIRS:
        ids, types = layout.join(
            tokenizer.encode(premise, add_special_tokens=False).ids,
            tokenizer.encode(claim, add_special_tokens=False).ids,
        )
        encoded = theirs(premise, claim)
        assert ids == encoded["input_ids"]
        assert types == encoded.get("token_type_ids", [0] * len(ids))


@pytest.mark.parametrize("family", OFTEN)
def test_every_position_can_be_used(family: str, tmp_path: Path) -> None:
    folder = check_folder(build_family(tmp_path / "short", family, positions=96))
    assert folder.positions == 96
    ids = tuple(load_tokenizer(folder)[0].encode(" ".join(SENTENCES * 4)).ids[:96])
    call = Call(ids=ids, types=(0,) * 96, premise="", claim="")
    assert TorchBackend.load(folder, device="cpu").run([call])
    model = open_model(folder, runtime="onnx", device="cpu")
    (entailment,) = model.judge([(" ".join(SENTENCES * 4), "Nobody pays.")])
    assert entailment.reason is None
    assert entailment.coverage == 1.0
    assert entailment.windows > 1
    model.close()


def test_a_model_of_8192_positions_is_read_in_capped_calls(tmp_path: Path) -> None:
    folder = check_folder(build_family(tmp_path / "long", "modernbert", positions=8192))
    planner = PairPlanner(load_tokenizer(folder)[0], positions=folder.positions)
    plan = planner.plan(" ".join(SENTENCES * 40), "Nobody pays. " * 40)
    assert plan.coverage == 1.0
    assert max(len(call.ids) for call in plan.calls) <= MAX_POSITIONS


@pytest.mark.parametrize("family", OFTEN)
def test_sharded_weights_say_what_one_file_says(family: str, tmp_path: Path) -> None:
    whole = build_family(tmp_path / "whole", family)
    sharded = build_family(tmp_path / "sharded", family, shard_size="20KB")
    assert len(list(sharded.glob("model-*.safetensors"))) > 1
    assert not (sharded / "model.safetensors").exists()
    (ours,) = open_model(check_folder(sharded), runtime="onnx").read_windows(PAIRS[:1])
    (theirs,) = open_model(check_folder(whole), runtime="onnx").read_windows(PAIRS[:1])
    assert ours.logits == theirs.logits


@pytest.mark.parametrize("family", OFTEN)
def test_half_precision_weights_are_read_in_single_precision(family: str, tmp_path: Path) -> None:
    folder = build_family(tmp_path / "half", family)
    weights = load_file(folder / "model.safetensors")
    halves = {name: value.half() for name, value in weights.items()}
    save_file(halves, folder / "model.safetensors", metadata={"format": "pt"})
    (reading,) = open_model(check_folder(folder), runtime="onnx").read_windows(PAIRS[1:2])
    assert reading.logits[0] == pytest.approx(run_transformers(folder, *PAIRS[1]), abs=1e-4)


@pytest.mark.parametrize("family", thin_out(["bert", "roberta"], every=2))
@pytest.mark.parametrize("runtime", ["torch", "onnx"])
def test_weights_that_are_not_finite_are_an_error_and_no_answer(
    family: str, runtime: str, tmp_path: Path
) -> None:
    folder = build_family(tmp_path / "nan", family)
    weights = load_file(folder / "model.safetensors")
    head = next(name for name in weights if name.endswith(("classifier.weight", "out_proj.weight")))
    weights[head] = torch.full_like(weights[head], float("nan"))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelUnavailableError, match="finite"):
        open_model(check_folder(folder), runtime=runtime, device="cpu").judge(PAIRS)


def test_swapped_weights_of_another_family_are_refused(tmp_path: Path) -> None:
    folder = build_family(tmp_path / "bert", "bert")
    other = build_family(tmp_path / "modernbert", "modernbert")
    (folder / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())
    with pytest.raises(ModelUnavailableError, match="weights for the whole model"):
        open_model(check_folder(folder), runtime="onnx", device="cpu")


@pytest.mark.parametrize("family", ["roberta", "deberta-v3"])
def test_heads_without_named_labels_are_refused_unless_a_map_names_them(
    family: str, tmp_path: Path
) -> None:
    folder = build_family(tmp_path / "unnamed", family, ("LABEL_0", "LABEL_1"))
    with pytest.raises(ModelLabelsError, match="Expected labels named") as caught:
        check_folder(folder)
    assert "label_map.json" in caught.value.hint
    names = {"0": "unsupported", "1": "supported"}
    (folder / "label_map.json").write_text(json.dumps(names))
    assert check_folder(folder).labels.meanings == ("not_entailed", "entailed")


def test_types_that_the_model_has_no_embedding_for_are_zero(tmp_path: Path) -> None:
    folder = build_family(tmp_path / "roberta", "roberta")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    # As some re-saved tokenizers have it: the claim numbered 1, for a model with one type.
    other = build_family(tmp_path / "deberta", "deberta-v3")
    template = json.loads((other / "tokenizer.json").read_text())["post_processor"]
    tokenizer["post_processor"] = json.loads(
        json.dumps(template).replace("[CLS]", "<s>").replace("[SEP]", "</s>")
    )
    for name, token in (("<s>", 0), ("</s>", 2)):
        tokenizer["post_processor"]["special_tokens"][name]["ids"] = [token]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    model = open_model(check_folder(folder), runtime="torch", device="cpu")
    assert model.judge(PAIRS)[0].reason is None
