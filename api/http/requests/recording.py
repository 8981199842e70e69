"""A route's dependency: who asks for evidence is written down before it is shown."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import Request  # noqa: TC002 - FastAPI reads annotations
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams  # noqa: TC002 - the same

from spanproof.api.http.requests.access import ContextIn, PrincipalIn  # noqa: TC001 - the same
from spanproof.operations.accesses import Access, AccessKind, Door, record_access

#: The parameter of a list with the words that are searched for: they may be an answer's own.
_WORDS = "q"


class Recorded:
    """Writes a line of the access log; ``parameters`` name the path's or query's subject.

    Without them it is the query, which says what a list was asked for; searched words stay out.
    """

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
            door=self._door,
            kind=self._kind,
            subject="/".join(values) if self._parameters else _write_query(query),
            actor=principal.actor,
        )
        await run_in_threadpool(record_access, context, access)


def _write_query(query: QueryParams) -> str:
    kept = [(name, value) for name, value in query.multi_items() if name != _WORDS]
    # A digest stays as it is written elsewhere.
    return urlencode(kept, safe=":")


def recorded(kind: AccessKind, *parameters: str, door: Door = "api") -> Recorded:
    """The dependency of a route that shows evidence."""
    return Recorded(kind, *parameters, door=door)
