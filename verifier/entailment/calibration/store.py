"""Named calibrations in a folder: ``<weights SHA-256>/<name>.json``, written once."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import (
    CalibrationNotFoundError,
    ConflictError,
    InputError,
    ModelUnavailableError,
)
from spanproof.verifier.entailment.calibration.calibration import Calibration
from spanproof.verifier.entailment.calibration.record import is_calibration_name

if TYPE_CHECKING:
    from spanproof.core.digest import Digest


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCalibration:
    """Which calibration is asked for in place of the model's own, and the folder to look in."""

    folder: Path
    name: str

    def choose(self, own: Calibration, weights: Digest) -> Calibration:
        """The named one; where it was made for other weights, ``own`` with the named one's record.

        The block then says ``stale``. Raises CalibrationNotFoundError where nothing bears the name.
        """
        check_name(self.name)
        found = self.folder / weights.hex / f"{self.name}.json"
        if found.is_file():
            return read_calibration(found).for_weights(weights)
        for other in sorted(self.folder.glob(f"*/{self.name}.json")):
            return replace(own, record=read_calibration(other).record)
        msg = f"Expected a calibration named {self.name!r}, got none in {str(self.folder)!r}."
        raise CalibrationNotFoundError(
            msg, hint="Make it with 'spanproof model calibrate', or unset SPANPROOF_CALIBRATION."
        )


def read_calibration(path: Path) -> Calibration:
    """The calibration of one file; raise ModelUnavailableError for another file."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"Expected a JSON object in {str(path)!r}, got {error!s}."
        raise ModelUnavailableError(msg, hint="Calibrate the model again.") from error
    return Calibration.from_json(raw)


def check_name(name: str) -> None:
    """Raise InputError for a name that cannot be a file's, or that means no calibration."""
    if not is_calibration_name(name) or name == "none":
        msg = f"Expected a name of lower-case letters, digits, '.', '_' and '-', got {name!r}."
        raise InputError(msg, hint="Give a name such as 'contracts-2026'.")


def place_of(folder: Path, weights: Digest, name: str) -> Path:
    """Where a calibration of that name would stand; raise ConflictError where one stands."""
    check_name(name)
    path = folder / weights.hex / f"{name}.json"
    if path.exists():
        msg = f"Expected a new name for this model's calibration, got {name!r}, which is taken."
        raise ConflictError(msg, hint="Give another --name: a calibration is never changed.")
    return path


def write_calibration(path: Path, content: dict[str, Any], *, replacing: bool = False) -> None:
    """Write the file whole or not at all; unless ``replacing``, never over another's."""
    # What cannot be read back must not be written.
    Calibration.from_json(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".partial")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(content, out, indent=1, ensure_ascii=False)
            out.write("\n")
            out.flush()
            os.fsync(out.fileno())
        if replacing:
            Path(partial).replace(path)
        else:
            os.link(partial, path)
    except FileExistsError as error:
        msg = f"Expected a new name for this model's calibration, got {path.stem!r}, now taken."
        raise ConflictError(msg, hint="Give another --name.") from error
    finally:
        Path(partial).unlink(missing_ok=True)
