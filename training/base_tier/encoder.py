"""MPNet for pairs as one plain function of torch, so that its graph is small and exact.

It computes what transformers' ``MPNetForSequenceClassification`` computes, but the last layer for
the first token alone, the only one that the head reads. The buckets of relative distances are a
table: a graph that took their logarithms would round them as its machine does.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch.nn import functional
from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Positions of a pair at most: 514 embeddings, of which two are no position's.
POSITIONS = 512
#: Position embeddings start after the padding's.
_FIRST_POSITION = 2
_EPSILON = 1e-5
#: What no share of attention is left of.
_NEVER = -1e4
_LAYER = {
    "output": "attention.attn.o",
    "norm": "attention.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "last_norm": "output.LayerNorm",
}
_ONCE = {
    "embedded": "mpnet.embeddings.LayerNorm",
    "head": "classifier.dense",
    "logits": "classifier.out_proj",
}
_TABLES = {
    "words": "mpnet.embeddings.word_embeddings.weight",
    "positions": "mpnet.embeddings.position_embeddings.weight",
    "distances": "mpnet.encoder.relative_attention_bias.weight",
}


def rename(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The tensors of transformers' model under this module's names; query, key, value are one."""
    found = {ours: state[theirs] for ours, theirs in _TABLES.items()}
    for ours, theirs in _ONCE.items():
        for kind in ("weight", "bias"):
            found[f"{ours}.{kind}"] = state[f"{theirs}.{kind}"]
    layers = sum(name.endswith("attention.attn.q.weight") for name in state)
    for layer in range(layers):
        place = f"mpnet.encoder.layer.{layer}"
        for kind in ("weight", "bias"):
            parts = [state[f"{place}.attention.attn.{part}.{kind}"] for part in "qkv"]
            found[f"{layer}.qkv.{kind}"] = torch.cat(parts)
            for ours, theirs in _LAYER.items():
                found[f"{layer}.{ours}.{kind}"] = state[f"{place}.{theirs}.{kind}"]
    return found


def restore(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The same tensors under transformers' names."""
    state = {theirs: tensors[ours] for ours, theirs in _TABLES.items()}
    for ours, theirs in _ONCE.items():
        for kind in ("weight", "bias"):
            state[f"{theirs}.{kind}"] = tensors[f"{ours}.{kind}"]
    for layer in range(count_layers(tensors)):
        place = f"mpnet.encoder.layer.{layer}"
        for kind in ("weight", "bias"):
            for part, tensor in zip("qkv", tensors[f"{layer}.qkv.{kind}"].chunk(3), strict=True):
                state[f"{place}.attention.attn.{part}.{kind}"] = tensor.clone()
            for ours, theirs in _LAYER.items():
                state[f"{place}.{theirs}.{kind}"] = tensors[f"{layer}.{ours}.{kind}"]
    return state


def count_layers(tensors: Mapping[str, torch.Tensor]) -> int:
    """How many layers the tensors are of."""
    return sum(name.endswith(".qkv.weight") for name in tensors)


class Encoder(torch.nn.Module):
    """Logits of pairs in MPNet's own ids."""

    def __init__(self, tensors: Mapping[str, torch.Tensor], *, heads: int) -> None:
        super().__init__()
        self._names = {name: name.replace(".", "_") for name in tensors}
        for name, tensor in tensors.items():
            self.register_buffer(self._names[name], tensor)
        self._layers = count_layers(tensors)
        self._heads = heads
        self._width = tensors["words"].shape[1]
        distances = torch.arange(1 - POSITIONS, POSITIONS)
        buckets = MPNetEncoder.relative_position_bucket(
            distances, num_buckets=tensors["distances"].shape[0]
        )
        self.register_buffer("buckets", buckets)

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor | None = None) -> torch.Tensor:
        """``ids`` is (pairs, tokens), padded behind each pair's length where lengths are given."""
        places = torch.arange(ids.shape[1], device=ids.device)
        positions = functional.embedding(places + _FIRST_POSITION, self._get("positions"))
        hidden = self._norm(functional.embedding(ids, self._get("words")) + positions, "embedded")
        apart = places.unsqueeze(0) - places.unsqueeze(1) + (POSITIONS - 1)
        bias = functional.embedding(self._get("buckets")[apart], self._get("distances"))
        bias = bias.permute(2, 0, 1).unsqueeze(0)
        if lengths is not None:
            padding = (places.unsqueeze(0) >= lengths.unsqueeze(1))[:, None, None]
            bias = bias + torch.zeros_like(bias[:, :1, :1]).masked_fill(padding, _NEVER)
        for layer in range(self._layers):
            hidden = self._run_layer(hidden, bias, layer)
        return self._linear(torch.tanh(self._linear(hidden[:, 0], "head")), "logits")

    def _run_layer(self, hidden: torch.Tensor, bias: torch.Tensor, layer: int) -> torch.Tensor:
        mixed = self._linear(hidden, f"{layer}.qkv")
        query, key, value = (self._split(part) for part in mixed.chunk(3, dim=-1))
        if layer == self._layers - 1:
            query, bias, hidden = query[:, :, :1], bias[:, :, :1], hidden[:, :1]
        scale = 1 / math.sqrt(self._width // self._heads)
        shares = torch.softmax(query @ key.transpose(2, 3) * scale + bias, dim=-1)
        mixed = (shares @ value).transpose(1, 2).flatten(2)
        hidden = self._norm(self._linear(mixed, f"{layer}.output") + hidden, f"{layer}.norm")
        wide = functional.gelu(self._linear(hidden, f"{layer}.up"))
        return self._norm(self._linear(wide, f"{layer}.down") + hidden, f"{layer}.last_norm")

    def _split(self, part: torch.Tensor) -> torch.Tensor:
        shape = (*part.shape[:2], self._heads, self._width // self._heads)
        return part.reshape(shape).transpose(1, 2)

    def _linear(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(hidden, self._get(f"{name}.weight"), self._get(f"{name}.bias"))

    def _norm(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self._get(f"{name}.weight"), self._get(f"{name}.bias")
        return functional.layer_norm(hidden, (self._width,), weight, bias, _EPSILON)

    def tensor(self, name: str) -> torch.Tensor:
        """The tensor of that name, which may be trained."""
        return self._get(name)

    def _get(self, name: str) -> torch.Tensor:
        tensor: torch.Tensor = getattr(self, self._names.get(name, name))
        return tensor
