"""``log timestamp``: ask a time-stamping authority when a receipt existed."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_json, write_note


def log_timestamp(
    receipt: Annotated[Path, typer.Argument(metavar="RECEIPT", help="The receipt's file.")],
    *,
    trust: Annotated[
        Path, typer.Option(metavar="FILE", help="The trust file that names the authority.")
    ],
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it there; default: in its place.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Where to ask; default: the authority's own address.")
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
