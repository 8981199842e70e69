"""The groups of claims for which a model earns the right to let pass, one by one.

A model is right about claims whose words its premise holds far more often than about others. So
what it may let pass is certified for each group by itself (Mondrian: Vovk, Lindsay, Nouretdinov and
Gammerman 2003, "Mondrian confidence machine").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

#: From the lowest ordered coverage on that each group has, the highest first.
_FLOORS = ((1.0, "in_order"), (0.8, "mostly_in_order"), (0.5, "half_in_order"), (0.0, "other"))
_AGREED = {"verbatim": "word for word", "restated": "whole sentence"}
GROUPS = tuple(name for _, name in _FLOORS)


def group_of(ordered_coverage: float) -> str:
    """The group of a claim by how much of it the premise says in the claim's own order."""
    return next(name for floor, name in _FLOORS if ordered_coverage >= floor)


def describe_threshold(block: Mapping[str, Any], support: Mapping[str, Any]) -> str | None:
    """The claim's group and what p must reach there for the model's word to be enough.

    For what passes by its words: how they agree. None for what the model did not judge.
    """
    if support["reason"] in _AGREED:
        return _AGREED[support["reason"]]
    ordered = support.get("ordered_coverage")
    if ordered is None or support["p_entailment"] is None:
        return None
    group = group_of(float(ordered))
    threshold = block["model"]["thresholds"].get(f"{block['policy']['name']}/{group}")
    words = group.replace("_", " ")
    if threshold is None:
        return f"{words}: no certificate"
    return f"{words}: from {threshold:.2f}"
