"""The group ``log``: the commands of who runs a transparency log, or a witness of one.

Each command stands in a module of its own; this one lists them.
"""

from __future__ import annotations

import typer


def build_log_commands() -> typer.Typer:
    """The commands of ``spanproof log``, in the order in which ``--help`` shows them."""
    group = typer.Typer(
        help="The transparency log: witnesses, keys, recovery.", rich_markup_mode=None
    )
    group.callback()(_log)
    return group


def _log() -> None:
    """Run a witness, ask witnesses, change keys, go on after a failure."""
