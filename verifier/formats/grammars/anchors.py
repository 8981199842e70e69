"""The native ``[n]`` grammar as anchors: ``[1]``, ``[1][2]``, ``[1, 2]``."""

from __future__ import annotations

from spanproof.core.citation import Anchor
from spanproof.verifier.formats.grammars.tokenizer import tokenize


def find_anchors(prose: str) -> tuple[Anchor, ...]:
    """Every anchor of the prose in order; ``[1, 2]`` gives two with the bracket's span."""
    return tuple(
        Anchor(number=int(token.values[0]), span=token.span)
        for token in tokenize(prose, ("numbered",))
    )
