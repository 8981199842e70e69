"""What a caller of a verification may choose, and what a job adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.operations.verification.deadline import NO_DEADLINE, Deadline
from spanproof.receipt.statement.predicate import NOBODY, Actor

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairRequest:
    """Add citations: to an answer that cites nothing, or with ``sentences`` to any sentence."""

    sentences: bool = False
    max_repairs: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationRequest:
    """How one answer is to be verified; the defaults are those of a plain request.

    ``format`` is one name of the contract, or several joined by commas; ``policy`` wins over the
    answer's own, and that over the setting's. ``repair`` asks for citations of sentences that have
    none; they are added to the block only. ``verification_id`` and ``answer_id`` are made if they
    are not given; ``sampled`` is how the answer was drawn (spanproof.receipt.statement.predicate);
    ``verified_at`` (now) is the moment of a judgement that is made again; ``actor`` is who asked:
    the intake and the receipt name it. ``deadline`` limits the model's work.
    """

    format: str = "native"
    policy: str | None = None
    repair: RepairRequest | None = None
    verification_id: str | None = None
    answer_id: str | None = None
    sampled: Mapping[str, str] | None = None
    verified_at: datetime | None = None
    actor: Actor = NOBODY
    deadline: Deadline = NO_DEADLINE


PLAIN_REQUEST = VerificationRequest()
