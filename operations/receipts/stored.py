"""Receipts that are kept: shown as they were answered."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest

if TYPE_CHECKING:
    from spanproof.operations.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptFile:
    """A receipt's bytes and the name that other tools know such files by."""

    verification_id: str
    content: bytes

    @property
    def filename(self) -> str:
        """``….sigstore.json``."""
        return f"{self.verification_id}.sigstore.json"

    @property
    def digest(self) -> Digest:
        """SHA-256 of the bytes."""
        return Digest.of(self.content)


def show_receipt(context: Context, verification_id: str) -> ReceiptFile:
    """The receipt as it was answered.

    Raises VerificationNotFoundError where there is no such verification, ReceiptNotFoundError
    where it was made before there were receipts.
    """
    found = context.store.receipts.find(verification_id)
    if found is None:
        # Which of the two is not there.
        context.store.answers.load(verification_id)
        found = context.store.receipts.load(verification_id)
    return ReceiptFile(verification_id=verification_id, content=found.bundle)


def find_receipt(context: Context, verification_id: str) -> dict[str, Any] | None:
    """The receipt as a response shows it; None for a verification without one."""
    found = context.store.receipts.find(verification_id)
    if found is None:
        return None
    bundle: dict[str, Any] = json.loads(found.bundle)
    return bundle
