"""Citations that are attached to an answer before it is judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.core.citation import Answer
    from spanproof.core.documents.document import Library
    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verification_block import RepairReport
    from spanproof.operations.verification.request import RepairRequest


def repair_answer(
    answer: Answer,
    library: Library,
    model: EntailmentModel,
    policy: Policy,
    choice: RepairRequest | None,
) -> tuple[Answer, RepairReport | None]:
    """Attach citations by the request's choice; the answer and a report. No choice: no change.

    The same answer, library, model and policy give the same citations: so a replay finds them.
    """
    if choice is None:
        return answer, None
    from spanproof.verifier.answers.repair import repair

    done = repair(
        answer,
        library,
        model,
        policy,
        max_repairs=choice.max_repairs,
        sentences=choice.sentences,
        refuted=choice.refuted,
    )
    return done.answer, done.report
