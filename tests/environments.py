"""Environments for tests of the wheel: it, and chosen packages of the one in which tests run.

Nothing is downloaded: what the wheel says it needs is followed through the metadata, and linked.
"""

from __future__ import annotations

import email
import subprocess
import sys
import venv
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment that holds the wheel, and the names of all packages in it."""

    folder: Path
    packages: frozenset[str]

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def site(self) -> Path:
        """Where its packages stand."""
        (found,) = self.folder.glob("lib/python*/site-packages")
        return found


def build_wheel(folder: Path) -> Path:
    """The wheel of this checkout."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def make_environment(folder: Path, wheel: Path, requirements: Sequence[str]) -> Environment:
    """An environment with the wheel and these requirements; ``spanproof[…]`` is the wheel's own."""
    venv.create(folder, symlinks=True)
    declared = _read_requirements(wheel)
    packages: set[str] = set()
    for each in requirements:
        _close(Requirement(each), declared, packages)
    made = Environment(folder, frozenset(packages))
    for name in packages - {"spanproof"}:
        _link(metadata.distribution(name), made.site)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(made.site)
    return made


def _read_requirements(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [each for each in archive.namelist() if each.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])


def _close(wanted: Requirement, declared: Iterable[str], found: set[str]) -> None:
    name = canonicalize_name(wanted.name)
    if name in found and not wanted.extras:
        return
    found.add(name)
    lines = declared if name == "spanproof" else metadata.requires(wanted.name) or ()
    for needed in map(Requirement, lines):
        choices = [{"extra": extra} for extra in ("", *wanted.extras)]
        if needed.marker is None or any(map(needed.marker.evaluate, choices)):
            _close(needed, declared, found)


def _link(distribution: metadata.Distribution, site: Path) -> None:
    tops = {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}
    for top in tops - {"__pycache__"}:
        place = Path(str(distribution.locate_file(top)))
        if place.exists() and not (site / top).exists():
            (site / top).symlink_to(place)
