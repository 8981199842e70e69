"""A graph that a model folder brings along, so that nothing need be exported.

``graph.onnx`` is the structure alone, ``graph.json`` the record: which weights and config it is of,
the SHA-256 of the whole graph in float32, and which tensor of the weights each initialiser is.
``python -m spanproof.verifier.entailment.export FOLDER`` makes both. At every load the graph is put
together from the weights and digested: other weights or another structure give another digest.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from spanproof.core.digest import Digest
from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.models.folder import WEIGHTS
from spanproof.verifier.entailment.models.graph import Graph, write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from spanproof.verifier.entailment.models.folder import ModelFolder

STRUCTURE, RECORD = "graph.onnx", "graph.json"
#: Which numbers of safetensors are read, and how numpy calls them.
_DTYPES = {"F16": "<f2", "F32": "<f4"}
#: A header is some kilobytes; what claims more is no safetensors file.
_MAX_HEADER = 16 * 1024**2


def find_shipped(folder: ModelFolder, *, recipe: Mapping[str, str | int]) -> Graph | None:
    """The folder's own graph of this recipe; None without one, or for other weights.

    Raises ModelUnavailableError for a graph that is not the one that its record names.
    """
    try:
        record = json.loads((folder.path / RECORD).read_bytes())
        if {name: record.get(name) for name in recipe} != dict(recipe):
            return None
        structure = (folder.path / STRUCTURE).read_bytes()
        tensors = read_tensors(folder.path / WEIGHTS, record["initializers"])
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


def read_tensors(
    weights: Path, initializers: Mapping[str, Mapping[str, Any]]
) -> dict[str, NDArray[np.float32]]:
    """For each initialiser the tensor that it is, in float32, its axes turned where so recorded.

    Raises OSError, ValueError, LookupError or TypeError where the file holds no such tensors.
    """
    with weights.open("rb") as stream:
        header = _read_header(stream)
        start = stream.tell()
        sizes = [math.prod(header[one["tensor"]]["shape"]) for one in initializers.values()]
        # One block goes back to the system as a whole; of a hundred arrays most would stay.
        room = np.split(np.empty(sum(sizes), dtype="<f4"), np.cumsum(sizes)[:-1])
        return {
            name: _read_tensor(
                stream, start, header[source["tensor"]], into, transposed=source["transposed"]
            )
            for (name, source), into in zip(initializers.items(), room, strict=True)
        }


def list_tensors(weights: Path) -> list[str]:
    """The names of the tensors that the file holds."""
    with weights.open("rb") as stream:
        return [name for name in _read_header(stream) if name != "__metadata__"]


def _read_header(stream: BinaryIO) -> dict[str, Any]:
    """The names, types and places of a safetensors file's tensors, which follow at once."""
    size = int.from_bytes(stream.read(8), "little")
    if size > _MAX_HEADER:
        msg = f"Expected a header of at most {_MAX_HEADER} bytes, got {size}."
        raise ValueError(msg)
    return dict(json.loads(stream.read(size)))


def _read_tensor(
    stream: BinaryIO,
    start: int,
    entry: Mapping[str, Any],
    into: NDArray[np.float32],
    *,
    transposed: bool,
) -> NDArray[np.float32]:
    first, last = entry["data_offsets"]
    stream.seek(start + first)
    values = np.frombuffer(stream.read(last - first), dtype=_DTYPES[entry["dtype"]])
    shaped = values.reshape(entry["shape"])
    turned = shaped.T if transposed else shaped
    tensor = into.reshape(turned.shape)
    tensor[...] = turned
    return tensor
