"""A tenant stays open until the last byte of a request is sent, streams included."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import anyio
from anyio.to_thread import run_sync

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class TenantMiddleware:
    """Gives each request ``request.state.take_leases()``: an ExitStack, closed at its end."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        leases = ExitStack()
        is_used = False

        def enter() -> ExitStack:
            nonlocal is_used
            is_used = True
            return leases

        scope.setdefault("state", {})["take_leases"] = enter
        try:
            await self._app(scope, receive, send)
        finally:
            if is_used:
                # Closing an unused tenant may wait for a disk; a cancelled request must still
                # release what it holds.
                with anyio.CancelScope(shield=True):
                    await run_sync(leases.close)
