"""Raw window logits, computed once by the real runtime and cached in an .npz file, pair by pair.

Calibration, thresholds and figures are then made in seconds from the file. It is written as the
reading goes on, so that a reading that was cut short goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import sys
import time
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.span import Span
from spanproof.verifier.entailment.loading import load_model
from spanproof.verifier.entailment.logits import Reading
from spanproof.verifier.entailment.models.folder import check_folder
from spanproof.verifier.entailment.runtimes import CANONICAL

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: Pairs handed to the model at once, and after how many the file is written anew.
_CHUNK, _SAVE_EVERY = 128, 1024
_DERIVED = "derived"


class CachedReadings:
    """The readings of one model folder by one runtime; those of any other are not used."""

    def __init__(self, folder: Path, path: Path) -> None:
        """Open the model of ``folder`` and what ``path`` (an .npz file, or none yet) keeps.

        The canonical run reads, whatever else there is: shipped figures are of that one. What is
        derived from the weights is stored next to ``path``.
        """
        self.folder = check_folder(folder)
        self.model = load_model(
            folder, runtime=CANONICAL, device="cpu", cache=path.parent / _DERIVED
        )
        self._path = path
        self._key = f"{self.folder.weights_digest.hex} {self.model.identity.runtime}"
        self._known = _load(path, self._key)

    @property
    def runtime(self) -> str:
        """What read them."""
        return self.model.identity.runtime

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """One reading a pair, in order; the model computes only those that are not cached."""
        digests = [_digest(premise, claim) for premise, claim in pairs]
        missing = {
            digest: pair
            for digest, pair in zip(digests, pairs, strict=True)
            if digest not in self._known
        }
        if missing:
            self._read_missing(missing)
        return [self._known[digest] for digest in digests]

    def _read_missing(self, missing: dict[str, tuple[str, str]]) -> None:
        names = list(missing)
        started = time.monotonic()
        for start in range(0, len(names), _CHUNK):
            chunk = names[start : start + _CHUNK]
            readings = self.model.read_windows([missing[name] for name in chunk])
            self._known.update(zip(chunk, readings, strict=True))
            seconds = time.monotonic() - started
            done = start + len(chunk)
            print(f"\r{done}/{len(names)} pairs, {seconds:.0f} s", end="", file=sys.stderr)
            if done % _SAVE_EVERY == 0:
                self._save()
        print(file=sys.stderr)
        self._save()

    def _save(self) -> None:
        readings = list(self._known.values())
        width = max((len(row) for reading in readings for row in reading.logits), default=0)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # Under another name until it is whole: a reading that is killed loses little.
        partial = self._path.with_name(self._path.stem + ".partial.npz")
        np.savez_compressed(
            partial,
            key=np.array(self._key),
            digests=np.array(list(self._known)),
            reasons=np.array([reading.reason or "" for reading in readings]),
            windows=np.array([len(reading.logits) for reading in readings]),
            logits=np.array([row for r in readings for row in r.logits]).reshape(-1, max(width, 1)),
            spans=np.array([(s.start, s.end) for r in readings for s in r.spans]).reshape(-1, 2),
            coverage=np.array([reading.coverage for reading in readings]),
            tolerance=np.array([reading.tolerance for reading in readings]),
        )
        partial.replace(self._path)


def _digest(premise: str, claim: str) -> str:
    # The length keeps a premise's end from passing for the claim's beginning.
    content = f"{len(premise)} {premise} {claim}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()


def _load(path: Path, key: str) -> dict[str, Reading]:
    if not path.is_file():
        return {}
    try:
        # Opened here: numpy leaves a broken file open.
        with path.open("rb") as stream, np.load(stream) as file:
            kept: dict[str, Any] = {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        # Damaged or missing: only the time to read again is lost.
        return {}
    if "digests" not in kept or str(kept["key"]) != key:
        return {}
    ends = np.cumsum(kept["windows"])
    logits, spans = kept["logits"].tolist(), kept["spans"].tolist()
    columns = (kept[name] for name in ("digests", "reasons", "windows", "coverage", "tolerance"))
    return {
        str(digest): Reading(
            reason=str(reason) or None,
            logits=tuple(tuple(row) for row in logits[end - count : end]),
            spans=tuple(Span(int(first), int(last)) for first, last in spans[end - count : end]),
            coverage=float(coverage),
            tolerance=float(tolerance),
        )
        for (digest, reason, count, coverage, tolerance), end in zip(
            zip(*columns, strict=True), ends, strict=True
        )
    }
