"""Which output of a classifier means what, by the names of its labels and never their order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spanproof.core.errors import ModelLabelsError

if TYPE_CHECKING:
    from collections.abc import Mapping

Meaning = Literal["entailed", "neutral", "contradicted", "not_entailed"]

#: Names in use by public NLI and fact-checking heads, in lower case with underscores.
_NAMES: dict[Meaning, frozenset[str]] = {
    "entailed": frozenset(
        {"entail", "entails", "entailed", "entailment", "support", "supports", "supported"}
    ),
    "neutral": frozenset({"neutral", "nei", "not_enough_info", "not_enough_information"}),
    "contradicted": frozenset(
        {"contradict", "contradicts", "contradicted", "contradiction", "contradictory"}
        | {"refute", "refutes", "refuted"}
    ),
    "not_entailed": frozenset(
        {"not_entailment", "not_entailed", "non_entailment", "unsupported", "not_supported"}
    ),
}
_THREE_WAY = {"entailed", "neutral", "contradicted"}
_TWO_WAY = {"entailed", "not_entailed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelMap:
    """The meaning of each output, in the order of the outputs.

    A two-way head knows no contradiction: ``p_contradiction`` is 0 and ``p_neutral`` the rest.
    """

    meanings: tuple[Meaning, ...]

    @classmethod
    def from_names(cls, names: Mapping[int, str]) -> LabelMap:
        """Map output indexes to meanings; raise ModelLabelsError unless every name is known."""
        ordered = [names.get(index, "") for index in range(len(names))]
        meanings = [_find_meaning(name) for name in ordered]
        known = tuple(meaning for meaning in meanings if meaning is not None)
        if len(known) != len(ordered) or (
            sorted(known) != sorted(_THREE_WAY) and sorted(known) != sorted(_TWO_WAY)
        ):
            msg = (
                "Expected labels named entailment, neutral, contradiction"
                f" (or entailment, not_entailment), got {dict(names)!r}."
            )
            hint = 'Put a label_map.json like {"0": "entailment", …} into the model folder.'
            raise ModelLabelsError(msg, hint=hint)
        return cls(meanings=known)

    @property
    def is_two_way(self) -> bool:
        """Whether the head tells only entailed from the rest."""
        return len(self.meanings) == len(_TWO_WAY)

    def arrange(self, outputs: tuple[float, ...]) -> tuple[float, float, float]:
        """The model's probabilities as (entailed, neutral, contradicted)."""
        entailed = outputs[self.meanings.index("entailed")]
        if self.is_two_way:
            return entailed, outputs[self.meanings.index("not_entailed")], 0.0
        return (
            entailed,
            outputs[self.meanings.index("neutral")],
            outputs[self.meanings.index("contradicted")],
        )


def _find_meaning(name: str) -> Meaning | None:
    plain = re.sub(r"[^a-z]+", "_", name.lower()).strip("_")
    return next((meaning for meaning, names in _NAMES.items() if plain in names), None)
