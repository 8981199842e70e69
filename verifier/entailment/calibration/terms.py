"""Lexical evidence beside the model: terms that are zero where nothing speaks against the claim.

A small model reads names, numbers and rare words badly; whether the window holds them at all is
plain to see. Each term is deterministic and shown in the verdict with its weight.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_WORD = re.compile(r"\w+")


def uncovered_words(premise: str, hypothesis: str) -> float:
    """The share of the claim's words, in [0, 1], that the premise does not hold."""
    words = _WORD.findall(hypothesis.lower())
    held = set(_WORD.findall(premise.lower()))
    return sum(word not in held for word in words) / max(1, len(words))


#: By the name under which a calibration weighs them.
TERMS: dict[str, Callable[[str, str], float]] = {"uncovered_words": uncovered_words}
