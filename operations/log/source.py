"""Where a log is read from: a folder of tiles, an address, or the own store.

Each names its resources as tlog-tiles does (``checkpoint``, ``tile/…``). None is believed; a
missing tile is None, what cannot be asked at all is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from spanproof.core.errors import MalformedNoteError
from spanproof.core.log.merkle import HASH_SIZE
from spanproof.core.log.tiles import MAX_ENTRY_BYTES, Tile
from spanproof.operations.errors import LogUnreachableError
from spanproof.operations.small_file import read_small_file
from spanproof.receipt.check.log import SavedNote
from spanproof.receipt.forms.signed_note import MAX_NOTE_BYTES

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

CHECKPOINT = "checkpoint"
#: Silence of this length, in seconds, ends a request.
TIMEOUT = 30.0
_HINT = "Give the folder that holds 'checkpoint' and 'tile/', or the address above them."


class LogSource(Protocol):
    """One log, read as it is served."""

    def read_head(self) -> SavedNote:
        """The newest signed checkpoint."""

    def find(self, tile: Tile) -> bytes | None:
        """The bytes of a tile; None for a missing tile."""

    def close(self) -> None:
        """Close open files and connections."""


def read_note(path: Path) -> SavedNote:
    """Read a saved checkpoint; raise UnreadableFileError where the file is missing."""
    content = read_small_file(path, "a signed checkpoint", most_bytes=MAX_NOTE_BYTES, hint=_HINT)
    return decode_note(str(path), content)


def decode_note(name: str, content: bytes) -> SavedNote:
    """The text of a note; raise MalformedNoteError for bytes that are no text."""
    try:
        return SavedNote(name=name, text=content.decode("utf-8"))
    except UnicodeDecodeError as error:
        msg = f"Expected a signed checkpoint in UTF-8 at {name!r}, got other bytes."
        raise MalformedNoteError(msg, hint=_HINT) from error


def measure(tile: Tile) -> int:
    """The most bytes that a tile can have."""
    return tile.width * (HASH_SIZE if tile.level is not None else 2 + MAX_ENTRY_BYTES)


@dataclass(frozen=True, slots=True)
class FolderLog:
    """A folder as a static server would serve it."""

    folder: Path

    def read_head(self) -> SavedNote:
        """The file ``checkpoint``."""
        found = read_note(self.folder / CHECKPOINT)
        return SavedNote(name=CHECKPOINT, text=found.text)

    def find(self, tile: Tile) -> bytes | None:
        """The file of that path; one byte over the most is read, so that a larger one is told."""
        try:
            with (self.folder / tile.path).open("rb") as stream:
                return stream.read(measure(tile) + 1)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    def close(self) -> None:
        """Nothing is open."""


class UrlLog:
    """A log behind an address; nothing is followed to another one."""

    def __init__(self, address: str, *, client: httpx.Client | None = None) -> None:
        import httpx

        self._address = address.rstrip("/")
        self._client = client or httpx.Client(timeout=TIMEOUT, follow_redirects=False)

    def read_head(self) -> SavedNote:
        """The resource ``checkpoint``."""
        found = self.find_head()
        if found is None:
            raise self._to_unreachable(CHECKPOINT, "404")
        return found

    def find_head(self) -> SavedNote | None:
        """The same; None for 404, as a witness answers that never saw the log."""
        content = self._get(CHECKPOINT, MAX_NOTE_BYTES)
        return None if content is None else decode_note(CHECKPOINT, content)

    def find(self, tile: Tile) -> bytes | None:
        """The resource of that path; None for 404."""
        return self._get(tile.path, measure(tile))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _get(self, path: str, most: int) -> bytes | None:
        import httpx

        found = bytearray()
        try:
            with self._client.stream("GET", f"{self._address}/{path}") as response:
                if response.status_code == httpx.codes.NOT_FOUND:
                    return None
                if response.status_code != httpx.codes.OK:
                    raise self._to_unreachable(path, str(response.status_code))
                for chunk in response.iter_bytes():
                    found += chunk
                    if len(found) > most:
                        break
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._to_unreachable(path, type(error).__name__) from error
        return bytes(found)

    def _to_unreachable(self, path: str, got: str) -> LogUnreachableError:
        msg = f"Expected the log's {path!r} under {self._address!r}, got {got}."
        return LogUnreachableError(msg, hint="Check the address and try again.")
