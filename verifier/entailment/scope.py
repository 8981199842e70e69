"""Whether the model and its calibration speak for an answer, as codes of its verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.verdicts.calibration import CalibrationStatus

if TYPE_CHECKING:
    from spanproof.core.verdicts.calibration import CalibrationCheck
    from spanproof.core.verdicts.model import ModelIdentity

_CODES = {
    CalibrationStatus.NONE: "CALIBRATION_NONE",
    CalibrationStatus.STALE: "CALIBRATION_STALE",
    CalibrationStatus.OUT_OF_SCOPE: "CALIBRATION_OUT_OF_SCOPE",
}


def find_scope_codes(check: CalibrationCheck) -> tuple[str, ...]:
    """What stands in every verdict that the model judged; none where the calibration applies."""
    code = _CODES.get(check.status)
    return () if code is None else (code,)


def find_model_codes(model: ModelIdentity) -> tuple[str, ...]:
    """``MODEL_NON_REPLAYABLE`` where the same question may get another answer."""
    return () if model.replayable else ("MODEL_NON_REPLAYABLE",)
