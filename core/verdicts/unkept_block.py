"""A block that nothing keeps: a result for each claim, as text and as HTML."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.claim_results import (
    NOTHING_KEPT,
    list_claims,
    write_html,
    write_text,
)
from spanproof.core.verdicts.verification_block import VerificationBlock

if TYPE_CHECKING:
    from spanproof.core.verdicts.claim_results import ClaimResult


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UnkeptBlock(VerificationBlock):
    """The block of a verification in the caller's own process."""

    @classmethod
    def of(cls, block: VerificationBlock) -> Self:
        """The same block, for the caller to read."""
        return cls(**{each.name: getattr(block, each.name) for each in fields(block)})

    @property
    def claims(self) -> tuple[ClaimResult, ...]:
        """The claims with citations and the statements without, in the order of the answer."""
        return list_claims(self.to_json(), self.answer.prose)

    def to_json(self) -> dict[str, Any]:
        """The block as HTTP gives it under ``verification``, and that nothing keeps it."""
        return {**block_to_json(self), "kept": False}

    def __repr__(self) -> str:
        return write_text(self.to_json(), self.claims, NOTHING_KEPT)

    def _repr_html_(self) -> str:
        return write_html(self.to_json(), self.claims, NOTHING_KEPT)
