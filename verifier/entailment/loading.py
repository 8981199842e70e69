"""The door to a model: check its folder, load it, run its canary."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.entailment.canary import check_canary
from verifier.entailment.model_folder import check_folder

if TYPE_CHECKING:
    from verifier.entailment.runtime import TransformersEntailment


def load_model(folder: Path | None = None, *, device: str = "auto") -> TransformersEntailment:
    """A model that passed its canary; None is the embedded default.

    Raises ModelUnavailableError for a folder that is missing, incomplete, pickled or changed, or
    whose model fails the canary, and ModelLabelsError for labels without names.
    """
    checked = check_folder(folder if folder is not None else embedded_folder())
    # torch and transformers take seconds to import: only a process that judges claims pays.
    from verifier.entailment.runtime import TransformersEntailment

    model = TransformersEntailment.load(checked, device=device)
    check_canary(model, knows_contradiction=not checked.labels.is_two_way)
    return model


def embedded_folder() -> Path:
    """Where the default model stands inside the package."""
    return Path(str(resources.files("verifier.entailment") / "embedded"))
