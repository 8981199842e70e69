"""The parser in a process of its own: limits that hold, crashes that stay there.

One warm child takes one document at a time. A child that is late, dies or answers nonsense is
killed and the next call gets a new one. What it hands over is checked like bytes from a stranger.
It is not yet kept from files and the network.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Self

from core.digest import Digest
from core.errors import (
    BrokenDocumentError,
    ExtractionError,
    IntegrityError,
    LimitExceededError,
    SettingsError,
)
from core.extraction_record import ExtractionRecord, from_record
from ingest.exchange import error_from_head, receive, send
from ingest.limits import Limits, check_limit
from ingest.render import DEFAULT_DPI

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.document import Extraction
    from ingest.choices import CageChoice, EngineName, OcrChoice
    from ingest.render import Highlight

# Starting Python and loading the engine is not the document's time.
_START_SECONDS = 60.0
# An image, an annotated copy or a layout may be larger than the document it came from.
_MOST_ANSWER_BYTES = 1 << 30
# A library leaks a little with every broken document: a child retires after so many.
_MOST_CALLS = 500
# Linear algebra is not what the child does; its threads would only eat into the memory limit.
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
_INHERITED = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "LD_LIBRARY_PATH", "SYSTEMROOT")


class _Child:
    """One process and the socket to it."""

    def __init__(self, limits: Limits) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, our own arguments
                [sys.executable, "-m", "ingest.child", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                env={k: v for k in _INHERITED if (v := os.environ.get(k))}
                | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
                | _ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        self._connection = Connection(ours.detach())
        self.calls = 0
        try:
            self.ask({"limits": asdict(limits)}, (), seconds=_START_SECONDS)
        except ExtractionError as error:
            msg = f"Expected a parser that starts, got one that ended ({self._process.returncode})."
            raise SettingsError(msg, hint="Raise the memory limit or free memory.") from error

    def ask(
        self, head: dict[str, Any], parts: Sequence[bytes], *, seconds: float
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Send a request and wait for its answer; kill the child when the time is over."""
        self.calls += 1
        late = threading.Event()

        def end() -> None:
            late.set()
            self._process.kill()

        clock = threading.Timer(seconds, end)
        clock.start()
        try:
            send(self._connection, head, parts)
            return receive(self._connection, most=_MOST_ANSWER_BYTES)
        except (OSError, EOFError, ValueError) as error:
            self.close()
            raise self._explain(late=late.is_set(), seconds=seconds) from error
        finally:
            clock.cancel()

    def _explain(self, *, late: bool, seconds: float) -> LimitExceededError | BrokenDocumentError:
        status = self._process.returncode
        # The kernel ends a process over its CPU limit with SIGXCPU (24) before our clock does.
        if late or status == -24:
            msg = f"Expected a document that is read in {seconds:g} s, got one that takes longer."
            return LimitExceededError(msg, hint="Split the document or raise the time limit.")
        msg = f"Expected a document that the parser survives, got one that ended it ({status})."
        return BrokenDocumentError(msg, hint="Open the file in a viewer and save it again.")

    @property
    def is_fresh(self) -> bool:
        """Whether the child lives and may take another document."""
        return self._process.poll() is None and self.calls < _MOST_CALLS

    def close(self) -> None:
        """End the process and wait for it."""
        self._connection.close()
        self._process.kill()
        self._process.wait()


class Parser:
    """Extraction and page images in a child process; threads that share it take turns."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        engine: EngineName = "mupdf",
        cage: CageChoice = "auto",
        workers: int = 1,
    ) -> None:
        self.limits = limits or Limits()
        self.engine: EngineName = engine
        self.cage: CageChoice = cage
        self.workers = workers
        self._lock = threading.Lock()
        self._child: _Child | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child; a later call starts another."""
        with self._lock:
            self._drop()

    def extract(
        self,
        data: bytes,
        *,
        media_type: str | None = None,
        filename: str | None = None,
        ocr: OcrChoice | None = None,
    ) -> Extraction:
        """``ingest.extract`` in the child; the parts it hands over are checked here."""
        check_limit(len(data), self.limits.max_bytes, "bytes")
        head = {
            "do": "extract",
            "media_type": media_type,
            "filename": filename,
            "engine": self.engine,
            "ocr": None if ocr is None else asdict(ocr),
        }
        parts = self._ask(head, data)
        try:
            meta, text, layout = parts
            extraction = from_record(ExtractionRecord(meta=meta, text=text, layout=layout))
        except (ValueError, IntegrityError) as error:
            raise _nonsense() from error
        if (
            extraction.document.doc_hash != Digest.of(data)
            or extraction.document.byte_length != len(data)
            or len(extraction.text) > self.limits.max_characters
            or len(extraction.pages) > self.limits.max_pages
        ):
            raise _nonsense()
        return extraction

    def render_page(
        self,
        data: bytes,
        page: int,
        highlights: Sequence[Highlight] = (),
        *,
        dpi: int = DEFAULT_DPI,
    ) -> bytes:
        """``ingest.render.render_page`` in the child."""
        marks = [one.to_json() for one in highlights]
        parts = self._ask(
            {"do": "render_page", "page": page, "dpi": dpi, "highlights": marks}, data
        )
        return _only(parts, b"\x89PNG\r\n\x1a\n")

    def annotate_pdf(
        self, data: bytes, highlights_by_page: Mapping[int, Sequence[Highlight]]
    ) -> bytes:
        """``ingest.render.annotate_pdf`` in the child."""
        marks = {page: [one.to_json() for one in some] for page, some in highlights_by_page.items()}
        return _only(self._ask({"do": "annotate_pdf", "highlights": marks}, data), b"%PDF-")

    def _ask(self, head: dict[str, Any], data: bytes) -> list[bytes]:
        with self._lock:
            if self._child is not None and not self._child.is_fresh:
                # Retired, or gone while it had nothing to do: not this document's doing.
                self._drop()
            if self._child is None:
                self._child = _Child(self.limits)
            try:
                answer, parts = self._child.ask(head, (data,), seconds=self.limits.seconds)
            except (LimitExceededError, BrokenDocumentError):
                self._drop()
                raise
        refusal = error_from_head(answer)
        if refusal is not None:
            raise refusal
        return parts

    def _drop(self) -> None:
        if self._child is not None:
            with suppress(OSError):
                self._child.close()
            self._child = None


def _only(parts: list[bytes], magic: bytes) -> bytes:
    if len(parts) != 1 or not parts[0].startswith(magic):
        raise _nonsense()
    return parts[0]


def _nonsense() -> BrokenDocumentError:
    msg = "Expected an answer of the parser that holds together, got one that does not."
    return BrokenDocumentError(msg, hint="Report the document: it may attack the parser.")
