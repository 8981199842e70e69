"""Leave out of the last layer what nothing reads: all its outputs but the first token's.

The head of these families reads the first token alone, so its query, attention output and
feed-forward are all that the last layer must compute; keys and values still come from every token.
The algebra is exact; the sums are of other shapes, and so rounded apart by some 1e-6.
"""

from __future__ import annotations

from typing import Any

import torch


class FirstTokenLayer(torch.nn.Module):
    """A BERT layer's output for the first token of one unpadded sequence: (1, 1, hidden)."""

    def __init__(self, layer: Any) -> None:  # noqa: ANN401 - transformers ships no types
        super().__init__()
        self.layer = layer

    def forward(self, hidden: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:  # noqa: ANN401
        """One layer on ``hidden`` (1, tokens, width); there is no padding, so no mask is read."""
        attention = self.layer.attention.self
        heads, width = attention.num_attention_heads, attention.attention_head_size
        first = hidden[:, :1]
        query = attention.query(first).view(1, 1, heads, width).transpose(1, 2)
        key = attention.key(hidden).view(1, -1, heads, width).transpose(1, 2)
        value = attention.value(hidden).view(1, -1, heads, width).transpose(1, 2)
        shares = torch.softmax(query @ key.transpose(2, 3) * attention.scaling, dim=-1)
        context = (shares @ value).transpose(1, 2).reshape(1, 1, heads * width)
        attended = self.layer.attention.output(context, first)
        output: torch.Tensor = self.layer.output(self.layer.intermediate(attended), attended)
        return output


def narrow_last_layer(model: Any) -> None:  # noqa: ANN401 - transformers ships no types
    """Put the first token's layer in place of the last one, in this model itself."""
    layers = model.base_model.encoder.layer
    layers[-1] = FirstTokenLayer(layers[-1])
