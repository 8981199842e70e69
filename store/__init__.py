"""What is kept for ever: documents, extractions, answers, verification blocks, blobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.store.blobs.object_place import ObjectPlace
    from spanproof.store.home import Store
    from spanproof.store.sealing.sealed import KeyWrapper

__all__ = ["Store", "open_store"]


def open_store(
    home: Path,
    database_url: str | None = None,
    *,
    objects: ObjectPlace | None = None,
    wrapper: KeyWrapper | None = None,
) -> Store:
    """Open the store in a home folder: made and migrated when it is fresh.

    SQLite inside the home, unless a PostgreSQL address is given; blobs in the home, unless an
    object store is. Without a ``wrapper`` of content keys nothing sealed is read or written.
    """
    from spanproof.store import home as opened

    return opened.open_store(home, database_url, objects=objects, wrapper=wrapper)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute
    # The class is public here, and importing this package must not load SQLAlchemy.
    if name == "Store":
        from spanproof.store.home import Store

        return Store
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
