"""The group ``log``: the commands of who runs a transparency log, or a witness of one.

Each command stands in a module of its own; this one lists them.
"""

from __future__ import annotations

import typer

from spanproof.api.cli import (
    log_cosign,
    log_keys,
    log_prove,
    log_recover,
    log_timestamp,
    log_witness,
)


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
