"""Where an answer may have got its words: results of tools, documents, retrieved chunks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from spanproof.verifier.formats.parsed import Attachment

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span

#: ``full``: the whole text of the source was available; ``snippet``: only an excerpt of it.
SourceScope = Literal["full", "snippet"]
#: Characters of a whole text that stand in ``snippet``.
SNIPPET_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The result of one tool call: ``output`` is any JSON value, unchanged."""

    tool_name: str
    output: Any
    tool_request_id: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)

    def unextracted(self, reason: str, pointer: str = "") -> Unextracted:
        """This output, or the part of it at ``pointer``, as one that is not a source, and why."""
        return Unextracted(
            tool_name=self.tool_name,
            tool_request_id=self.tool_request_id,
            reason=reason,
            pointer=pointer,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundText:
    """One text in a tool's output and the tool's statements about it.

    ``data`` are the bytes received; ``page_number`` is 1-based, as the tool counts.
    """

    type: str
    data: bytes
    media_type: str
    scope: SourceScope
    uri: str | None = None
    title: str | None = None
    snippet: str | None = None
    page_number: int | None = None

    @classmethod
    def of(cls, text: str, *, kind: str, scope: SourceScope = "full", **fields: Any) -> FoundText:  # noqa: ANN401 - the optional fields
        """A text as it stood in the output."""
        return cls(
            type=kind,
            data=text.encode("utf-8"),
            media_type="text/html" if _looks_like_html(text) else "text/plain; charset=utf-8",
            scope=scope,
            **fields,
        )

    @property
    def attachment(self) -> Attachment:
        """The document that it becomes; its name is the hash of the bytes."""
        return Attachment(data=self.data, media_type=self.media_type, title=self.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unextracted:
    """A tool's output, or the part of it at ``pointer``, that became no source, and why."""

    tool_name: str
    tool_request_id: str | None
    reason: str
    pointer: str = ""

    def to_json(self) -> dict[str, Any]:
        """The row of ``unextracted[]``."""
        return {
            "tool_request_id": self.tool_request_id,
            "tool_name": self.tool_name,
            "reason": self.reason,
            "pointer": self.pointer,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSource:
    """One source of the answer, and the document that holds its words."""

    id: str
    type: str
    doc_hash: Digest
    evidence_scope: SourceScope = "full"
    tool_name: str | None = None
    tool_request_id: str | None = None
    uri: str | None = None
    title: str | None = None
    snippet: str | None = None
    page_number: int | None = None
    chunk_id: str | None = None

    @property
    def domain(self) -> str | None:
        """The host of an http(s) address, without ``www.``."""
        try:
            parts = urlsplit(self.uri or "")
        except ValueError:
            return None
        host = parts.hostname if parts.scheme in {"http", "https"} else None
        return host.removeprefix("www.") if host else None

    def to_json(self) -> dict[str, Any]:
        """The row of ``sources[]``."""
        return {
            "id": self.id,
            "type": self.type,
            "tool_name": self.tool_name,
            "tool_request_id": self.tool_request_id,
            "uri": self.uri,
            "title": self.title,
            "domain": self.domain,
            "snippet": self.snippet,
            "page_number": self.page_number,
            "chunk_id": self.chunk_id,
            "doc_hash": str(self.doc_hash),
            "evidence_scope": self.evidence_scope,
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Region:
    """A stretch of one document in which claims are searched, and the sources that it is."""

    extraction: Extraction
    span: Span
    source_ids: tuple[str, ...]
    scope: SourceScope = "full"


def _looks_like_html(text: str) -> bool:
    return text.lstrip()[:15].lower().startswith(("<!doctype html", "<html"))
