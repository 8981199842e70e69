"""The result of every format: an answer, how it was read, and documents inside the payload."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from spanproof.core.digest import Digest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from spanproof.core.citation import Answer, Citation, Generator
    from spanproof.core.verdicts.verification_block import ImportReport


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFacts:
    """The facts that an answer states about itself: enough to store it, not to verify it."""

    answer_id: str | None
    policy: str | None
    trace_id: str | None
    generated_at: datetime | None
    generator: Generator | None
    citations: tuple[Citation, ...]

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Self:
        """Those of all the fields of an answer."""
        return cls(**{name: fields[name] for name in cls.__slots__})
