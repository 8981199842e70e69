"""``audit fsck`` of a place: a folder of tiles, an evidence pack, or an address."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from spanproof.operations.errors import LogUnreachableError, UnreadableFileError
from spanproof.operations.fsck.log import check_source
from spanproof.operations.fsck.pack import check_pack
from spanproof.operations.fsck.report import PLAIN_CHECK, FsckLine, FsckOptions, FsckReport
from spanproof.operations.log.source import CHECKPOINT, FolderLog, UrlLog
from spanproof.receipt.check.report import LineStatus
from spanproof.receipt.export.evidence_pack import MANIFEST

if TYPE_CHECKING:
    from spanproof.operations.log.source import LogSource
    from spanproof.receipt.check.tree import Advance
    from spanproof.receipt.keys.trust_file import TrustFile

_SCHEMES = ("http://", "https://")


def open_place(place: str) -> LogSource:
    """The log of a folder or an address; raise UnreadableFileError where there is neither."""
    if place.startswith(_SCHEMES):
        return UrlLog(place)
    folder = Path(place)
    if not folder.is_dir():
        msg = f"Expected a folder of tiles or an address, got {place!r}."
        hint = "Give a folder with 'checkpoint' and 'tile/', or https://…; without one, the store."
        raise UnreadableFileError(msg, hint=hint)
    return FolderLog(folder)


def is_pack(place: str) -> bool:
    """Whether a folder is an evidence pack: its log is then in a folder of its own."""
    folder = Path(place)
    return folder.is_dir() and (folder / MANIFEST).is_file() and not (folder / CHECKPOINT).exists()


def check_place(
    place: str,
    trust: TrustFile,
    options: FsckOptions = PLAIN_CHECK,
    *,
    advance: Advance = lambda _leaves: None,
) -> FsckReport:
    """Check a log in a folder or behind an address.

    Raises MalformedNoteError where its head is no checkpoint, UnreadableFileError where a folder
    has none.
    """
    if is_pack(place):
        return check_pack(Path(place), trust, options)
    with closing(open_place(place)) as source:
        try:
            lines, head = check_source(source, trust, options, advance=advance)
        except LogUnreachableError as error:
            lines, head = (
                [FsckLine(question="CHECKPOINT", status=LineStatus.NOT_CHECKED, words=str(error))],
                None,
            )
    return FsckReport(place=place, trust_digest=str(trust.digest), head=head, lines=tuple(lines))
