"""Which entailment model judges here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.block_json import model_to_json

if TYPE_CHECKING:
    from api.wiring import Services


def describe_model(services: Services) -> dict[str, Any]:
    """The identity that stands in every block; raise ModelError where the model cannot be used."""
    from verifier.entailment.loading import embedded_folder

    chosen = services.settings.model
    identity = services.require_model().identity
    return {
        "folder": str(embedded_folder() if chosen is None else chosen),
        "embedded": chosen is None,
        "device": services.settings.device,
    } | model_to_json(identity)
