"""The tensors of safetensors files in float32, read without a library.

Half precision is widened. Eight-bit integers are multiplied by the tensor ``NAME.scale``, one
number a row: one product in float32, so every machine gets the same bits.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

#: Which numbers of safetensors are read, and how numpy calls them.
_DTYPES = {"F16": "<f2", "F32": "<f4", "I8": "i1"}
_SCALED = "I8"
#: What is added to a tensor's name for that of its scales.
SCALE = ".scale"
#: A header is some kilobytes; what claims more is no safetensors file.
_MAX_HEADER = 16 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a tensor lies: its file, first byte, size, type and shape."""

    path: Path
    start: int
    size: int
    dtype: str
    shape: tuple[int, ...]

    def load(self) -> NDArray[Any]:
        """The numbers as they are stored."""
        with self.path.open("rb") as stream:
            stream.seek(self.start)
            content = stream.read(self.size)
        return np.frombuffer(content, dtype=_DTYPES[self.dtype]).reshape(self.shape)


def list_tensors(files: Sequence[Path]) -> list[str]:
    """The names of the tensors that the files hold; scales are a part of theirs."""
    places = _find_places(files)
    scales = {f"{name}{SCALE}" for name, place in places.items() if place.dtype == _SCALED}
    return [name for name in places if name not in scales]


def read_tensors(
    files: Sequence[Path], initializers: Mapping[str, Mapping[str, Any]]
) -> dict[str, NDArray[np.float32]]:
    """For each initialiser the tensor that it is, in float32, its axes turned where so recorded.

    Raises OSError, ValueError, LookupError or TypeError where the files hold no such tensors.
    """
    places = _find_places(files)
    sizes = [math.prod(places[one["tensor"]].shape) for one in initializers.values()]
    # One block goes back to the system as a whole; of a hundred arrays most would stay.
    room = np.split(np.empty(sum(sizes), dtype="<f4"), np.cumsum(sizes)[:-1])
    found = {}
    for (name, source), into in zip(initializers.items(), room, strict=True):
        place = places[source["tensor"]]
        stored = place.load()
        turned = stored.T if source["transposed"] else stored
        tensor = into.reshape(turned.shape)
        tensor[...] = turned
        if place.dtype == _SCALED:
            scale = places[source["tensor"] + SCALE].load()
            tensor *= scale if source["transposed"] else scale[:, np.newaxis]
        found[name] = tensor
    return found


def _find_places(files: Sequence[Path]) -> dict[str, _Place]:
    places = {}
    for path in files:
        with path.open("rb") as stream:
            header = _read_header(stream)
            begin = stream.tell()
        for name, entry in header.items():
            if name != "__metadata__":
                first, last = entry["data_offsets"]
                places[name] = _Place(
                    path=path,
                    start=begin + first,
                    size=last - first,
                    dtype=entry["dtype"],
                    shape=tuple(entry["shape"]),
                )
    return places


def _read_header(stream: BinaryIO) -> dict[str, Any]:
    """The names, types and places of a safetensors file's tensors, which follow at once."""
    size = int.from_bytes(stream.read(8), "little")
    if size > _MAX_HEADER:
        msg = f"Expected a header of at most {_MAX_HEADER} bytes, got {size}."
        raise ValueError(msg)
    return dict(json.loads(stream.read(size)))
