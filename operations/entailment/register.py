"""Register a model under a name: examine it, and record its state."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import ConflictError, InputError
from spanproof.core.json_reader.object_reader import load_json
from spanproof.core.moment import write_moment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context
    from spanproof.verifier.entailment.examination.examination import Examination
    from spanproof.verifier.entailment.model import LocalEntailment
    from spanproof.verifier.entailment.models.folder import ModelFolder

_LABEL_MAP = "label_map.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """The record as it was written, and where."""

    path: Path
    record: dict[str, Any]


def register_model(
    context: Context,
    folder: Path,
    *,
    registered_at: datetime,
    name: str | None = None,
    label_map: Path | None = None,
) -> Registered:
    """Examine the folder's model in this machine's runtime, and keep its record.

    ``label_map`` becomes the folder's label_map.json where it has none; it goes again where the
    model is refused. An older record of the name is replaced. Raises ModelUnavailableError or
    ModelLabelsError for a check that the model fails, InputError for a malformed name or map,
    ConflictError where the folder has another map.
    """
    from spanproof.verifier.entailment.examination.examination import examine
    from spanproof.verifier.entailment.loading import make_planner, open_model
    from spanproof.verifier.entailment.models.folder import check_folder
    from spanproof.verifier.entailment.models.registered import check_name, write_registration
    from spanproof.verifier.entailment.models.tokenizer import load_tokenizer

    place = folder.resolve()
    chosen = check_name(_to_name(place.name) if name is None else name)
    with _place_label_map(place, label_map):
        checked = check_folder(place)
        tokenizer, tokenizer_digest = load_tokenizer(checked)
        settings = context.settings
        model = open_model(
            checked,
            runtime=settings.runtime,
            device=settings.device,
            url=settings.model_url,
            cache=settings.home / "models",
        )
        try:
            seen = examine(model, checked, make_planner(checked, tokenizer))
        finally:
            model.close()
        record = _to_record(chosen, checked, tokenizer_digest, model, seen)
        record["registered_at"] = write_moment(registered_at)
        path = write_registration(context.registered, record)
    return Registered(path=path, record=record)


def _to_record(
    name: str,
    folder: ModelFolder,
    tokenizer_digest: Digest,
    model: LocalEntailment,
    seen: Examination,
) -> dict[str, Any]:
    from spanproof.verifier.entailment.models.registered import FORMAT

    identity = model.identity
    return {
        "format": FORMAT,
        "name": name,
        "folder": str(folder.path),
        "model_name": folder.name,
        "model_type": folder.model_type,
        "weights_sha256": folder.weights_digest.hex,
        "config_sha256": folder.config_digest.hex,
        "tokenizer_sha256": tokenizer_digest.hex,
        "labels": list(folder.labels.meanings),
        "languages": list(folder.languages),
        "positions": folder.positions,
        "runtime": identity.runtime,
        "calibration": {
            "status": "none" if identity.calibration == "none" else "calibrated",
            "name": identity.calibration,
            "threshold": identity.threshold,
        },
    } | seen.to_json()


def _to_name(folder_name: str) -> str:
    return re.sub(r"[^a-z0-9._-]+", "-", folder_name.lower()).strip("-._")


@contextmanager
def _place_label_map(folder: Path, given: Path | None) -> Iterator[None]:
    """The given map as the folder's own; gone again where what follows fails."""
    if given is None:
        yield
        return
    names = _read_label_map(given)
    target = folder / _LABEL_MAP
    if target.exists():
        if _read_label_map(target) != names:
            msg = f"Expected the folder's own label map, got another in {str(given)!r}."
            raise ConflictError(msg, hint=f"Leave --label-map away, or remove its {_LABEL_MAP}.")
        yield
        return
    try:
        target.write_text(json.dumps(names, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        msg = f"Expected to write {_LABEL_MAP} into {str(folder)!r}, got {error.strerror!r}."
        raise InputError(msg, hint="Give a folder that is there and writable.") from error
    try:
        yield
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _read_label_map(path: Path) -> dict[str, str]:
    try:
        names = load_json(path.read_bytes())
    except (InputError, OSError) as error:
        msg = f"Expected a JSON object of label names in {str(path)!r}, got {error!s}."
        raise InputError(msg, hint='Write it like {"0": "entailment", …}.') from error
    sound = isinstance(names, dict) and all(
        key.isdecimal() and isinstance(value, str) for key, value in names.items()
    )
    if not sound:
        msg = f"Expected label names by output index, got {names!r}."
        raise InputError(msg, hint='Write it like {"0": "entailment", …}.')
    return dict(names)
