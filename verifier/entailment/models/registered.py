"""Models that were taken in under a name: ``<folder>/<name>.json``, and whether they changed since.

A record holds the digests of everything that shapes a verdict. A model that is named is held
against its record at every load; one that changed is refused until it is registered again.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError, ModelUnavailableError
from spanproof.verifier.entailment.models.folder import check_folder
from spanproof.verifier.entailment.models.tokenizer import load_tokenizer

if TYPE_CHECKING:
    from spanproof.core.verdicts.model import ModelIdentity
    from spanproof.verifier.entailment.models.folder import ModelFolder

FORMAT = 1
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
_AGAIN = "Register the model again, or bring back the files that were registered."


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """One record; ``details`` is its whole content as the file has it."""

    name: str
    folder: Path
    weights_sha256: str
    config_sha256: str
    tokenizer_sha256: str
    labels: tuple[str, ...]
    details: dict[str, Any]

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Registration:
        """Read a record; raise KeyError, TypeError or ValueError for another content."""
        if raw["format"] != FORMAT:
            msg = f"expected format {FORMAT}, got {raw['format']!r}"
            raise ValueError(msg)
        return cls(
            name=str(raw["name"]),
            folder=Path(str(raw["folder"])),
            weights_sha256=str(raw["weights_sha256"]),
            config_sha256=str(raw["config_sha256"]),
            tokenizer_sha256=str(raw["tokenizer_sha256"]),
            labels=tuple(str(label) for label in raw["labels"]),
            details=raw,
        )


def check_name(name: str) -> str:
    """The name; raise InputError for one that cannot be a file's."""
    if _NAME.fullmatch(name) is None:
        msg = f"Expected a name of lower-case letters, digits, '.', '_' and '-', got {name!r}."
        raise InputError(msg, hint="Give --name, such as 'contracts-nli'.")
    return name


def read_registration(registered: Path, name: str) -> Registration | None:
    """The record of that name, or None.

    Raises ModelUnavailableError for one that cannot be read.
    """
    path = registered / f"{name}.json"
    if _NAME.fullmatch(name) is None or not path.is_file():
        return None
    try:
        return Registration.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"Expected a model's registration in {str(path)!r}, got {error!r}."
        raise ModelUnavailableError(msg, hint="Register the model again.") from error


def find_by_weights(registered: Path, weights_sha256: str) -> list[Registration]:
    """Every registration of these weights, by name; skip unreadable files."""
    found = []
    for path in sorted(registered.glob("*.json")):
        try:
            record = read_registration(registered, path.stem)
        except ModelUnavailableError:
            continue
        if record is not None and record.weights_sha256 == weights_sha256:
            found.append(record)
    return found


def write_registration(registered: Path, details: dict[str, Any]) -> Path:
    """Write the record whole or not at all, in the place of an older one of its name."""
    Registration.from_json(details)
    registered.mkdir(parents=True, exist_ok=True)
    path = registered / f"{check_name(str(details['name']))}.json"
    handle, partial = tempfile.mkstemp(dir=registered, prefix=path.stem, suffix=".partial")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(details, out, indent=1, ensure_ascii=False)
            out.write("\n")
            out.flush()
            os.fsync(out.fileno())
        Path(partial).replace(path)
    finally:
        Path(partial).unlink(missing_ok=True)
    return path


def find_folder(chosen: Path, registered: Path) -> tuple[Path, Registration | None]:
    """The folder that a setting means: a registered name, a path, or an installed model's name.

    Raises ModelUnavailableError where the model of that name changed since it was registered, and
    where a name is a folder's too.
    """
    name = str(chosen)
    record = read_registration(registered, name)
    if record is None:
        return find_installed(chosen), None
    if chosen.is_dir() and chosen.resolve() != record.folder:
        msg = f"Expected one model, got the folder {name!r} and the registered model {name!r}."
        raise ModelUnavailableError(msg, hint="Give the folder's whole path.")
    folder = check_folder(record.folder)
    _, tokenizer = load_tokenizer(folder)
    compare(record, folder, tokenizer.hex)
    return record.folder, record


def find_installed(chosen: Path) -> Path:
    """The folder of the package ``spanproof_model_NAME``; the path itself where it is another's."""
    name = str(chosen)
    if chosen.is_dir() or _NAME.fullmatch(name) is None:
        return chosen
    package = find_spec(f"spanproof_model_{re.sub(r'[.-]', '_', name)}")
    return chosen if package is None or package.origin is None else Path(package.origin).parent


def compare(record: Registration, folder: ModelFolder, tokenizer_sha256: str) -> None:
    """Raise ModelUnavailableError unless the files are those that were registered."""
    for what, expected, got in (
        ("weights", record.weights_sha256, folder.weights_digest.hex),
        ("a config", record.config_sha256, folder.config_digest.hex),
        ("a tokenizer", record.tokenizer_sha256, tokenizer_sha256),
        ("labels", ", ".join(record.labels), ", ".join(folder.labels.meanings)),
    ):
        if expected != got:
            msg = f"Expected {what} of {record.name!r} as registered ({expected}), got {got}."
            raise ModelUnavailableError(msg, hint=_AGAIN)


def check_loaded(record: Registration, identity: ModelIdentity) -> None:
    """Raise ModelUnavailableError unless the loaded model equals the registered one.

    The files might have been exchanged between the check of the folder and its loading.
    """
    got = None if identity.weights_digest is None else identity.weights_digest.hex
    if got != record.weights_sha256:
        msg = f"Expected weights of {record.name!r} ({record.weights_sha256}), got {got}."
        raise ModelUnavailableError(msg, hint=_AGAIN)
