"""Raw logits → calibrated probabilities: the fit on labelled pairs, and its record.

The log-odds of "entailed" are ``scale * (margin - penalty) + bias``: ``margin`` is the entailed
logit against the log-sum of the others, ``penalty`` the weighted sum of terms that are zero where
nothing speaks against the claim (``spanproof.verifier.entailment.calibration.terms``). A weight is
never negative, so a term can only lower what the model says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.calibration.record import read_record
from spanproof.verifier.entailment.calibration.terms import TERMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.digest import Digest
    from spanproof.core.verdicts.calibration import CalibrationRecord
    from spanproof.verifier.entailment.labels import LabelMap

Probabilities = tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Fitted on labelled pairs; ``none`` without a fit.

    ``threshold`` is the default one, ``thresholds`` one for each ``policy/group`` that was tested;
    None: no threshold is certified there. ``record`` says what it was fitted on.
    """

    name: str = "none"
    scale: float = 1.0
    bias: float = 0.0
    threshold: float = 0.5
    weights: tuple[tuple[str, float], ...] = ()
    thresholds: tuple[tuple[str, float | None], ...] = ()
    record: CalibrationRecord | None = None

    def __str__(self) -> str:
        if self.name == "none" or self.record is None:
            return self.name
        return f"{self.name}@{self.record.digest}"

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Calibration:
        """Read a calibration file's object; raise ModelUnavailableError where it is not one."""
        try:
            calibration = cls(
                name=str(raw["name"]),
                scale=float(raw["scale"]),
                bias=float(raw["bias"]),
                threshold=float(raw["threshold"]),
                weights=tuple(
                    (str(term), float(weight)) for term, weight in raw["weights"].items()
                ),
                thresholds=tuple(
                    (str(policy), None if value is None else float(value))
                    for policy, value in raw.get("thresholds", {}).items()
                ),
                record=read_record(raw),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            msg = f"Expected a calibration's fields in 'calibration.json', got {raw!r}."
            raise ModelUnavailableError(msg, hint="Calibrate the model again.") from error
        derived = [value for _, value in calibration.thresholds if value is not None]
        sound = (
            0.01 <= calibration.scale <= 100
            and math.isfinite(calibration.bias)
            and all(0 < threshold < 1 for threshold in (calibration.threshold, *derived))
            and all(name in TERMS and 0 <= weight < 100 for name, weight in calibration.weights)
        )
        if not sound:
            msg = (
                "Expected a scale in 0.01..100, thresholds in 0..1 and weights of 0 or more,"
                f" got {raw!r}."
            )
            raise ModelUnavailableError(msg, hint="Calibrate the model again.")
        return calibration

    def for_weights(self, weights: Digest) -> Calibration:
        """Itself for the weights that it names; for others no numbers, only the record of it.

        A fit on one model means nothing for another, so it is never applied there.
        """
        if self.record is None or self.record.weights_sha256 == weights.hex:
            return self
        return Calibration(record=self.record)

    def log_odds(self, margin: float, penalty: float) -> float:
        """Calibrated log-odds of "entailed"."""
        return self.scale * (margin - penalty) + self.bias

    def probabilities(
        self, logits: Sequence[float], labels: LabelMap, penalty: float
    ) -> Probabilities:
        """(entailed, neutral, contradicted); the last two share the rest as the model does."""
        entailed = 1 / (1 + math.exp(-_bounded(self.log_odds(margin_of(logits, labels), penalty))))
        if labels.is_two_way:
            return entailed, 1 - entailed, 0.0
        _, neutral, contradicted = labels.arrange(tuple(logits))
        lean = 1 / (1 + math.exp(-_bounded(self.scale * (contradicted - neutral))))
        return entailed, (1 - entailed) * (1 - lean), (1 - entailed) * lean


def margin_of(logits: Sequence[float], labels: LabelMap) -> float:
    """The entailed logit against the log-sum of the others."""
    place = labels.meanings.index("entailed")
    others = [logit for index, logit in enumerate(logits) if index != place]
    peak = max(others)
    return logits[place] - peak - math.log(sum(math.exp(logit - peak) for logit in others))


def _bounded(value: float) -> float:
    # Beyond this exp() overflows, and a probability has long been 0 or 1.
    return min(max(value, -500.0), 500.0)
