"""A ZIP archive that may have been made to hurt: every member is capped before it is opened."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib

from spanproof.core.errors import BrokenDocumentError, EncryptedDocumentError, LimitExceededError
from spanproof.ingest.limits import MEBIBYTE, Limits, check_limit

#: A book of thousands of chapters and pictures has fewer; a directory of millions is an attack.
MAX_MEMBERS = 50_000
#: Markup deflates to a tenth or a fiftieth; a bomb to a thousandth.
MAX_RATIO = 250
# Below this size no ratio hurts.
_SMALL_BYTES = MEBIBYTE
_IS_ENCRYPTED = 0x1
#: What zipfile and the decompressors raise for a damaged member, or for a compression that they do
#: not know (NotImplementedError).
_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)


class Archive:
    """The members of a ZIP file by name; ``limits.max_bytes`` caps all that is opened together."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _FAULTS as error:
            raise _broken(f"Expected a ZIP container, got none ({error}).") from error
        members = self._zip.infolist()
        check_limit(len(members), MAX_MEMBERS, "members of a container")
        self._limits = limits
        self._opened = 0
        self._counted: set[str] = set()
        self._members: dict[str, list[zipfile.ZipInfo]] = {}
        for member in members:
            self._members.setdefault(member.filename, []).append(member)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def require_small(self, times: int) -> None:
        """Refuse a container whose members together declare too much; a library opens them all."""
        total = sum(member.file_size for found in self._members.values() for member in found)
        check_limit(total, times * self._limits.max_bytes, "bytes inside the container")

    def read(self, name: str) -> bytes:
        """A member's bytes; raise BrokenDocumentError where it is missing or damaged."""
        found = self._members.get(name, [])
        if len(found) != 1:
            # Programs differ in which of two they show: we must verify what the reader sees.
            raise _broken(f"Expected one member {name!r} in the container, got {len(found)}.")
        member = found[0]
        if member.flag_bits & _IS_ENCRYPTED:
            msg = f"Expected a container without a password, got {name!r} encrypted."
            raise EncryptedDocumentError(msg, hint="Save a copy without a password.")
        size = member.file_size
        if size > _SMALL_BYTES and size > MAX_RATIO * member.compress_size:
            msg = f"Expected a member deflated at most {MAX_RATIO}:1, got {name!r} beyond it."
            raise LimitExceededError(msg, hint="This looks like a bomb: do not open it.")
        if name not in self._counted:
            self._counted.add(name)
            self._opened += size
        check_limit(self._opened, self._limits.max_bytes, "bytes inside the container")
        try:
            # No more than the declared size is inflated: a false declaration fails its checksum.
            return self._zip.read(member)
        except _FAULTS as error:
            raise _broken(f"Expected a sound member {name!r}, got a fault ({error}).") from error


def _broken(message: str) -> BrokenDocumentError:
    return BrokenDocumentError(message, hint="Open the file in its program and save it again.")
