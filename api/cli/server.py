"""``serve``: the HTTP service and the console, on loopback."""

from __future__ import annotations

from typing import Annotated

import typer

from api.cli.output import write_note
from api.cli.session import load_settings


def serve(
    host: Annotated[
        str | None,
        typer.Option(help="A loopback address; anything else is refused until keys exist."),
    ] = None,
    port: Annotated[int | None, typer.Option(help="The port (default 8321).")] = None,
) -> None:
    """Start the HTTP service and the console on this machine."""
    settings = load_settings(host=host, port=port)
    import uvicorn  # noqa: PLC0415 - the web stack loads for this command alone

    from api.app import create_app  # noqa: PLC0415 - as above

    app = create_app(settings)
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    write_note(f"Spanproof listens on http://{shown}:{settings.port}/ (stop it with Ctrl-C)")
    uvicorn.run(app, host=settings.host, port=settings.port, log_level="warning")
