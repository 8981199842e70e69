"""Files that are derived from a model's weights, kept in a cache folder and never trusted there.

``<cache>/<SHA-256 of the recipe>/`` holds ``model.onnx`` and ``artefact.json`` (the recipe, the
file's digest and length, what made it). The folder appears whole, by one rename; at every use the
bytes that will run are read once and digested. A file that differs from its record is made anew
from the weights. Two processes at once both make one, and the second takes the first's.
"""

from __future__ import annotations

import atexit
import json
import os
import secrets
import shutil
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.errors import ModelUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CONTENT, RECORD = "model.onnx", "artefact.json"
#: Begins the names of folders that are being written or thrown away.
_PART = ".part-"
#: A part so old has lost its writer: an export takes seconds to minutes.
_STALE_SECONDS = 3600.0
#: Recorded to explain why two machines' files differ.
_MAKERS = ("torch", "transformers", "onnx", "onnxruntime")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DerivedFile:
    """The bytes of a derived file and their digest."""

    content: bytes
    digest: Digest


def find_or_make(
    folder: Path | None, *, recipe: Mapping[str, str | int], make: Callable[[], bytes]
) -> DerivedFile:
    """The file of this recipe, made and kept at its first use.

    ``folder`` None keeps it as long as the process. Raises what ``make`` raises, and
    ModelUnavailableError where the folder cannot be written.
    """
    cache_folder = folder if folder is not None else _make_process_folder()
    place = cache_folder / canonical_json.digest(recipe).hex
    kept = _read(place, recipe)
    if kept is not None:
        return kept
    content = make()
    made = DerivedFile(content=content, digest=Digest.of(content))
    try:
        _keep(cache_folder, place, made, recipe)
    except OSError as error:
        msg = f"Expected to keep a derived model in {str(cache_folder)!r}, got {error!s}."
        raise ModelUnavailableError(msg, hint="Make the folder writable, or free space.") from error
    # Where another process was faster: its file, so that both run the same bytes.
    return _read(place, recipe) or made


def _read(place: Path, recipe: Mapping[str, str | int]) -> DerivedFile | None:
    """The file if it is whole and of this recipe; None for anything else."""
    try:
        record = json.loads((place / RECORD).read_bytes())
        if record["recipe"] != dict(recipe):
            return None
        with (place / CONTENT).open("rb") as stream:
            # Its length first: a file of another length is not read into memory.
            if os.fstat(stream.fileno()).st_size != record["bytes"]:
                return None
            content = stream.read()
        digest = Digest.of(content)
        return (
            DerivedFile(content=content, digest=digest) if digest.hex == record["sha256"] else None
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(
    cache_folder: Path, place: Path, made: DerivedFile, recipe: Mapping[str, str | int]
) -> None:
    cache_folder.mkdir(parents=True, exist_ok=True)
    _sweep(cache_folder)
    part = _make_part(cache_folder)
    record = {
        "recipe": dict(recipe),
        "sha256": made.digest.hex,
        "bytes": len(made.content),
        "made_with": {name: _find_version(name) for name in _MAKERS},
    }
    try:
        _write(part / CONTENT, made.content)
        _write(part / RECORD, json.dumps(record, indent=1).encode() + b"\n")
        _synchronise(part)
        try:
            part.rename(place)
        except OSError:
            # Something stands there: another process's, which stays, or a broken one, which goes.
            if _read(place, recipe) is None:
                _discard(cache_folder, place)
                part.rename(place)
        _synchronise(cache_folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _make_part(cache_folder: Path) -> Path:
    """A new folder that the sweep knows; other users could not read one of tempfile's."""
    part = cache_folder / f"{_PART}{secrets.token_hex(8)}"
    part.mkdir()
    return part


def _discard(cache_folder: Path, place: Path) -> None:
    """Out of the way by one rename, then gone; a file or a link goes like a folder."""
    aside = _make_part(cache_folder)
    try:
        place.rename(aside / place.name)
    except FileNotFoundError:
        pass  # another process threw it away
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _sweep(cache_folder: Path) -> None:
    """Remove what processes left that were killed while writing."""
    oldest = time.time() - _STALE_SECONDS
    for part in cache_folder.glob(f"{_PART}*"):
        try:
            if part.stat().st_mtime < oldest:
                shutil.rmtree(part, ignore_errors=True)
        except FileNotFoundError:
            continue  # another process swept it


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _synchronise(folder: Path) -> None:
    """A name in a folder is safe once the folder is."""
    if os.name == "nt":
        return  # Windows opens no folders, and keeps their names itself.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@cache
def _make_process_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="spanproof-models-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _find_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
