"""The door to a model: check its folder, open a backend for it, run its canary."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING

from spanproof.core.arguments import check_type
from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.encoding.planning import PairPlanner
from spanproof.verifier.entailment.encoding.readable_input import InputGate
from spanproof.verifier.entailment.examination.canary import (
    CONTRADICTED,
    ENTAILED,
    NEUTRAL,
    check_canary,
)
from spanproof.verifier.entailment.model import LocalEntailment
from spanproof.verifier.entailment.models.folder import ModelFolder, check_folder
from spanproof.verifier.entailment.models.tokenizer import find_unknown, load_tokenizer
from spanproof.verifier.entailment.runtimes import COMPARED, open_backend

if TYPE_CHECKING:
    from spanproof.verifier.entailment.calibration.store import NamedCalibration
    from spanproof.verifier.entailment.models.tokenizer import Tokenizer

_PAIRS = (ENTAILED, CONTRADICTED, NEUTRAL)


def check_agreement(model: LocalEntailment) -> None:
    """Raise ModelUnavailableError where the model's logits are not those of its folder's weights.

    Each may lie from the canonical run's as far as the backend says, and no further.
    """
    said, canonical = model.read_windows(_PAIRS), model.read_canonical(_PAIRS)
    worst = max(
        abs(one - other)
        for ours, theirs in zip(said, canonical, strict=True)
        for row, expected in zip(ours.logits, theirs.logits, strict=True)
        for one, other in zip(row, expected, strict=True)
    )
    tolerance = max(reading.tolerance for reading in said)
    if not worst <= tolerance:
        msg = f"Expected logits within {tolerance} of the model folder's, got {worst:.3f} away."
        raise ModelUnavailableError(
            msg, hint="Set SPANPROOF_RUNTIME to auto, or serve this folder."
        )


def load_model(  # noqa: PLR0913 - each has a default, and each is one setting
    folder: Path | None = None,
    *,
    runtime: str = "auto",
    device: str = "auto",
    url: str | None = None,
    cache: Path | None = None,
    calibration: NamedCalibration | None = None,
) -> LocalEntailment:
    """A model that passed its canary; a folder of None is the embedded default.

    ``runtime`` and ``device`` choose the backend, ``url`` is the server of a remote one, ``cache``
    the folder for files derived from the weights (None: a temporary one of the process),
    ``calibration`` is asked for in place of the folder's own. Raises ModelUnavailableError for a
    folder that is missing, incomplete, pickled or changed, for a backend that is not here or cannot
    run it, and for a model that fails the canary, ModelLabelsError for labels without names, and
    CalibrationNotFoundError for an unknown name.
    """
    check_type("folder", folder, (Path, NoneType), "a pathlib.Path or None")
    checked = check_folder(folder if folder is not None else embedded_folder())
    if calibration is not None:
        checked = checked.choose(calibration)
    model = open_model(checked, runtime=runtime, device=device, url=url, cache=cache)
    try:
        check_canary(model, knows_contradiction=not checked.labels.is_two_way)
        if url is not None or runtime in COMPARED:
            check_agreement(model)
    except BaseException:
        model.close()
        raise
    return model


def open_model(
    folder: ModelFolder,
    *,
    runtime: str = "auto",
    device: str = "auto",
    url: str | None = None,
    cache: Path | None = None,
) -> LocalEntailment:
    """The model of a checked folder, its canary not yet asked."""
    tokenizer, digest = load_tokenizer(folder)
    backend, open_canonical = open_backend(
        folder, runtime=runtime, device=device, url=url, cache=cache
    )
    return LocalEntailment(
        folder=folder,
        planner=make_planner(folder, tokenizer),
        tokenizer_digest=digest,
        backend=backend,
        open_canonical=open_canonical,
    )


def make_planner(folder: ModelFolder, tokenizer: Tokenizer) -> PairPlanner:
    """What lays out the folder's pairs and says which it does not read."""
    return PairPlanner(
        tokenizer,
        positions=folder.positions,
        has_types=folder.has_token_types,
        gate=InputGate(languages=folder.languages, unknown_token=find_unknown(tokenizer)),
    )


def embedded_folder() -> Path:
    """The default model's place inside the package."""
    return Path(str(resources.files("spanproof.verifier.entailment") / "embedded"))
