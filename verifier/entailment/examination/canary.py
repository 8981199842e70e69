"""Three pairs with undisputed answers: a model that misses one may not judge citations.

They catch swapped labels, a head that was never trained, and weights of another tokenizer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import ModelUnavailableError

if TYPE_CHECKING:
    from spanproof.core.ports import EntailmentModel

#: English by its words of grammar alone: the tables that tell languages apart stay unloaded.
_PREMISE = "A man is playing the guitar on a stage."
ENTAILED = (_PREMISE, "A man is playing a guitar.")
CONTRADICTED = (_PREMISE, "Nobody is playing a guitar.")
NEUTRAL = (_PREMISE, "The guitar was a gift from his father.")


def check_canary(model: EntailmentModel, *, knows_contradiction: bool) -> None:
    """Raise ModelUnavailableError unless the model tells the three pairs apart."""
    judged = model.judge([ENTAILED, CONTRADICTED, NEUTRAL])
    entailment = [-1.0 if one.p_entailment is None else one.p_entailment for one in judged]
    contradiction = [-1.0 if one.p_contradiction is None else one.p_contradiction for one in judged]
    passes = entailment[0] > 0.5 and max(entailment[1:]) < 0.5
    if knows_contradiction:
        passes = passes and contradiction[1] > max(contradiction[0], contradiction[2])
    if not passes:
        msg = (
            "Expected an entailed, a contradicted and a neutral pair told apart,"
            f" got p_entailment {[round(p, 3) for p in entailment]}"
            f" and p_contradiction {[round(p, 3) for p in contradiction]}."
        )
        hint = "Use a model trained for entailment, with its labels in the right order."
        raise ModelUnavailableError(msg, hint=hint)
