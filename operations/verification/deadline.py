"""How long a caller waits: for the whole verdict, for what needs no model, or until a deadline."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.verification_block import VerificationBlock
    from spanproof.operations.context import Context

#: ``async`` is a job (spanproof.operations.jobs.queueing), which verifies in full.
Mode = Literal["full", "mechanical", "async"]
#: No caller waits longer for an answer.
MOST_DEADLINE_MS = 600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """The model's share: all pairs, none (``is_mechanical``), or those it reads in time.

    ``until`` is a moment of ``time.monotonic``; what is not read by then has not run.
    """

    is_mechanical: bool = False
    until: float | None = None

    @classmethod
    def of(cls, mode: Mode, deadline_ms: int | None) -> Deadline:
        """From now on."""
        until = None if deadline_ms is None else time.monotonic() + deadline_ms / 1000
        return cls(is_mechanical=mode == "mechanical", until=until)

    def choose_model(self, context: Context) -> EntailmentModel:
        """The model to ask; for a mechanical verdict none is loaded."""
        from spanproof.verifier.entailment.postponed import DeadlineEntailment, UnaskedEntailment

        if self.is_mechanical:
            return UnaskedEntailment()
        if self.until is None:
            return context.model
        # Loading it counts: the caller waits for that too.
        return DeadlineEntailment(context.model, until=self.until, clock=time.monotonic)

    def mark_passed(self, block: VerificationBlock, model: EntailmentModel) -> VerificationBlock:
        """The block, with ``DEADLINE_PASSED`` among its codes where the model was cut off."""
        from spanproof.verifier.entailment.postponed import DEADLINE_PASSED, DeadlineEntailment

        if not (isinstance(model, DeadlineEntailment) and model.has_passed):
            return block
        return replace(block, codes=(*block.codes, DEADLINE_PASSED))


#: Everything, however long it takes.
NO_DEADLINE = Deadline()
