"""A tenant's labelled pairs → a named calibration of the model, kept beside the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from spanproof.core.errors import ModelUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from spanproof.core.verdicts.model import ModelIdentity
    from spanproof.operations.context import Context
    from spanproof.verifier.entailment.calibration.calibration import Calibration
    from spanproof.verifier.entailment.fitting.labelled import LabelledPairs
    from spanproof.verifier.entailment.fitting.procedure import CalibrationOptions
    from spanproof.verifier.entailment.logits import Reading

#: Pairs read between two reports of progress.
BATCH = 32


@runtime_checkable
class WindowReader(Protocol):
    """A model that returns raw logits: a calibration is fitted to uncalibrated output."""

    @property
    def identity(self) -> ModelIdentity:
        """The value that every block holds."""

    @property
    def calibration(self) -> Calibration:
        """The calibration in use."""

    def read_windows(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """The raw logits of every window of each pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCalibrationFile:
    """The path of a written calibration, and its content."""

    path: Path
    content: dict[str, Any]


def calibrate_model(
    context: Context,
    labelled: LabelledPairs,
    options: CalibrationOptions,
    *,
    advance: Callable[[int], None] = lambda _: None,
) -> NamedCalibrationFile:
    """Read the pairs, fit, and keep the calibration under its name.

    ``advance`` is told how many more pairs were read. Nothing is written unless all of it worked.
    Raises MalformedLabelsError for too few pairs or a missing class, ConflictError for a name that
    is taken, ModelError where the model cannot be used.
    """
    from spanproof.verifier.entailment.calibration.store import (
        check_name,
        place_of,
        write_calibration,
    )
    from spanproof.verifier.entailment.fitting.labelled import require_enough
    from spanproof.verifier.entailment.fitting.observations import Evidence
    from spanproof.verifier.entailment.fitting.procedure import calibrate
    from spanproof.verifier.entailment.labels import LabelMap

    check_name(options.name)
    require_enough(labelled.pairs)
    model = context.require_fresh_model()
    weights = model.identity.weights_digest
    if not isinstance(model, WindowReader) or weights is None:
        msg = f"Expected a model whose logits can be read, got {model.identity.name!r}."
        raise ModelUnavailableError(msg, hint="Set SPANPROOF_MODEL to a local model folder.")
    # Asked before the minutes of reading, and once more when it is written.
    path = place_of(context.calibrations, weights, options.name)
    texts = [(pair.premise, pair.hypothesis) for pair in labelled.pairs]
    readings: list[Reading] = []
    for start in range(0, len(texts), BATCH):
        readings += model.read_windows(texts[start : start + BATCH])
        advance(len(readings) - start)
    labels = LabelMap.from_names(dict(enumerate(model.identity.labels)))
    content = calibrate(
        Evidence.of(labelled.pairs, readings, labels),
        model.calibration,
        options,
        weights_sha256=weights.hex,
        labelled_sha256=labelled.sha256,
    )
    write_calibration(path, content)
    return NamedCalibrationFile(path=path, content=content)
