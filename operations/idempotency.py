"""One effect for a request that is sent more than once under one ``Idempotency-Key``.

The first that comes claims the key with a row; whoever comes while it works is told so, and whoever
comes later is answered by what the first one made, read again from where it is kept. A request that
failed and made nothing leaves its key free.
Source: draft-ietf-httpapi-idempotency-key-header-07.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Generic, TypeVar

from spanproof.core.errors import FieldProblem, InputError
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
#: After so long a process of which this home knows nothing is believed to be gone.
FOREIGN_AGE = timedelta(minutes=2)
#: The names that threads of this process make something under. What it claimed under another one
#: was left: the store was away when its end should have been recorded.
_WORKING: set[str] = set()


@dataclass(frozen=True, slots=True, kw_only=True)
class OnceRequest:
    """What is asked: the route, the caller's key, and a digest of all that the answer hangs on."""

    route: str
    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OnceWork(Generic[Answer]):
    """How it is done once: ``perform`` under a new name, ``replay`` what is kept under one.

    ``is_done``: whether what is kept under a name is whole, though whoever made it is gone.
    """

    perform: Callable[[str], Answer]
    replay: Callable[[str], Answer]
    is_done: Callable[[str], bool]


def read_key(header: str) -> str:
    """The key; raise MalformedParameterError for what is none."""
    found = _KEY.fullmatch(header)
    if found is None:
        problem = FieldProblem(
            pointer=f"/header/{HEADER.lower()}",
            expected="1 to 255 visible ASCII characters",
            got=repr(header)[:80],
        )
        msg = f"Expected {problem.expected} as {HEADER}, got {problem.got}."
        raise MalformedParameterError(msg, hint="Send a new UUID.", problems=(problem,))
    return found[1] or found[2]


def make_fingerprint(route: str, query: str, body: bytes) -> str:
    """A digest of all that an answer hangs on."""
    digest = hashlib.sha256()
    for part in (route.encode(), query.encode(), body):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def do_once(
    services: Context, asked: OnceRequest, work: OnceWork[Answer], *, name: str
) -> tuple[Answer, bool]:
    """The answer, and whether it is an earlier one; ``name`` is new, for what is made now.

    Raises IdempotencyKeyReusedError for another request under a key that is taken, and
    RequestInFlightError while the first is still worked on.
    """
    # Before the claim is seen by anybody.
    _WORKING.add(name)
    try:
        return _do_once(services, asked, work, name=name)
    finally:
        _WORKING.discard(name)


def _do_once(
    services: Context, asked: OnceRequest, work: OnceWork[Answer], *, name: str
) -> tuple[Answer, bool]:
    requests = services.store.requests
    request = hashlib.sha256(f"{asked.route}\0{asked.key}".encode()).hexdigest()
    known = requests.find(request)
    if known is not None and not known.is_ended and _is_gone(services, known):
        # What it left half done is closed; what it had done already stands.
        services.issuer.close_interrupted()
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
                process=services.issuer.process,
                claimed_at=_now(),
            )
        )
    if known.is_ours:
        return _perform(services, known, work), False
    if known.fingerprint != asked.fingerprint:
        msg = f"Expected the request that came first under this {HEADER}, got another."
        raise IdempotencyKeyReusedError(msg, hint="Send another request under another key.")
    if not known.is_ended:
        msg = f"Expected no request under this {HEADER} that is still worked on, got one."
        raise RequestInFlightError(msg, hint="Wait, then ask again for its answer.")
    return work.replay(known.reference), True


def _perform(services: Context, claim: RequestClaim, work: OnceWork[Answer]) -> Answer:
    try:
        answer = work.perform(claim.reference)
    except BaseException as error:
        # What was refused made nothing. Any other fault may have come after the effect: then the
        # key stays taken, and whoever asks again is answered by what was made.
        is_made = not isinstance(error, InputError) and work.is_done(claim.reference)
        services.store.requests.end(claim, status=200 if is_made else None, at=_now())
        raise
    services.store.requests.end(claim, status=200, at=_now())
    return answer


def _is_gone(services: Context, claim: RequestClaim) -> bool:
    if claim.process == services.issuer.process:
        return claim.reference not in _WORKING
    state = services.issuer.find_process(claim.process)
    if state == "unknown":
        return _now() - claim.claimed_at > FOREIGN_AGE
    return state == "gone"


def _now() -> datetime:
    return datetime.now(UTC)
