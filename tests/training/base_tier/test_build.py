from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
import torch
from transformers import BertForSequenceClassification, MPNetConfig, MPNetForSequenceClassification

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.backends.onnx import OnnxBackend
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.loading import make_planner, open_model
from spanproof.verifier.entailment.models.folder import check_folder
from spanproof.verifier.entailment.models.tokenizer import load_tokenizer
from spanproof.verifier.entailment.runtimes import open_backend
from tests.verifier.entailment.tiny_models import build_folder, build_tokenizer
from training.base_tier.build import SHARE, build, quantise
from training.base_tier.encoder import Encoder, rename

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = [ENTAILED, CONTRADICTED, NEUTRAL, ("A man is playing a guitar. " * 40, "A man.")]


def make_mpnet(layers: int = 2) -> MPNetForSequenceClassification:
    torch.manual_seed(3)
    config = MPNetConfig(
        vocab_size=build_tokenizer().get_vocab_size() + 5,
        hidden_size=32,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=514,
        initializer_range=0.2,
        layer_norm_eps=1e-5,  # as the published one has it
        num_labels=3,
    )
    return MPNetForSequenceClassification(config).eval()


@pytest.fixture(scope="module")
def blended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tier")
    make_mpnet().save_pretrained(folder / "large")
    build_folder(folder / "small")
    weights = folder / "large" / "model.safetensors"
    build(weights, folder / "base", embedded=folder / "small", heads=2)
    return folder / "base"


@pytest.mark.parametrize("tokens", [3, 33, 130, 512])
def test_the_encoder_computes_what_transformers_computes(tokens: int) -> None:
    reference = make_mpnet()
    ids = torch.randint(4, reference.config.vocab_size, (1, tokens))
    ours = Encoder(rename(reference.state_dict()), heads=2)
    with torch.inference_mode():
        assert torch.allclose(ours(ids), reference(input_ids=ids).logits, atol=1e-5)


def test_rounding_to_eight_bits_moves_no_number_by_more_than_half_a_step() -> None:
    rows = torch.randn(100, 40) * torch.arange(100)[:, None]
    found = quantise({"m": rows, "v": rows[0]})
    apart = found["m"].float() * found["m.scale"][:, None] - rows
    assert bool((apart.abs() <= 0.5001 * found["m.scale"][:, None]).all())
    assert found["v"].dtype == torch.float16


def test_the_folder_adds_a_share_of_each_encoder(blended: Path) -> None:
    large = make_mpnet()
    small = BertForSequenceClassification.from_pretrained(blended.parent / "small").eval()
    folder = check_folder(blended)
    model = open_model(folder)
    tokenizer, _ = load_tokenizer(folder)
    for pair, reading in zip(PAIRS, model.read_windows(PAIRS), strict=True):
        call = make_planner(folder, tokenizer).plan(*pair).calls[0]
        mark = call.types.index(1)
        text = [token + 4 for token in call.ids]
        other = [0, *text[1 : mark - 1], 2, 2, *text[mark:-1], 2]
        with torch.inference_mode():
            theirs = large(input_ids=torch.tensor([other])).logits[0]
            ours = small(
                input_ids=torch.tensor([call.ids]), token_type_ids=torch.tensor([call.types])
            ).logits[0]
        expected = (SHARE * theirs + (1 - SHARE) * ours).tolist()
        # What eight bits round away.
        assert reading.logits[0] == pytest.approx(expected, abs=0.05)
        assert reading.logits[0] != pytest.approx(ours.tolist(), abs=0.05)
    model.close()


def test_its_graph_alone_can_compute_it(blended: Path) -> None:
    folder = check_folder(blended)
    backend, canonical = open_backend(folder, runtime="auto", device="auto", url=None, cache=None)
    assert isinstance(backend, OnnxBackend)
    assert canonical is None
    with pytest.raises(ModelUnavailableError):
        open_backend(folder, runtime="torch", device="cpu", url=None, cache=None)


def test_a_changed_shard_is_refused(blended: Path, tmp_path: Path) -> None:
    changed = shutil.copytree(blended, tmp_path / "changed")
    shard = max(changed.glob("model-*.safetensors"))
    content = bytearray(shard.read_bytes())
    content[-1] ^= 1
    shard.write_bytes(content)
    with pytest.raises(ModelUnavailableError):
        open_model(check_folder(changed))
