"""The kind ``verification``: one answer, or an array of them, verified one after the other.

Each answer has ids that come from the job's seed, so that a job that runs again finds what it made.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import ExtractionError, InputError, NotFoundError
from spanproof.operations.verification.answer_array import split_array
from spanproof.operations.verification.once import verify_once
from spanproof.operations.verification.request import VerificationRequest, choose_repair
from spanproof.operations.verification.verify import verify_payload
from spanproof.operations.webhooks.endpoints import notify
from spanproof.receipt.statement.issuance import read_actor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanproof.core.errors import SpanproofError
    from spanproof.operations.context import Context
    from spanproof.operations.jobs.kinds import ProgressCall

#: Of the ids of verifications that jobs make.
_NAMESPACE = uuid.UUID("0e6b5b0e-8a0f-5a7e-9d54-53f0a1a7c9d2")


def name_verification(seed: str, index: int, attempt: int = 0) -> str:
    """The id of the verification of an answer of a job; a later attempt has another one."""
    return str(uuid.uuid5(_NAMESPACE, f"{seed}/{index}/{attempt}"))


def run(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Verify each answer of the input once; a malformed one never stops the others."""
    raw = context.jobs.inputs.read(arguments["input"])
    parts = split_array(raw) or [raw]
    done = []
    for index, part in enumerate(parts):
        progress(index, len(parts))
        tell = partial(progress, index, len(parts))
        done.append({"index": index, **verify_item(context, part, arguments, index, tell)})
    progress(len(parts), len(parts))
    return {"verifications": done}


def verify_item(
    context: Context,
    raw: bytes,
    arguments: Mapping[str, Any],
    index: int,
    tell: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """Verify one answer once for the job's ``seed``; return a problem for a malformed answer.

    So is a verification that an earlier run of the job has made, and that was erased since.
    ``tell`` is called between two steps of the judgement, and may end it.
    """
    try:
        verification_id = _verify_once(context, raw, arguments, index, tell)
        stored = context.store.answers.load(verification_id)
    except (InputError, ExtractionError, NotFoundError) as error:
        return {"verification_id": None, "result": None, "problem": _to_problem(error)}
    result = stored.block["result"]
    notify(
        context,
        "verification.completed",
        {
            "verification_id": verification_id,
            "answer_id": stored.answer_id,
            "result": result,
            "citation_level": stored.block["citation_level"],
        },
        event_id=f"verification.completed/{verification_id}",
    )
    return {"verification_id": verification_id, "result": result, "problem": None}


def _verify_once(
    context: Context,
    raw: bytes,
    arguments: Mapping[str, Any],
    index: int,
    tell: Callable[[], None] | None,
) -> str:
    repair = choose_repair(
        repair=bool(arguments.get("repair")),
        sentences=bool(arguments.get("repair_sentences")),
        attribute=bool(arguments.get("attribute")),
    )
    request = VerificationRequest(
        format=arguments.get("format", "native"),
        policy=arguments.get("policy"),
        repair=repair,
        actor=read_actor(arguments.get("actor")),
        on_checkpoint=tell,
    )
    return verify_once(
        context,
        partial(name_verification, arguments["seed"], index),
        lambda name: verify_payload(context, raw, replace(request, verification_id=name)),
    )


def _to_problem(error: SpanproofError) -> dict[str, str]:
    return {"code": error.code, "detail": error.message, "hint": error.hint}
