"""Verify an answer once, under an id that every worker makes alike, even if one dies.

A killed worker leaves nothing, an intake, or a result: the result's leaf and the rows of its answer
come in one transaction. A result without a receipt is finished, never judged again.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from spanproof.core.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context

#: How often an answer may start again before a person must look.
MAX_ATTEMPTS = 10
#: Another worker may verify the same answer: the second worker looks again.
_LOOKS = 3


def verify_once(
    context: Context, name_attempt: Callable[[int], str], verify: Callable[[str], object]
) -> str:
    """The id of the verification, which has its receipt when this returns.

    ``name_attempt`` gives the id of an attempt, ``verify`` makes the verification of that id.
    Raises VerificationErasedError where it was made and erased since.
    """
    for attempt in range(MAX_ATTEMPTS):
        verification_id = name_attempt(attempt)
        for _ in range(_LOOKS):
            if is_finished(context, verification_id):
                return verification_id
            if context.store.answers.has(verification_id):
                # No leaf of this log has it: it is of an older version, or of a log that is closed.
                context.store.answers.load(verification_id)
                break
            # Where another worker is at it, or was: look again.
            with suppress(ConflictError):
                verify(verification_id)
                # The intakes of earlier attempts are closed too.
                if is_finished(context, verification_id):
                    return verification_id
    msg = f"Expected an answer that can be verified, got {MAX_ATTEMPTS} attempts that conflict."
    raise ConflictError(msg, hint="Run 'spanproof audit fsck', and see the log.")


def is_finished(context: Context, verification_id: str) -> bool:
    """Whether the verification has its receipt; a result that was logged gets it now."""
    is_logged = context.intakes.finish(verification_id)
    return is_logged or context.store.receipts.find(verification_id) is not None
