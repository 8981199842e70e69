"""``serve``: the HTTP service and the console, on loopback."""

from __future__ import annotations

import logging
import socket
from typing import Annotated

import typer

from api.cli.exit_code import ExitCode
from api.cli.output import write_note
from api.cli.session import load_settings
from core.errors import SettingsError

_BACKLOG = 128


def serve(
    host: Annotated[
        str | None,
        typer.Option(help="A loopback address; anything else is refused until keys exist."),
    ] = None,
    port: Annotated[int | None, typer.Option(help="The port (default 8321; 0: any).")] = None,
) -> int:
    """Start the HTTP service and the console on this machine."""
    settings = load_settings(log_level=logging.INFO, host=host, port=port)
    with listen(settings.host, settings.port) as listener:
        import uvicorn

        from api.app import create_app
        from api.wiring import open_services

        with open_services(settings):
            pass  # A store that cannot be opened is one line here, not a server's traceback.
        config = uvicorn.Config(create_app(settings), log_level="warning")
        # Before anything is announced: an interrupt in the middle of an import may be lost.
        config.load()
        server = uvicorn.Server(config)
        address, bound = listener.getsockname()[:2]
        shown = f"[{address}]" if ":" in address else address
        write_note(f"Spanproof listens on http://{shown}:{bound}/ (stop it with Ctrl-C)")
        # An interrupt is how a service is stopped, not how it fails, also before it has started.
        is_stopped = False
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            is_stopped = True
        if not server.started and not is_stopped:
            return ExitCode.ERROR
        write_note("Stopped.")
        return ExitCode.OK


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound and listening; raise SettingsError where it cannot be."""
    # Bound and listening before anything is announced: a taken port is known at once, and whoever
    # reads the announcement can connect.
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
