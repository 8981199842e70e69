"""What an operator says of a source: withdrawn, amended, in force from and until, its labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.digest import Digest


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """The whole state after a change; None where nothing was said.

    A document is withdrawn from ``withdrawn_from`` on, and ``amended_by`` another one from
    ``amended_from`` on. It is in force from ``valid_from`` (inclusive) until ``valid_until``
    (exclusive).
    """

    withdrawn_from: datetime | None = None
    amended_from: datetime | None = None
    amended_by: Digest | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    licence: str | None = None
    confidentiality: str | None = None

    def is_withdrawn(self, at: datetime) -> bool:
        """Whether the document is withdrawn at a moment."""
        return self.withdrawn_from is not None and self.withdrawn_from <= at

    def is_amended(self, at: datetime) -> bool:
        """Whether another document has amended it by a moment."""
        return self.amended_from is not None and self.amended_from <= at

    def is_in_force(self, at: datetime) -> bool:
        """Whether a moment lies within its dates."""
        is_begun = self.valid_from is None or self.valid_from <= at
        return is_begun and (self.valid_until is None or at < self.valid_until)
