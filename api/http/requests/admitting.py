"""Dependencies that admit a route's requests by their class of work."""

from typing import Any

from fastapi import Depends, Request

from spanproof.api.http.admission import Admission, Ticket
from spanproof.operations.context import DEFAULT_TENANT
from spanproof.operations.errors import Work


class Admitted:
    """A route's dependency: a place for this class of work; raises ServiceBusyError.

    ``reads_body``: the turn starts once the body is there, so slow senders occupy none.
    """

    def __init__(self, work: Work, *, reads_body: bool = False) -> None:
        self.work = work
        self._takes_turn = not reads_body and work is not Work.STREAM

    async def __call__(self, request: Request) -> None:
        """Admit the request, then wait for its turn."""
        admission: Admission = request.app.state.admission
        # A route for those who have no credential yet has no principal.
        principal = getattr(request.state, "principal", None)
        tenant: str = DEFAULT_TENANT if principal is None else principal.tenant
        ticket = request.state.ticket = admission.enter(self.work, tenant)
        if self._takes_turn:
            await ticket.take_turn()


def admit(work: Work, *, reads_body: bool = False) -> Any:  # noqa: ANN401 - as Depends itself
    """The dependency of a route of this class; list it after the one for scopes."""
    return Depends(Admitted(work, reads_body=reads_body))


def current_ticket(request: Request) -> Ticket:
    """The ticket of a request whose route is ``Admitted``."""
    ticket: Ticket = request.state.ticket
    return ticket
