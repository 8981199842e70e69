"""``audit trust``: whom an auditor of this log's receipts is to trust."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.output import write_bytes, write_note
from spanproof.api.cli.session import load_settings
from spanproof.core.errors import SettingsError

if TYPE_CHECKING:
    from spanproof.operations.settings import Settings
    from spanproof.receipt.keys.key_ring import KeyRing


def trust(
    *,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it there; default: stdout.")
    ] = None,
    sigstore: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write a plain TrustedRoot and PEM keys there, for other tools."
        ),
    ] = None,
    days: Annotated[
        int | None,
        typer.Option(min=1, max=36500, help="After so many days auditors are to fetch it anew."),
    ] = None,
    witnesses: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Witness policy that auditors go by; default SPANPROOF_LOG_WITNESSES.",
        ),
    ] = None,
    timestamp_authority: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL=FILE",
            help="A time-stamping authority and its certificates (PEM); may be repeated.",
        ),
    ] = None,
) -> None:
    """Write the trust file: which keys sign receipts and heads of the log, and for when.

    The same keys give the same bytes; every check prints their SHA-256. Give it to auditors by a
    way that they trust: a key inside a receipt proves nothing.
    """
    from spanproof.operations.log.key_folder import find_keys
    from spanproof.operations.receipts.trust import make_trust, write_file, write_for_sigstore
    from spanproof.receipt.keys.trust_file import write_trust

    settings = load_settings()
    authorities = [_parse_authority(each) for each in timestamp_authority or []]
    keys, origin = find_keys(settings) or _make_keys(settings)
    made = make_trust(
        keys,
        origin,
        now=datetime.now(UTC),
        lifetime=None if days is None else timedelta(days=days),
        policy=witnesses or settings.log_witnesses,
        authorities=authorities,
    )
    if sigstore is not None:
        for path in write_for_sigstore(made, sigstore):
            write_note(str(path))
    if output is not None:
        write_file(output, write_trust(made))
        write_note(f"{output} version {made.version} {made.digest}")
    elif sigstore is None:
        write_bytes(write_trust(made) + b"\n")


def _make_keys(settings: Settings) -> tuple[KeyRing, str]:
    """Keys and a log for a home that has none yet."""
    from spanproof.operations.context import open_context

    with open_context(settings) as services:
        return services.issuer.keys, services.log.origin


def _parse_authority(text: str) -> tuple[str, Path]:
    url, found, file = text.rpartition("=")
    if not found or not url or not file:
        msg = f"Expected URL=FILE of a time-stamping authority, got {text!r}."
        raise SettingsError(msg, hint="Give --timestamp-authority https://tsa.example.com=tsa.pem.")
    return url, Path(file)
