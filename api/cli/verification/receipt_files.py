"""Receipts as files: one that is named, or one for each answer in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.receipts.stored import ReceiptFile

#: Anyone may read a receipt that whoever holds it gives away; other users of the host may not.
_MODE = 0o600


@dataclass(frozen=True, slots=True)
class ReceiptTarget:
    """Where receipts go: a file, or a folder in which each has its own name."""

    path: Path
    is_folder: bool

    def write(self, receipt: ReceiptFile) -> None:
        """Put the receipt there, whole or not at all; a file of that name is replaced."""
        from spanproof.receipt.keys.key_files import replace_file

        path = self.path / receipt.filename if self.is_folder else self.path
        try:
            replace_file(path, receipt.content, mode=_MODE)
        except OSError as error:
            hint = f"The receipt of {receipt.verification_id} is kept in the store all the same."
            raise _to_output_error(path, error, hint) from error


def open_receipt_target(path: Path, *, is_folder: bool) -> ReceiptTarget:
    """Check that receipts can be written there; a folder is made where there is none.

    Raises OutputError. A folder that is there takes the receipt of one answer, too.
    """
    hint = "Give --receipt a file in a folder of yours, or for an array of answers a folder."
    is_folder = is_folder or path.is_dir()
    try:
        if is_folder:
            path.mkdir(parents=True, exist_ok=True)
        elif not path.absolute().parent.is_dir() or (path.exists() and not path.is_file()):
            # A device or a pipe would be replaced by the file, not written to.
            msg = f"Expected a file in a folder that is there, got {str(path)!r}."
            raise OutputError(msg, hint=hint)
    except OSError as error:
        raise _to_output_error(path, error, hint) from error
    return ReceiptTarget(path, is_folder)


def _to_output_error(path: Path, error: OSError, hint: str) -> OutputError:
    msg = f"Expected to write {str(path)!r}, got {error.strerror or error!r}."
    return OutputError(msg, hint=hint)
