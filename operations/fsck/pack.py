"""``audit fsck`` of an evidence pack: its list, its log, and the statements that it has."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import EvidenceError
from spanproof.operations.errors import UnreadableFileError
from spanproof.operations.fsck.log import check_source
from spanproof.operations.fsck.report import (
    PLAIN_CHECK,
    FsckLine,
    FsckOptions,
    FsckReport,
    judge,
    skip,
)
from spanproof.operations.log.source import FolderLog
from spanproof.receipt.check.finding import Findings
from spanproof.receipt.check.statements import StatementCheck
from spanproof.receipt.export.evidence_pack import (
    MANIFEST,
    MAX_MANIFEST_BYTES,
    SEAL,
    compare_files,
    open_manifest,
)
from spanproof.receipt.forms.dsse import Envelope
from spanproof.receipt.statement.statement import MAX_PAYLOAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.receipt.export.evidence_pack import Manifest
    from spanproof.receipt.keys.trust_file import TrustFile

#: Where a pack has what ``spanproof.operations.export.log_files`` put there.
LOG_FOLDER = "log"
STATEMENT_FOLDER = "statements"
_HINT = "Give the folder of a pack as 'audit export' wrote it."


def check_pack(folder: Path, trust: TrustFile, options: FsckOptions = PLAIN_CHECK) -> FsckReport:
    """Check a pack: files, log, statements; its receipts are ``audit verify``'s to check."""
    pack, manifest = _check_files(folder, trust)
    if manifest is None:
        lines = [pack, skip("STATEMENTS", "no trusted key signed the list of the files")]
        digest = str(trust.digest)
        return FsckReport(place=str(folder), trust_digest=digest, head=None, lines=tuple(lines))
    name = options.origin or trust.origin
    statements = StatementCheck(
        lambda index: _read_statement(folder, index), trust, name, is_whole=False
    )
    source = FolderLog(folder / LOG_FOLDER)
    lines, head = check_source(source, trust, options, also=statements.visit)
    counts = statements.close(datetime.fromisoformat(manifest.made_at))
    words = (
        f"statements of their leaves {counts.statements}; requests {counts.intakes}, "
        f"answered {counts.answered}, in work {counts.in_work}"
    )
    return FsckReport(
        place=str(folder),
        trust_digest=str(trust.digest),
        head=head,
        lines=(pack, *lines, judge("STATEMENTS", words, statements.findings)),
    )


def _check_files(folder: Path, trust: TrustFile) -> tuple[FsckLine, Manifest | None]:
    """Whether a trusted key signed the list, and the files are those of the list."""
    findings = Findings()
    revoked = {each.key_id for each in trust.revocations}
    keys = [each.key for each in trust.signing_keys if each.key.key_id not in revoked]
    try:
        manifest = open_manifest(_read(folder / MANIFEST), _read(folder / SEAL), keys)
    except EvidenceError as error:
        findings.add(code="MANIFEST_SIGNATURE", place=MANIFEST, message=error.message)
        return judge("PACK", "", findings), None
    compare_files(manifest, _digest_files(folder), findings)
    words = (
        f"{len(manifest.files)} files about {len(manifest.verifications)} verifications, "
        f"signed {manifest.made_at}"
    )
    return judge("PACK", words, findings), manifest


def _digest_files(folder: Path) -> dict[str, Digest | None]:
    """Every file of the pack but its list; None for a link, which may lead anywhere."""
    found: dict[str, Digest | None] = {}
    for path in _walk(folder):
        relative = path.relative_to(folder).as_posix()
        if relative not in {MANIFEST, SEAL}:
            found[relative] = _digest_file(path)
    return found


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)
        else:
            yield path


def _digest_file(path: Path) -> Digest | None:
    if path.is_symlink() or not path.is_file():
        return None
    try:
        with path.open("rb") as stream:
            return Digest(hashlib.file_digest(stream, "sha256").hexdigest())
    except OSError:
        return None


def _read_statement(folder: Path, index: int) -> Envelope | None:
    """The statement of a leaf, as far as it can be read; the leaf has to confirm it."""
    path = folder / STATEMENT_FOLDER / f"{index}.dsse.json"
    try:
        with path.open("rb") as stream:
            value = json.loads(stream.read(2 * MAX_PAYLOAD_BYTES))
        return Envelope(
            payload=base64.b64decode(value["payload"], validate=True),
            payload_type=str(value["payloadType"]),
            signature=base64.b64decode(value["signatures"][0]["sig"], validate=True),
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, IndexError, TypeError, RecursionError, binascii.Error):
        # An envelope that no leaf can be of: it is told as one that does not belong there.
        return Envelope(payload=b"", signature=b"")


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(2 * MAX_MANIFEST_BYTES)
    except OSError as error:
        msg = f"Expected a file {str(path)!r}, got {error.strerror or error!r}."
        raise UnreadableFileError(msg, hint=_HINT) from error
