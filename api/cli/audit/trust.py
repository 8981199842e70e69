"""``audit trust`` and ``audit export``: the files for auditors."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_bytes, write_error, write_json, write_note
from spanproof.api.cli.session import load_settings, open_session
from spanproof.core.errors import SettingsError

if TYPE_CHECKING:
    from spanproof.operations.settings import Settings
    from spanproof.receipt.keys.key_ring import KeyRing
    from spanproof.receipt.keys.trusted_root import ValidFor


def trust(
    *,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Output file; default: stdout.")
    ] = None,
    sigstore: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write a plain TrustedRoot and PEM keys for other tools into this folder.",
        ),
    ] = None,
    days: Annotated[
        int | None,
        typer.Option(
            min=1, max=36500, help="Days after which auditors should fetch the file again."
        ),
    ] = None,
    witnesses: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Witness policy for auditors to apply; default SPANPROOF_LOG_WITNESSES.",
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
    """Write the trust file: which keys sign receipts and log heads, and when each is valid.

    The same keys give the same bytes; every check prints the file's SHA-256. Hand it to auditors
    over a channel that they trust: a key inside a receipt proves nothing.
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
        valid_for=None if days is None else _valid_from_now(days),
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


def _valid_from_now(days: int) -> ValidFor:
    from spanproof.receipt.keys.trusted_root import ValidFor

    now = datetime.now(UTC)
    return ValidFor(start=now, end=now + timedelta(days=days))


def _make_keys(settings: Settings) -> tuple[KeyRing, str]:
    """Create the keys and the log if this home has none yet."""
    from spanproof.operations.assembly import open_context

    with open_context(settings) as context:
        return context.issuer.keys, context.log.origin


def _parse_authority(text: str) -> tuple[str, Path]:
    url, found, file = text.rpartition("=")
    if not found or not url or not file:
        msg = f"Expected URL=FILE of a time-stamping authority, got {text!r}."
        raise SettingsError(msg, hint="Give --timestamp-authority https://tsa.example.com=tsa.pem.")
    return url, Path(file)


def export(
    verifications: Annotated[
        list[str],
        typer.Argument(metavar="VERIFICATION_ID…", help="Verification ids."),
    ],
    *,
    output: Annotated[Path, typer.Option(metavar="DIR", help="The folder (or file) to create.")],
    as_zip: Annotated[
        bool, typer.Option("--zip", help="Write a single archive instead of a folder.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Write an evidence pack: originals, texts, marked pages, receipts, log, a readable page.

    Exit 0 the pack is complete; 1 something is missing, one line each; 2 malformed input; 3 nothing
    was written.
    """
    from spanproof.operations.accesses import record_command
    from spanproof.operations.export.pack import export_pack

    with open_session() as context:
        record_command(context, "pack", "/".join(verifications))
        report = export_pack(context, verifications, output, is_zip=as_zip)
    gaps = [
        *(("DOCUMENT_NOT_FOUND", f"{ref} is not kept here") for ref in report.missing),
        *(("NOT_DRAWN", problem) for problem in report.problems),
        *(("RECEIPT_NOT_FOUND", f"{each} has no receipt") for each in report.without_receipt),
        *(("VERIFICATION_ERASED", f"{each} was erased") for each in report.erased),
    ]
    for code, words in gaps:
        write_error(code, f"Missing from the pack: {words}.")
    if as_json:
        write_json(report.to_json())
    else:
        write_note(f"Wrote {report.path}: {report.files} files, {report.bytes} bytes")
    return ExitCode.FAILED if gaps else ExitCode.OK
