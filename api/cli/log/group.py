"""The group ``log``: the commands of who runs a transparency log, or a witness of one.

Each command stands in a module of its own; this one lists them.
"""

from __future__ import annotations

import typer

from spanproof.api.cli.log import cosign as log_cosign
from spanproof.api.cli.log import keys as log_keys
from spanproof.api.cli.log import prove as log_prove
from spanproof.api.cli.log import recover as log_recover
from spanproof.api.cli.log import timestamp as log_timestamp
from spanproof.api.cli.log import witness as log_witness


def build_log_commands() -> typer.Typer:
    """The commands of ``spanproof log``, in the order in which ``--help`` shows them."""
    group = typer.Typer(
        help="The transparency log: witnesses, keys, recovery.", rich_markup_mode=None
    )
    group.callback()(_log)
    group.command("witness")(log_witness.log_witness)
    group.command("cosign")(log_cosign.log_cosign)
    group.command("prove")(log_prove.log_prove)
    group.command("timestamp")(log_timestamp.log_timestamp)
    group.command("rotate-key")(log_keys.rotate_key)
    group.command("revoke-key")(log_keys.revoke_key)
    group.command("recover")(log_recover.recover)
    return group


def _log() -> None:
    """Run a witness, ask witnesses, change keys, go on after a failure."""
