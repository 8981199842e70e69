"""Make the model folder of the second tier: ``python -m training.base_tier.build --help``.

Its graph reads each pair by both encoders and adds their logits, a share of each. The MPNet's
matrices are rounded to eight bits, one scale a row, and computed with in float32; the embedded
model's weights are copied as they are. Both read the same words: MPNet's vocabulary is the embedded
one's behind four tokens of its own.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load_file, save_file

from spanproof.verifier.entailment.backends.torch import load_weights
from spanproof.verifier.entailment.export.graph import narrow_last_layer, ship_graph
from spanproof.verifier.entailment.loading import embedded_folder
from spanproof.verifier.entailment.models.folder import (
    GRAPH_ALONE,
    SHARDS,
    WEIGHTS,
    check_folder,
)
from spanproof.verifier.entailment.models.weights import SCALE, list_tensors, read_tensors
from training.base_tier.encoder import POSITIONS, Encoder, rename

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.digest import Digest

#: What the larger encoder's logits count for; the rest is the embedded model's.
SHARE = 0.6
#: MPNet's ids of the embedded tokenizer's [CLS] and [SEP], and how far all others lie apart.
_FIRST, _END, _APART = 0, 2, 4
_LARGE = "large."
#: A matrix of fewer rows is next to nothing, and stays in half precision.
_FEW_ROWS = 64
#: Bytes of one file of weights at most: a repository takes 100 MB.
_MAX_SHARD = 64_000_000


class Blend(torch.nn.Module):
    """Both encoders on one pair in the embedded model's ids."""

    def __init__(self, small: Any, large: Encoder, *, first: int, end: int) -> None:  # noqa: ANN401
        super().__init__()
        self.small, self.large, self.config = small, large, small.config
        self._first, self._end = first, end

    def forward(self, input_ids: torch.Tensor, token_type_ids: torch.Tensor) -> SimpleNamespace:
        """The blended logits of one unpadded pair."""
        small = self.small(input_ids=input_ids, token_type_ids=token_type_ids).logits
        large = self.large(self._translate(input_ids, token_type_ids))
        return SimpleNamespace(logits=SHARE * large + (1 - SHARE) * small)

    def _translate(self, ids: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        """MPNet's ids: it has two marks between premise and claim."""
        other = torch.where(
            ids == self._first,
            _FIRST,
            torch.where(ids == self._end, _END, ids + _APART),
        )
        claim_from = (types == 0).sum()
        places = torch.arange(ids.shape[1] + 1, device=ids.device)
        shifted = other[:, places - (places >= claim_from).long()]
        return torch.where(places == claim_from, _END, shifted)


def quantise(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Matrices in eight bits with one scale a row; all else in half precision."""
    found = {}
    for name, tensor in tensors.items():
        if tensor.dim() != 2 or tensor.shape[0] < _FEW_ROWS:
            found[name] = tensor.half().contiguous()
            continue
        wide = tensor.float()
        scale = wide.abs().amax(dim=1).clamp(min=1e-8) / 127
        found[name] = torch.round(wide / scale[:, None]).to(torch.int8).contiguous()
        found[f"{name}{SCALE}"] = scale
    return found


def build(weights: Path, output: Path, *, embedded: Path, heads: int = 12) -> Digest:
    """Write the folder from MPNet's safetensors and the embedded model's folder."""
    output.mkdir(parents=True, exist_ok=True)
    tensors = {
        f"{_LARGE}{name}": tensor for name, tensor in quantise(rename(load_file(weights))).items()
    }
    files = _write_shards(tensors, output, embedded / WEIGHTS)
    shutil.copyfile(embedded / "tokenizer.json", output / "tokenizer.json")
    config = json.loads((embedded / "config.json").read_text(encoding="utf-8"))
    own = {
        "model_type": GRAPH_ALONE,
        "encoders": [config["model_type"], "mpnet"],
        "share_of_the_last": SHARE,
        "id2label": config["id2label"],
        "label2id": config["label2id"],
        # MPNet has one mark more.
        "max_position_embeddings": min(POSITIONS, config["max_position_embeddings"]) - 1,
        "type_vocab_size": config["type_vocab_size"],
        "vocab_size": config["vocab_size"],
    }
    (output / "config.json").write_text(json.dumps(own, indent=1) + "\n", encoding="utf-8")
    return ship_graph(output, open_blend(embedded, files, heads=heads))


def open_blend(embedded: Path, files: list[Path], *, heads: int) -> Blend:
    """The reference that the graph is traced from, of the very numbers of the files."""
    small = load_weights(check_folder(embedded)).eval()
    narrow_last_layer(small)
    names = [name for name in list_tensors(files) if name.startswith(_LARGE)]
    arrays = read_tensors(files, {name: {"tensor": name, "transposed": False} for name in names})
    tensors = {name.removeprefix(_LARGE): torch.from_numpy(array) for name, array in arrays.items()}
    vocabulary = json.loads((embedded / "tokenizer.json").read_text(encoding="utf-8"))
    marks = vocabulary["model"]["vocab"]
    large = Encoder(tensors, heads=heads).eval()
    return Blend(small, large, first=marks["[CLS]"], end=marks["[SEP]"])


def _write_shards(tensors: Mapping[str, torch.Tensor], output: Path, small: Path) -> list[Path]:
    """The embedded weights as they are, then the others in files of bounded size."""
    shards: list[dict[str, torch.Tensor]] = [{}]
    for name, tensor in tensors.items():
        held = sum(one.nbytes for one in shards[-1].values())
        if held and held + tensor.nbytes > _MAX_SHARD and not name.endswith(SCALE):
            shards.append({})
        shards[-1][name] = tensor
    count = len(shards) + 1
    files = [
        output / f"model-{number:05}-of-{count:05}.safetensors" for number in range(1, count + 1)
    ]
    shutil.copyfile(small, files[0])
    for path, shard in zip(files[1:], shards, strict=True):
        save_file(shard, path)
    places = {name: path.name for path in files for name in list_tensors([path])}
    index = json.dumps({"weight_map": dict(sorted(places.items()))}, indent=1)
    (output / SHARDS).write_text(index + "\n", encoding="utf-8")
    return files


def main() -> None:
    """Read the command line and write the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="MPNet's model.safetensors")
    parser.add_argument("--output", type=Path, required=True, help="model folder to write")
    arguments = parser.parse_args()
    digest = build(arguments.weights, arguments.output, embedded=embedded_folder())
    print(f"graph-{digest}")


if __name__ == "__main__":
    main()
