"""A file that a caller names, read no further than its reader looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.operations.errors import UnreadableFileError

if TYPE_CHECKING:
    from pathlib import Path


def read_small_file(path: Path, what: str, *, most_bytes: int, hint: str) -> bytes:
    """Its bytes, and one more than ``most_bytes`` of a longer file: its parser refuses that.

    Raises UnreadableFileError, which says ``what`` was expected.
    """
    try:
        with path.open("rb") as stream:
            return stream.read(most_bytes + 1)
    except OSError as error:
        msg = f"Expected {what} at {str(path)!r}, got {error.strerror or error!r}."
        raise UnreadableFileError(msg, hint=hint) from error
