"""A route's dependency: who asks for evidence is written down before it is shown."""

from __future__ import annotations

from fastapi import Request  # noqa: TC002 - FastAPI reads annotations
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ContextIn, PrincipalIn  # noqa: TC001 - the same
from spanproof.operations.accesses import Access, AccessKind, Door, record_access


class Recorded:
    """Writes a line of the access log; ``parameters`` name the path's or query's subject."""

    def __init__(self, kind: AccessKind, *parameters: str, door: Door = "api") -> None:
        self._kind = kind
        self._parameters = parameters
        self._door = door

    async def __call__(self, request: Request, context: ContextIn, principal: PrincipalIn) -> None:
        """Record the request; raise StoreUnavailableError where that fails."""
        if not context.settings.access_log:
            return
        query, path = request.query_params, request.path_params
        values = [
            str(value)
            for name in self._parameters
            for value in (query.getlist(name) if name not in path else [path[name]])
        ]
        access = Access(
            door=self._door, kind=self._kind, subject="/".join(values), actor=principal.actor
        )
        await run_in_threadpool(record_access, context, access)


def recorded(kind: AccessKind, *parameters: str, door: Door = "api") -> Recorded:
    """The dependency of a route that shows evidence."""
    return Recorded(kind, *parameters, door=door)
