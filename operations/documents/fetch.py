"""An address → the document that stands there, kept like one that was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core.errors import FieldProblem, MalformedAnswerError
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.documents.url_fetch import Fetcher

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.operations.documents.ingest_report import IngestReport
    from spanproof.operations.settings import Settings

_FIELDS = ("url", "doc_id", "title")


def fetch_document(services: Context, payload: object, fetcher: Fetcher) -> IngestReport:
    """Fetch and keep a document; ``payload`` is an object of url, doc_id, title."""
    wanted = read_request(payload)
    with fetcher.fetch(wanted["url"]) as fetched:
        return ingest_stream(
            services,
            fetched.chunks,
            filename=None,
            media_type=fetched.media_type,
            doc_id=wanted["doc_id"],
            title=wanted["title"],
        )


def make_fetcher(settings: Settings) -> Fetcher:
    """The fetcher of the settings' hosts and limits."""
    return Fetcher(
        settings.fetch_hosts,
        most_bytes=settings.max_document_bytes,
        stall_seconds=settings.stall_seconds,
        total_seconds=settings.upload_seconds,
    )


def read_request(payload: object) -> dict[str, Any]:
    """The fields of the request; raise MalformedAnswerError."""
    given = payload if isinstance(payload, dict) else {}
    problems = [
        FieldProblem(pointer=f"/{name}", expected="no such field", got="one")
        for name in sorted(map(str, given.keys() - set(_FIELDS)))
    ]
    for name in _FIELDS:
        value = given.get(name)
        if not isinstance(value, str) and (name == "url" or value is not None):
            problems.append(FieldProblem(pointer=f"/{name}", expected="text", got=repr(value)[:80]))
    if problems:
        first = problems[0]
        msg = f"Expected {first.expected} at {first.pointer}, got {first.got}."
        hint = "Compare it with /openapi.json."
        raise MalformedAnswerError(msg, hint=hint, problems=tuple(problems))
    return {name: given.get(name) for name in _FIELDS}
