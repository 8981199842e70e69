"""``serve``: the HTTP service and the console, on loopback."""

from __future__ import annotations

import gc
import logging
import signal
import socket
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_note
from spanproof.api.cli.session import CLOSING_SECONDS, end_within, leave, load_settings
from spanproof.core.errors import SettingsError
from spanproof.core.host import is_loopback
from spanproof.operations.assembly import open_context

if TYPE_CHECKING:
    from spanproof.operations.context import Context

_SWITCH_SECONDS = 0.001
_BACKLOG = 128
_OPEN = (
    "No key exists: every user of this machine can read and verify everything here. "
    "Create one: 'spanproof keys create --scope admin'."
)


def serve(
    host: Annotated[
        str | None,
        typer.Option(help="Address to listen on; other than loopback only once a key exists."),
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port (default 8321; 0: any free port).")] = None,
) -> int:
    """Start the HTTP service and the console on this machine."""
    settings = load_settings(log_level=logging.INFO, host=host, port=port)
    # Service managers send this one; it is an interrupt like Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if not is_loopback(settings.host):
        # Before anything is bound: no client should reach a service that then refuses to start.
        with open_context(settings) as context:
            require_keys(context)
    with listen(settings.host, settings.port) as listener:
        from spanproof.api.http.app import create_app
        from spanproof.api.http.server import DrainingServer, make_server_config

        # A store that does not open is one line here, not a server's traceback.
        with open_context(settings) as context:
            is_open = not has_keys(context)
        application = create_app(settings, is_worker=True)
        config = make_server_config(
            application,
            head_seconds=settings.head_seconds,
            most_connections=settings.connections,
            log_level="warning",
        )
        # Import before the announcement: an interrupt during an import may be lost.
        config.load()
        most_seconds = settings.drain_seconds + CLOSING_SECONDS
        server = DrainingServer(
            application, config, on_drain=lambda: end_within(most_seconds, ExitCode.ERROR)
        )
        address, bound = listener.getsockname()[:2]
        shown = f"[{address}]" if ":" in address else address
        write_note(f"Spanproof listens on http://{shown}:{bound}/ (stop it with Ctrl-C)")
        if is_open:
            write_note(_OPEN)
        # Beside a thread that computes, the event loop waits so long for the interpreter's lock.
        sys.setswitchinterval(_SWITCH_SECONDS)
        # Everything loaded by now stays: garbage collection can skip it.
        gc.collect()
        gc.freeze()
        # An interrupt stops a service; it is not a failure, even before the start.
        is_stopped = False
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            is_stopped = True
        if server.started or is_stopped:
            write_note("Stopped.")
            leave(ExitCode.OK)
        return ExitCode.ERROR


def has_keys(context: Context) -> bool:
    """Whether requests need a key, or a token of the configured issuer."""
    return context.settings.oidc_issuer is not None or context.store.access_keys.has_any()


def require_keys(context: Context) -> None:
    """Raise SettingsError if the service would be open to everyone who reaches its address."""
    if has_keys(context):
        return
    host = context.settings.host
    msg = f"Expected a loopback address (127.0.0.1, ::1 or localhost) without keys, got {host!r}."
    raise SettingsError(msg, hint="Create a key first: 'spanproof keys create --scope admin'.")


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound and listening; raise SettingsError if that fails."""
    # Listening before the announcement: a port in use is known at once, and readers of the
    # announcement can connect.
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        msg = f"Expected to listen on {host} port {port}, got: {error.strerror}."
        raise SettingsError(msg, hint="Stop what listens there, or give another --port.") from error
    return listener
