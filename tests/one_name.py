"""Guard: our packages are imported as ``spanproof.…`` alone.

The folders stand at the top of the checkout, from which tests run: ``import core`` would work, and
make a second copy of each class, which no ``isinstance`` would know.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

#: The folders of the checkout that ``spanproof`` holds.
BARE_NAMES = frozenset(
    {"api", "client", "core", "ingest", "monitor", "operations", "receipt", "store", "verifier"}
)


class BareNameFinder:
    """Refuses to import a folder of the checkout under its bare name."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Nothing, or ImportError for a bare name."""
        del path, target
        if name.partition(".")[0] in BARE_NAMES:
            msg = f"Expected an import of spanproof.{name}, got {name}."
            raise ImportError(msg)
        return None


def refuse_bare_names() -> None:
    """Refuse them in this process from now on."""
    sys.meta_path.insert(0, BareNameFinder())
