"""Where an object store is, and how much of it may lie on this disk."""

from __future__ import annotations

from dataclasses import dataclass

#: A small machine's disk has room for it, and some thousand documents have room in it.
CACHE_BYTES = 2 * 1024**3
SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPlace:
    """An address as fsspec writes it, without credentials, which are the environment's matter.

    ``seconds`` is how long one answer may take. Copies on this disk take ``cache_bytes`` at most,
    and the files used within the last minute.
    """

    url: str
    cache_bytes: int = CACHE_BYTES
    seconds: float = SECONDS
