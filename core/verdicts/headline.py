"""A block in a few words, the same in every view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def count_passing(block: Mapping[str, Any]) -> str:
    """``2 of 3 citations pass``: a citation passes if each of its verdicts does."""
    passes: dict[int, bool] = {}
    for verdict in block["verdicts"]:
        citation = verdict["citation"]
        passes[citation] = passes.get(citation, True) and verdict["outcome"] == "pass"
    if not passes:
        return "no citation was judged"
    noun = "citation passes" if len(passes) == sum(passes.values()) == 1 else "citations pass"
    return f"{sum(passes.values())} of {len(passes)} {noun}"
