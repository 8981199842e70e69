"""``backup`` and ``restore``: everything that an installation keeps, out and back in."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_bytes, write_error, write_json, write_note
from spanproof.api.cli.session import load_settings
from spanproof.operations.errors import BackupRefusedError

_EXIT = {
    "OK": ExitCode.OK,
    "FAILED": ExitCode.FAILED,
    "NOT CHECKED": ExitCode.NOT_CHECKED,
}
_SHOWN = 20


def backup(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A new or an empty folder, best on another disk.")
    ],
    *,
    keys: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="New file for the keys of encrypted contents."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Back up databases, blobs, keys and settings of all tenants, while the service goes on.

    The backup holds private keys: keep it as you keep those. It never holds the keys of encrypted
    contents: --keys writes them apart. PostgreSQL needs pg_dump.
    """
    from spanproof.operations.backup.content_keys import save_keys
    from spanproof.operations.backup.save import save_backup

    settings = load_settings()
    if keys is not None and keys.resolve().is_relative_to(folder.resolve()):
        msg = f"Expected a file outside of the backup, got {str(keys)!r}."
        raise BackupRefusedError(msg, hint="Keep the keys on another disk, and the newest alone.")
    done = save_backup(settings, folder, now=datetime.now(UTC))
    if keys is not None:
        save_keys(settings, keys)
    if as_json:
        write_json(done.to_json())
        return
    manifest = done.manifest
    for each in manifest.tenants:
        log = "no log" if each.log is None else f"{each.log.origin} of {each.log.size} leaves"
        rows = f"{each.rows['document']} documents, {each.rows['verification']} verifications"
        write_bytes(f"{each.name}: {rows}, {log}\n".encode())
    total = f"{len(manifest.files)} files of {manifest.total_bytes} bytes"
    write_bytes(f"{total}, manifest {done.digest}\n".encode())
    write_note("Keep the manifest's digest elsewhere, and try 'spanproof restore' in another home.")


def restore(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder that 'spanproof backup' wrote.")
    ],
    *,
    trust: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Trust file with the key that signed the manifest."),
    ] = None,
    sample: Annotated[
        int, typer.Option(min=0, help="Verifications of each tenant to compute again.")
    ] = 20,
    keys: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keys of encrypted contents, as 'backup' wrote them."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Restore a backup into an empty SPANPROOF_HOME, and check all that came back.

    A backup that is cut off or altered is refused, and nothing is changed. Exit 0 all is well; 1
    something is damaged, or the log is behind what others have seen of it; 4 something could not
    be checked.
    """
    from spanproof.operations.backup.restore import restore_backup
    from spanproof.operations.receipts.trust import load_trust

    known = None if trust is None else load_trust(trust)
    report = restore_backup(load_settings(), folder, trust=known, sample=sample, keys=keys)
    found = [each for line in report.lines for each in line.findings]
    for each in found[:_SHOWN]:
        write_error(each.code, f"{each.place}: {each.message}")
    if as_json:
        write_json(report.to_json())
    else:
        for line in report.lines:
            words = "".join(c if c.isprintable() else " " for c in line.words)
            text = f"{line.question:<11} {line.status.value:<12} {words}\n"
            write_bytes(text.encode("utf-8", "replace"))
        write_bytes(f"{report.outcome.value}\n".encode())
    return _EXIT[report.outcome.value]
