"""The group ``log``: the commands of the operator of a transparency log, or of a witness."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.log import cosign as log_cosign
from spanproof.api.cli.log import keys as log_keys
from spanproof.api.cli.log import witness as log_witness
from spanproof.api.cli.output import write_bytes, write_json, write_note
from spanproof.api.cli.session import open_session
from spanproof.core.errors import InputError

if TYPE_CHECKING:
    from spanproof.operations.log.recover import Recovery


def log_prove(
    verification_id: Annotated[str, typer.Argument(metavar="VERIFICATION_ID")],
    *,
    output: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the files; created if missing.")
    ],
    as_json: JsonOption = False,
) -> int:
    """Write the proofs that 'audit verify --witness' takes for a receipt.

    ID.tlog-proof proves its leaf under a head cosigned by witnesses. ID.older.txt is an earlier
    such head, ID.growth.txt the proof that the receipt's own head extends it.
    """
    from spanproof.operations.log.prove import prove_time

    with open_session() as context:
        found = prove_time(context.store, verification_id)
    files = {"tlog-proof": found.proof.encode("utf-8")}
    if found.older is not None and found.growth is not None:
        files |= {"older.txt": found.older.encode("utf-8"), "growth.txt": found.growth}
    output.mkdir(parents=True, exist_ok=True)
    paths = []
    for ending, content in files.items():
        path = output / f"{verification_id}.{ending}"
        path.write_bytes(content)
        paths.append(str(path))
    if as_json:
        sizes = {"by_size": found.by_size, "after_size": found.after_size}
        write_json({"index": found.index, **sizes, "files": paths})
    else:
        write_bytes("".join(f"{path}\n" for path in paths).encode("utf-8", "replace"))
    return ExitCode.OK


def log_timestamp(
    receipt: Annotated[Path, typer.Argument(metavar="RECEIPT", help="The receipt's file.")],
    *,
    trust: Annotated[
        Path, typer.Option(metavar="FILE", help="The trust file that names the authority.")
    ],
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Output file; default: replace the receipt.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Address to ask; default: the authority's own.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Add an RFC 3161 timestamp over the receipt's signature; needs the extra 'timestamps'.

    The authority must be in the trust file, and its answer is checked before it is added.
    """
    import httpx

    from spanproof.core.moment import write_short_moment
    from spanproof.operations.receipts.timestamping import TIMEOUT, add_timestamp
    from spanproof.operations.receipts.trust import load_trust, write_file

    authorities = load_trust(trust).trusted_root.timestamp_authorities
    with httpx.Client(timeout=TIMEOUT, follow_redirects=False) as client:
        stamped = add_timestamp(receipt, authorities, client=client, url=url)
    write_file(output or receipt, stamped.content)
    if as_json:
        write_json(stamped.to_json())
    latest = write_short_moment(stamped.timestamp.latest)
    write_note(f"{output or receipt} existed by {latest}: {stamped.timestamp.authority}")


_NEXT = (
    "Where SPANPROOF_LOG_ORIGIN is set, set it to {origin!r}."
    " Give auditors the new trust file: 'spanproof audit trust --output FILE'."
)


def recover(
    *,
    new_shard: Annotated[
        bool,
        typer.Option("--new-shard", help="Close the log permanently and open its successor."),
    ] = False,
    reason: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Reason; recorded in the new log's first leaf."),
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(metavar="NEW", help="Name of the new log (default: the old name, numbered)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Close a log that was rolled back or cannot sign, and open its successor.

    Receipts of the old log stay valid. If interrupted, run the command again.
    """
    from spanproof.operations.log.recover import DEFAULT_REASON
    from spanproof.operations.log.recover import recover as recover_log

    if not new_shard:
        msg = "Expected --new-shard, which closes the log permanently, got nothing."
        raise InputError(msg, hint="This cannot be undone: give --new-shard if you are sure.")
    with open_session() as context:
        done = recover_log(
            context.settings, context.store, origin=origin, reason=reason or DEFAULT_REASON
        )
    _show(done, as_json=as_json)


def _show(done: Recovery, *, as_json: bool) -> None:
    if as_json:
        write_json(done.to_json())
        return
    closed, opened = done.closed, done.opened
    text = f"{closed.origin} is closed at {closed.size} leaves; {opened.origin} goes on.\n"
    write_bytes(text.encode("utf-8", "replace"))
    write_note(_NEXT.format(origin=opened.origin))


def build_log_commands() -> typer.Typer:
    """The commands of ``spanproof log``, in the order in which ``--help`` shows them."""
    group = typer.Typer(
        help="The transparency log: witnesses, keys, recovery.", rich_markup_mode=None
    )
    group.callback()(_log)
    group.command("witness")(log_witness.log_witness)
    group.command("cosign")(log_cosign.log_cosign)
    group.command("prove")(log_prove)
    group.command("timestamp")(log_timestamp)
    group.command("rotate-key")(log_keys.rotate_key)
    group.command("revoke-key")(log_keys.revoke_key)
    group.command("recover")(recover)
    return group


def _log() -> None:
    """Run a witness, ask witnesses, change keys, recover after a failure."""
