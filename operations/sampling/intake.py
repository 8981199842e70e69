"""Take a submitted answer into the sampler, and answer its caller."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError, MalformedAnswerError, SpanproofError
from spanproof.monitor.sampling import MAX_THRESHOLD
from spanproof.operations.sampling.submission import Submission, read_submission
from spanproof.operations.verification.answer_array import split_array

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.store.samples.records import SubmittedAnswer

#: Answers of one request: as many as one transaction takes.
MAX_ANSWERS = 256
#: Of the ids of answers of an array that was sent with a key.
_NAMES = uuid.UUID("5b1f1c3e-6a0e-4c55-9f0b-0c3f2a7d9e41")
_UNDECIDED = dict.fromkeys(("answer_id", "sampled", "probability", "stratum", "epoch"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionReport:
    """The decision about an answer that is kept."""

    answer: SubmittedAnswer

    def to_json(self) -> dict[str, Any]:
        """The answer's id, whether it will be verified, with which probability it was to be.

        ``sampled`` is None where the answer is not drawn yet.
        """
        return {
            "answer_id": self.answer.answer_id,
            "sampled": self.answer.is_sampled if self.answer.is_drawn else None,
            "probability": (MAX_THRESHOLD - self.answer.threshold) / MAX_THRESHOLD,
            "stratum": self.answer.stratum,
            "epoch": self.answer.epoch,
        }


def read_submissions(
    context: Context,
    raw: bytes,
    *,
    format: str,  # noqa: A002 - the contract's word
    policy: str | None,
    name: str | None = None,
) -> list[Submission | SpanproofError]:
    """The answers of an array, or the fault of each: one never stops the others.

    Of one ``name`` answers without an id get the same ids again. Raises MalformedAnswerError where
    the body is no array, or has too many.
    """
    parts = split_array(raw)
    if parts is None or len(parts) > MAX_ANSWERS:
        got = "another body" if parts is None else f"{len(parts)} answers"
        msg = f"Expected a JSON array of at most {MAX_ANSWERS} answers, got {got}."
        raise MalformedAnswerError(msg, hint="Send a single answer to POST /v1/answers.")
    found: list[Submission | SpanproofError] = []
    for index, part in enumerate(parts):
        try:
            found.append(
                read_submission(
                    part,
                    format=format,
                    policy=policy,
                    default_policy=context.settings.policy,
                    answer_id=None if name is None else str(uuid.uuid5(_NAMES, f"{name}/{index}")),
                )
            )
        except InputError as error:
            found.append(error)
    return found


def describe_row(found: SubmittedAnswer | BaseException) -> dict[str, Any]:
    """A row of the report on an array: the decision, or the problem beside nulls.

    Raises every error of another kind.
    """
    if isinstance(found, SpanproofError):
        problem = {"code": found.code, "detail": found.message, "hint": found.hint}
        return {**_UNDECIDED, "problem": problem}
    if isinstance(found, BaseException):
        raise found
    return {**SubmissionReport(answer=found).to_json(), "problem": None}
