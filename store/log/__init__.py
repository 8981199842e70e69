"""The transparency log: leaves that cannot be changed unseen, and the heads that are signed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanproof.store.log.transparency import TransparencyLog

__all__ = ["TransparencyLog"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute
    # The class is public here, and the store's tables import this package first.
    if name == "TransparencyLog":
        from spanproof.store.log.transparency import TransparencyLog

        return TransparencyLog
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
