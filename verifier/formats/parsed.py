"""What every format comes to: an answer, how it was read, and documents that came inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.digest import Digest

if TYPE_CHECKING:
    from core.citation import Answer
    from core.verdict import ImportReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A document that travelled in the payload (a tool's output, a context): its bytes as received.

    It is ingested before the answer is verified; its name is the hash of its bytes.
    """

    data: bytes
    media_type: str
    title: str | None = None

    @property
    def doc_hash(self) -> Digest:
        """SHA-256 of the bytes."""
        return Digest.of(self.data)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedAnswer:
    """The answer, how it was read, and the payload as a caller gets it back.

    ``payload`` is the one that came; for a provider's format ``answer`` and ``citations`` in the
    native shape stand beside it.
    """

    answer: Answer
    imported: ImportReport
    payload: dict[str, Any]
    attachments: tuple[Attachment, ...] = ()
