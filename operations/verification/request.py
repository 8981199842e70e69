"""What a caller of a verification may choose (its deadline too), and what a job adds."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from spanproof.receipt.statement.predicate import NOBODY, Actor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairRequest:
    """Add citations: to an answer that cites nothing, or with ``sentences`` to any sentence.

    With ``refuted`` a sentence that no source supports gets the nearest span, so that it is judged.
    """

    sentences: bool = False
    max_repairs: int = 5
    refuted: bool = False


#: Every sentence of an answer without citations is judged.
EVERY_SENTENCE = RepairRequest(max_repairs=1000, refuted=True)


def choose_repair(*, repair: bool, sentences: bool, attribute: bool) -> RepairRequest | None:
    """What the three switches of a door ask for; ``attribute`` wins, for it looks at more."""
    if attribute:
        return EVERY_SENTENCE
    return RepairRequest(sentences=sentences) if repair or sentences else None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationRequest:
    """How one answer is to be verified; the defaults are those of a plain request.

    ``format`` is one name of the contract, or several joined by commas; ``policy`` wins over the
    answer's own, and that over the setting's. ``repair`` asks for citations of sentences that have
    none; they are added to the block only. ``verification_id`` and ``answer_id`` are made if they
    are not given; ``sampled`` is how the answer was drawn (spanproof.receipt.statement.predicate);
    ``actor`` is who asked: the intake and the receipt name it. ``deadline`` limits the model's
    work. ``on_checkpoint`` is called every some ten milliseconds of the judgement: it may wait, or
    raise to end the work.
    """

    format: str = "native"
    policy: str | None = None
    repair: RepairRequest | None = None
    verification_id: str | None = None
    answer_id: str | None = None
    sampled: Mapping[str, str] | None = None
    actor: Actor = NOBODY
    deadline: Deadline = NO_DEADLINE
    on_checkpoint: Callable[[], None] | None = None


PLAIN_REQUEST = VerificationRequest()
