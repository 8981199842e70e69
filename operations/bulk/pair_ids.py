"""Whether a pair_id appears twice in any number of rows, in memory for a 64th of them."""

from __future__ import annotations

import hashlib
import tempfile
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from numpy.typing import NDArray

_PARTS = 64
_PART_BUFFER = 1 << 16


class PairIds:
    """Ids as they pass, each as 16 bytes, dealt out to nameless files by their first bits."""

    def __init__(self, folder: Path) -> None:
        self._opened = ExitStack()
        self._parts = [
            self._opened.enter_context(
                tempfile.TemporaryFile(dir=folder, buffering=_PART_BUFFER)  # noqa: SIM115 - closed below
            )
            for _ in range(_PARTS)
        ]

    @staticmethod
    def to_keys(column: Any) -> NDArray[np.uint64]:  # noqa: ANN401 - an untyped library
        """Two numbers an id: itself where it is a whole number, else a digest of its bytes."""
        import pyarrow as pa

        if pa.types.is_integer(column.type):
            values = column.to_numpy(zero_copy_only=False).astype(np.int64).view(np.uint64)
            return np.stack([values, np.zeros_like(values)], axis=1)
        digests = b"".join(
            hashlib.blake2b(each.encode("utf-8"), digest_size=16).digest()
            for each in column.to_pylist()
        )
        return np.frombuffer(digests, dtype=np.uint64).reshape(-1, 2)

    def add(self, column: Any) -> None:  # noqa: ANN401 - an untyped library
        """Take the ids of a column without nulls."""
        keys = self.to_keys(column)
        numbers = (keys[:, 0] % np.uint64(_PARTS)).astype(np.int64)
        order = np.argsort(numbers, kind="stable")
        edges = np.searchsorted(numbers[order], np.arange(_PARTS + 1))
        for number, part in enumerate(self._parts):
            if edges[number] < edges[number + 1]:
                part.write(keys[order[edges[number] : edges[number + 1]]].tobytes())

    def find_duplicate(self) -> tuple[int, int] | None:
        """The key of an id that was added twice, or None."""
        for part in self._parts:
            part.seek(0)
            keys = np.frombuffer(part.read(), dtype=np.uint64).reshape(-1, 2)
            ordered = keys[np.lexsort((keys[:, 1], keys[:, 0]))]
            twice = np.flatnonzero((ordered[1:] == ordered[:-1]).all(axis=1))
            if len(twice):
                high, low = ordered[twice[0]].tolist()
                return high, low
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._opened.close()
