"""``log rotate-key`` and ``log revoke-key``: replace a signing key, or withdraw trust in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_bytes, write_json, write_note
from spanproof.api.cli.session import open_session

if TYPE_CHECKING:
    from spanproof.operations.log.keys import KeyChange

_NEXT = "Give auditors the new trust file: 'spanproof audit trust --output FILE'."


def rotate_key(
    *,
    log: Annotated[
        bool,
        typer.Option(
            "--log", help="Rotate the key that signs log heads, not the one for receipts."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Create a new key that signs from now on; the log records it, signed by the old key.

    A running service uses it from its next signature on. If interrupted, run the command again.
    """
    from spanproof.operations.log.keys import rotate_log_key, rotate_receipt_key

    with open_session() as context:
        change = (rotate_log_key if log else rotate_receipt_key)(context.issuer)
    _show(change, as_json=as_json)


def revoke_key(
    key_id: Annotated[
        str, typer.Argument(metavar="KEY_ID", help="The key, as the trust file names it.")
    ],
    *,
    below: Annotated[
        int,
        typer.Option(
            min=0,
            help="Trust its signatures up to this log size: that of the last head cosigned "
            "by a witness before the key was lost. 0: trust none.",
        ),
    ],
    reason: Annotated[str, typer.Option(help="Reason; recorded in the log and the trust file.")],
    as_json: JsonOption = False,
) -> None:
    """Revoke a signing key. A key in use is replaced in the same step; the log records both."""
    from spanproof.operations.log.keys import revoke_key as revoke

    with open_session() as context:
        change = revoke(context.issuer, key_id, below=below, reason=reason)
    _show(change, as_json=as_json)


def _show(change: KeyChange, *, as_json: bool) -> None:
    if as_json:
        write_json(change.to_json())
    else:
        done = "revoked" if change.action == "revoked" else "replaced"
        lines = [
            f"{done} {change.old_key}",
            f"in use {change.new_key or 'none: its log is closed'}",
            f"leaf {change.index} of {change.origin}, under a head of {change.size} leaves",
        ]
        write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8"))
    write_note(_NEXT)
