"""A graph that a model folder brings along, so that nothing need be exported.

``graph.onnx`` is the structure alone, ``graph.json`` the record: which weights and config it is of,
the SHA-256 of the whole graph in float32, and which tensor of the weights each initialiser is.
``python -m spanproof.verifier.entailment.export FOLDER`` makes both. At every load the graph is put
together from the weights and digested: other weights or another structure give another digest.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.models.folder import find_weights
from spanproof.verifier.entailment.models.graph import Graph, write_whole
from spanproof.verifier.entailment.models.weights import read_tensors

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from spanproof.verifier.entailment.models.folder import ModelFolder

STRUCTURE, RECORD = "graph.onnx", "graph.json"


def find_shipped(folder: ModelFolder, *, recipe: Mapping[str, str | int]) -> Graph | None:
    """The folder's own graph of this recipe; None without one, or for other weights.

    Raises ModelUnavailableError for a graph that is not the one that its record names.
    """
    try:
        record = json.loads((folder.path / RECORD).read_bytes())
        if {name: record.get(name) for name in recipe} != dict(recipe):
            return None
        structure = (folder.path / STRUCTURE).read_bytes()
        tensors = read_tensors(find_weights(folder.path), record["initializers"])
        digest = digest_whole(structure, tensors)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        msg = f"Expected a graph of {folder.path.name!r}, got {type(error).__name__}: {error!s}."
        raise ModelUnavailableError(msg, hint="Install the model again, whole.") from error
    if digest.hex != record["sha256"]:
        msg = f"Expected a graph with SHA-256 {record['sha256']!r}, got {digest.hex!r}."
        raise ModelUnavailableError(msg, hint="Install the model again, whole.")
    return Graph(structure=structure, tensors=tensors, digest=digest, form=str(record["form"]))


def digest_whole(structure: bytes, tensors: Mapping[str, NDArray[np.float32]]) -> Digest:
    """The SHA-256 of the graph as one file, which is never made for it."""
    found = hashlib.sha256()
    for piece in write_whole(structure, tensors):
        found.update(piece)
    return Digest(found.hexdigest())
