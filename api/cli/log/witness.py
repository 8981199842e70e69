"""``log witness``: a witness of logs; run it independently of the logs' operators."""

from __future__ import annotations

import logging
import time
from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import Annotated

import typer

from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_bytes, write_note
from spanproof.api.cli.server import listen
from spanproof.api.cli.session import load_settings

DEFAULT_PORT = 8322
#: Requests at once; each holds one small body.
_MOST_CONNECTIONS = 128


def log_witness(
    *,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Name for a new witness, such as witness.example.com/one."
        ),
    ] = None,
    log: Annotated[
        list[str] | None,
        typer.Option(metavar="VKEY", help="Verifier key of a log to watch; may be repeated."),
    ] = None,
    policy: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Policy file: watch its logs.")
    ] = None,
    trust: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Trust file: watch its logs.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder of its key and heads; default 'witness' in the home."
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port; 0: any free port.")
    ] = DEFAULT_PORT,
) -> int:
    """Watch logs: cosign each head that extends the one before, refuse every other.

    The first run creates a key. stdout gets one line: the witness's verifier key.
    """
    import uvicorn

    from spanproof.api.http.server import make_server_config
    from spanproof.api.http.witness_app import WitnessApp
    from spanproof.operations.log.witness import WitnessFolder, read_watched_logs
    from spanproof.receipt.witness.cosigning import Witness

    settings = load_settings(log_level=logging.WARNING)
    keys = read_watched_logs(vkeys=log or [], policy=policy, trust=trust)
    secret = settings.key_passphrase
    passphrase = None if secret is None else secret.get_secret_value()
    place = folder or settings.home / "witness"
    with (
        WitnessFolder.open(place, name=name, passphrase=passphrase) as opened,
        listen(host, port) as listener,
    ):
        witness = Witness(
            cosigner=opened.cosigner, logs=keys, store=opened, clock=lambda: int(time.time())
        )
        config = make_server_config(
            WitnessApp(witness, opened),
            lifespan="off",
            log_level="warning",
            server_header=False,
            limit_concurrency=_MOST_CONNECTIONS,
        )
        # Import before the announcement: an interrupt during an import may be lost.
        config.load()
        server = uvicorn.Server(config)
        address, bound = listener.getsockname()[:2]
        shown = f"[{address}]" if ":" in address else address
        write_bytes(f"{opened.vkey}\n".encode())
        write_note(f"The witness listens on http://{shown}:{bound}/ (stop it with Ctrl-C)")
        write_note(f"It watches {', '.join(sorted(keys))}.")
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            # An interrupt is how a witness is stopped, also before its first answer.
            write_note("Stopped.")
            return ExitCode.OK
        return ExitCode.OK if server.started else ExitCode.ERROR
