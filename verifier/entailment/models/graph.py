"""A graph that ONNX Runtime can load, its large tensors kept apart from its structure.

The structure of a model is some 100 KB, its numbers 90 MB in float32. Kept apart, the numbers of
the embedded model are read from its own half-precision weights, so that nothing is stored twice,
and ONNX Runtime computes with the arrays it is handed instead of copies of a file's bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from spanproof.core.digest import Digest

# Numbers of fields in ONNX's protocol buffers.
_GRAPH, _INITIALIZER = 7, 5
_NAME, _RAW_DATA, _EXTERNAL_DATA, _DATA_LOCATION = 8, 9, 13, 14
_LENGTH_DELIMITED = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Graph:
    """A graph in float32 and what identifies it.

    ``digest`` is of the graph as one file, whichever way its numbers came; ``tensors`` are those
    that ``structure`` names and does not hold.
    """

    structure: bytes
    digest: Digest
    form: str
    tensors: Mapping[str, NDArray[np.float32]] = field(default_factory=lambda: MappingProxyType({}))

    def to_file(self) -> bytes:
        """The whole graph as the bytes of one ONNX file."""
        return (
            b"".join(write_whole(self.structure, self.tensors)) if self.tensors else self.structure
        )


def write_whole(
    structure: bytes, tensors: Mapping[str, NDArray[np.float32]]
) -> Iterator[bytes | memoryview]:
    """The pieces of the file that holds structure and tensors.

    Raises ValueError or LookupError where the structure is no ONNX model or names other tensors.
    """
    for number, whole, content in _split(structure):
        if number != _GRAPH:
            yield whole
            continue
        pieces = list(_fill_graph(content, tensors))
        yield _begin(_GRAPH, sum(len(piece) for piece in pieces))
        yield from pieces


def _fill_graph(
    graph: bytes, tensors: Mapping[str, NDArray[np.float32]]
) -> Iterator[bytes | memoryview]:
    for number, whole, content in _split(graph):
        fields = list(_split(content)) if number == _INITIALIZER else []
        if not any(one == _EXTERNAL_DATA for one, _, _ in fields):
            yield whole
            continue
        (name,) = (value.decode() for one, _, value in fields if one == _NAME)
        data = tensors[name].data.cast("B")
        kept = b"".join(
            written for one, written, _ in fields if one not in {_EXTERNAL_DATA, _DATA_LOCATION}
        )
        head = kept + _begin(_RAW_DATA, len(data))
        yield _begin(_INITIALIZER, len(head) + len(data)) + head
        yield data


def _split(message: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Each field of a message: its number, its bytes, and what a length-delimited one holds."""
    place = 0
    while place < len(message):
        start = place
        tag, place = _read_number(message, place)
        content = b""
        match tag & 7:
            case 0:
                _, place = _read_number(message, place)
            case 2:
                length, place = _read_number(message, place)
                content, place = message[place : place + length], place + length
            case 1 | 5 as kind:
                place += 8 if kind == 1 else 4
            case kind:
                msg = f"Expected a field of a protocol buffer, got one of kind {kind}."
                raise ValueError(msg)
        if place > len(message):
            msg = f"Expected {place - start} bytes of a field, got {len(message) - start}."
            raise ValueError(msg)
        yield tag >> 3, message[start:place], content


def _read_number(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 127) << shift
        place += 1
        if byte < 128:
            return value, place
        shift += 7


def _begin(number: int, length: int) -> bytes:
    """The bytes before the content of a length-delimited field."""
    return _write_number(number << 3 | _LENGTH_DELIMITED) + _write_number(length)


def _write_number(value: int) -> bytes:
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    written.append(value)
    return bytes(written)
