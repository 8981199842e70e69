"""One effect for a request that is sent more than once under one ``Idempotency-Key``.

The first request claims the key with a row. A request that comes while the first one works is
refused; a later one gets what the first one made, read again from the store. A request that failed
and made nothing leaves its key free.
Source: draft-ietf-httpapi-idempotency-key-header-07.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Generic, TypeVar

from spanproof.core.errors import FieldProblem, InputError
from spanproof.core.shown import show_value
from spanproof.operations.errors import (
    IdempotencyKeyReusedError,
    MalformedParameterError,
    RequestInFlightError,
)
from spanproof.store.accounts.requests import RequestClaim

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context

Answer = TypeVar("Answer")
HEADER = "Idempotency-Key"
#: As a structured field's string, or without its quotes, as most clients send it.
_KEY = re.compile(r'"([!#-\[\]-~ ]{1,255})"|([!#-~]{1,255})', re.ASCII)
#: A process that this home does not know is taken for dead after this time.
ABANDONED_AFTER = timedelta(minutes=2)
#: The names that threads of this process make something under. What it claimed under another name
#: was abandoned: the store was away when its end should have been recorded.
_IN_PROGRESS: set[str] = set()


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentRequest:
    """The route, the caller's key, and a digest of everything that the answer depends on."""

    route: str
    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentOperation(Generic[Answer]):
    """``perform`` makes the answer under a new name, ``replay`` reads one that was made.

    ``is_done`` says whether a name's work is complete, also if the process that did it died.
    """

    perform: Callable[[str], Answer]
    replay: Callable[[str], Answer]
    is_done: Callable[[str], bool]


def read_key(header: str) -> str:
    """The key; raise MalformedParameterError if it is malformed."""
    found = _KEY.fullmatch(header)
    if found is None:
        problem = FieldProblem(
            pointer=f"/header/{HEADER.lower()}",
            expected="1 to 255 visible ASCII characters",
            got=show_value(header),
        )
        msg = f"Expected {problem.expected} as {HEADER}, got {problem.got}."
        raise MalformedParameterError(msg, hint="Send a new UUID.", problems=(problem,))
    return found[1] or found[2]


def make_fingerprint(route: str, query: str, body: bytes) -> str:
    """A digest of everything that an answer depends on."""
    digest = hashlib.sha256()
    for part in (route.encode(), query.encode(), body):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def run_idempotently(
    context: Context, asked: IdempotentRequest, work: IdempotentOperation[Answer], *, name: str
) -> tuple[Answer, bool]:
    """The answer, and whether it is an earlier one; ``name`` is the new name of a new result.

    Raises IdempotencyKeyReusedError for another request under a key that is taken, and
    RequestInFlightError while the first is still worked on.
    """
    # Before another thread can see the claim.
    _IN_PROGRESS.add(name)
    try:
        return _run_claimed(context, asked, work, name=name)
    finally:
        _IN_PROGRESS.discard(name)


def _run_claimed(
    context: Context, asked: IdempotentRequest, work: IdempotentOperation[Answer], *, name: str
) -> tuple[Answer, bool]:
    requests = context.store.requests
    request = hashlib.sha256(f"{asked.route}\0{asked.key}".encode()).hexdigest()
    known = requests.find(request)
    if known is not None and not known.is_ended and _is_abandoned(context, known):
        # Close what it left half done; keep what it had done.
        context.intakes.close_interrupted()
        status = 200 if work.is_done(known.reference) else None
        requests.end(known, status=status, at=_now())
        known = requests.find(request)
    if known is None or (known.is_ended and known.status is None):
        known = requests.claim(
            RequestClaim(
                request=request,
                position=0,
                fingerprint=asked.fingerprint,
                reference=name,
                process=context.intakes.process,
                claimed_at=_now(),
            )
        )
    if known.is_ours:
        return _perform(context, known, work), False
    if known.fingerprint != asked.fingerprint:
        msg = f"Expected the request that came first under this {HEADER}, got another."
        raise IdempotencyKeyReusedError(msg, hint="Send another request under another key.")
    if not known.is_ended:
        msg = f"Expected no request under this {HEADER} that is still worked on, got one."
        raise RequestInFlightError(msg, hint="Wait, then ask again for its answer.")
    return work.replay(known.reference), True


def _perform(context: Context, claim: RequestClaim, work: IdempotentOperation[Answer]) -> Answer:
    try:
        answer = work.perform(claim.reference)
    except BaseException as error:
        # A refusal made nothing. Another fault may have come after the effect: then the key stays
        # taken, and a repeated request gets what was made.
        is_made = not isinstance(error, InputError) and work.is_done(claim.reference)
        context.store.requests.end(claim, status=200 if is_made else None, at=_now())
        raise
    context.store.requests.end(claim, status=200, at=_now())
    return answer


def _is_abandoned(context: Context, claim: RequestClaim) -> bool:
    if claim.process == context.intakes.process:
        return claim.reference not in _IN_PROGRESS
    state = context.intakes.find_process(claim.process)
    if state == "unknown":
        return _now() - claim.claimed_at > ABANDONED_AFTER
    return state == "gone"


def _now() -> datetime:
    return datetime.now(UTC)
