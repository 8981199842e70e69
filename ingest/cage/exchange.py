"""What crosses between the parser's processes: one JSON head and byte parts, never a pickle.

On the wire: the head's length (4 bytes, network order), the head, then the parts end to end; the
head names their sizes.
"""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core import errors
from spanproof.core.errors import BrokenDocumentError, SpanproofError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Only these may a child raise in its parent; any other code it sends counts as a broken document.
_RAISABLE: tuple[type[SpanproofError], ...] = (
    errors.UnsupportedMediaTypeError,
    errors.EncryptedDocumentError,
    errors.EmptyDocumentError,
    errors.BrokenDocumentError,
    errors.LimitExceededError,
    errors.OcrNotNeededError,
    errors.PageNotFoundError,
    errors.InputError,
    errors.EngineUnavailableError,
    errors.OcrUnavailableError,
)
_MOST_PARTS = 32
_MOST_HEAD_BYTES = 64 << 20
_FILE = b"F"
_LENGTH = struct.Struct("!I")


class Channel:
    """One end of a socket pair; it reads and writes as files do: a caged child may do no more."""

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)  # noqa: FBT003 - their signature
        self._end = end

    def fileno(self) -> int:
        """The file descriptor."""
        return self._end.fileno()

    def wait(self) -> None:
        """Wait until something can be read, be it the end."""
        self._wait(select.POLLIN, None)

    def close(self) -> None:
        """Close this end; the other then reads the end of the stream."""
        self._end.close()

    def send(
        self, head: dict[str, Any], parts: Sequence[bytes] = (), *, until: float | None = None
    ) -> None:
        """Send a head and its parts; raise TimeoutError when the clock passes ``until``."""
        sizes = [len(part) for part in parts]
        encoded = json.dumps({**head, "sizes": sizes}).encode("utf-8")
        for part in (_LENGTH.pack(len(encoded)) + encoded, *parts):
            self._write(part, until)

    def receive(
        self, *, most: int, until: float | None = None
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Take a head and its parts of ``most`` bytes together.

        Raises OSError (TimeoutError when the clock passes ``until``), EOFError or ValueError.
        """
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size, until))
        if length > _MOST_HEAD_BYTES:
            msg = f"a head of {length} bytes"
            raise ValueError(msg)
        try:
            head = json.loads(self._read(length, until))
        except RecursionError as error:
            msg = "a head that nests too deep"
            raise ValueError(msg) from error
        sizes = head.pop("sizes", None) if isinstance(head, dict) else None
        if (
            not isinstance(sizes, list)
            or len(sizes) > _MOST_PARTS
            or any(type(size) is not int or size < 0 for size in sizes)
            or sum(sizes) > most
        ):
            msg = "not a head of this exchange"
            raise ValueError(msg)
        return head, [self._read(size, until) for size in sizes]

    def send_file(self, descriptor: int) -> None:
        """Send an open file along; the receiver gets a copy of its own."""
        socket.send_fds(self._end, [_FILE], [descriptor])

    def receive_file(self, *, until: float) -> int:
        """Take an open file; it is the caller's to close."""
        self._wait(select.POLLIN, until)
        mark, descriptors, *_ = socket.recv_fds(self._end, len(_FILE), 1)
        if mark != _FILE or len(descriptors) != 1:
            raise EOFError
        return descriptors[0]

    def _write(self, content: bytes, until: float | None) -> None:
        left = memoryview(content)
        while left:
            try:
                left = left[os.write(self.fileno(), left) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, until)

    def _read(self, size: int, until: float | None) -> bytes:
        # Its pages are made as bytes arrive: a claimed length alone takes no memory. A bytearray
        # would write its zeros at once.
        content = np.zeros(size, np.uint8)
        left = content.data
        while left:
            try:
                got = os.readv(self.fileno(), [left])
            except BlockingIOError:
                self._wait(select.POLLIN, until)
                continue
            if got == 0:
                raise EOFError
            left = left[got:]
        return content.tobytes()

    def _wait(self, event: int, until: float | None) -> None:
        poll = select.poll()
        poll.register(self.fileno(), event)
        left = None if until is None else max(0.0, until - time.monotonic()) * 1000
        if not poll.poll(left):
            raise TimeoutError


def error_to_head(error: SpanproofError) -> dict[str, Any]:
    """A refusal as the child sends it."""
    return {"error": {"code": error.code, "message": error.message, "hint": error.hint}}


def error_from_head(head: dict[str, Any]) -> SpanproofError | None:
    """The refusal in an answer, if it is one; its words come from the untrusted side."""
    raw = head.get("error")
    if raw is None:
        return None
    if not isinstance(raw, dict):
        raw = {}
    code, message, hint = (str(raw.get(key, ""))[:500] for key in ("code", "message", "hint"))
    kinds = {kind.code: kind for kind in _RAISABLE}
    return kinds.get(code, BrokenDocumentError)(message, hint=hint)
