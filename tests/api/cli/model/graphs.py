"""The graph of a tiny model in a home, so that no command has to load torch to make it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from spanproof.verifier.entailment.loading import open_model
from spanproof.verifier.entailment.models.folder import check_folder

if TYPE_CHECKING:
    from pathlib import Path


def keep_graph(folder: Path, home: Path) -> None:
    """Keep the graph of the model in this folder, as the home's first reading would."""
    # Torch, which made the model, is loaded here already; a command would load it for this alone.
    with closing(open_model(check_folder(folder), cache=home / "models")):
        pass
