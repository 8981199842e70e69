"""Which entailment model judges here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core.verdicts.block_json import model_to_json

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.verdicts.model import ModelIdentity
    from spanproof.operations.context import Context


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
    from spanproof.verifier.entailment.models.registered import read_registration
    from spanproof.verifier.entailment.plugins import find_entry_name

    if chosen is not None and find_entry_name(str(chosen)) is not None:
        return None, []
    record = None if chosen is None else read_registration(context.registered, str(chosen))
    place = embedded_folder() if chosen is None else chosen if record is None else record.folder
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
