"""Which entailment model judges here, and how it is calibrated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from spanproof.core.errors import ModelUnavailableError
from spanproof.core.verdicts.block_json import model_to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from spanproof.core.verdicts.model import ModelIdentity
    from spanproof.operations.context import Context
    from spanproof.verifier.entailment.calibration.calibration import Calibration
    from spanproof.verifier.entailment.fitting.labelled import LabelledPairs
    from spanproof.verifier.entailment.fitting.procedure import CalibrationOptions
    from spanproof.verifier.entailment.logits import Reading


def describe_model(context: Context) -> dict[str, Any]:
    """The identity that every block holds, and further facts on the model.

    Raises ModelError where the model cannot be used.
    """
    chosen = context.settings.model
    identity = context.require_model().identity
    folder, languages = _describe_folder(context, chosen)
    return (
        {"folder": folder, "embedded": chosen is None, "device": context.settings.device}
        | model_to_json(identity)
        | {
            "languages": languages,
            "policies": _describe_policies(identity),
            "calibration_record": _describe_calibration(identity),
            "registrations": _describe_registrations(context, identity),
        }
    )


def _describe_folder(context: Context, chosen: Path | None) -> tuple[str | None, list[str]]:
    """The model's folder and the languages that its card declares; None for another package."""
    from spanproof.verifier.entailment.loading import embedded_folder
    from spanproof.verifier.entailment.models.folder import read_languages
    from spanproof.verifier.entailment.models.registered import find_installed, read_registration
    from spanproof.verifier.entailment.plugins import find_entry_name

    if chosen is not None and find_entry_name(str(chosen)) is not None:
        return None, []
    if chosen is None:
        place = embedded_folder()
    else:
        record = read_registration(context.registered, str(chosen))
        place = find_installed(chosen) if record is None else record.folder
    return str(place), list(read_languages(place))


def _describe_policies(identity: ModelIdentity) -> dict[str, Any]:
    """Where each shipped policy turns, with this model's thresholds."""
    from spanproof.verifier.policies import NAMES, load_policy

    described = {}
    for name in NAMES:
        policy = load_policy(name)
        edges = policy.support_edges(identity)
        described[name] = {
            "entailed_from": _round(edges.entailed_from),
            "neutral_to": _round(edges.neutral_to),
            "contradicted_from": policy.contradiction_threshold,
        }
    return described


def _describe_calibration(identity: ModelIdentity) -> dict[str, Any] | None:
    record = identity.record
    if record is None:
        return None
    return {
        "name": record.name,
        "digest": str(record.digest),
        "weights_sha256": record.weights_sha256,
        "n": record.n,
        "date": record.made_on.isoformat(),
        "valid_days": record.valid_days,
        "languages": list(record.languages),
    }


def _describe_registrations(context: Context, identity: ModelIdentity) -> list[dict[str, Any]]:
    """The registered names of these weights, and the results of their examination."""
    from spanproof.verifier.entailment.models.registered import find_by_weights

    if identity.weights_digest is None:
        return []
    return [
        {
            "name": record.name,
            "registered_at": record.details.get("registered_at"),
            "golden": record.details.get("golden", {}).get("entailed_against_rest"),
        }
        for record in find_by_weights(context.registered, identity.weights_digest.hex)
    ]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


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
