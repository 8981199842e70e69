"""The door to a model: check its folder, open a backend for it, run its canary."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from verifier.entailment.canary import check_canary
from verifier.entailment.model import LocalEntailment
from verifier.entailment.model_folder import ModelFolder, check_folder
from verifier.entailment.planning import PairPlanner
from verifier.entailment.tokenizing import load_tokenizer


def load_model(folder: Path | None = None, *, device: str = "auto") -> LocalEntailment:
    """A model that passed its canary; None is the embedded default.

    Raises ModelUnavailableError for a folder that is missing, incomplete, pickled or changed, or
    whose model fails the canary, and ModelLabelsError for labels without names.
    """
    checked = check_folder(folder if folder is not None else embedded_folder())
    model = open_model(checked, device=device)
    check_canary(model, knows_contradiction=not checked.labels.is_two_way)
    return model


def open_model(folder: ModelFolder, *, device: str = "auto") -> LocalEntailment:
    """The model of a checked folder, its canary not yet asked."""
    # torch and transformers take seconds to import: only a process that judges claims pays.
    from verifier.entailment.backends.torch import TorchBackend

    tokenizer, digest = load_tokenizer(folder)
    return LocalEntailment(
        folder=folder,
        planner=PairPlanner(tokenizer, positions=folder.positions),
        tokenizer_digest=digest,
        backend=TorchBackend.load(folder, device=device),
    )


def embedded_folder() -> Path:
    """Where the default model stands inside the package."""
    return Path(str(resources.files("verifier.entailment") / "embedded"))
