"""The versions of the installed parts; an unused engine may be missing."""

from __future__ import annotations

from contextlib import suppress
from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def find_versions(names: Iterable[str]) -> dict[str, str]:
    """The version of each named distribution; those that are not installed are left out."""
    found = {}
    for name in names:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found
