"""What a route takes from the application, and how it reads what a path or query says."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Path, Query, Request

from api.errors import ForeignHostError, MalformedParameterError
from api.operations.locate import MarkedSpan
from api.settings import is_loopback
from api.wiring import Services
from core.digest import Digest
from core.errors import FieldProblem
from core.span import OffsetUnit
from core.verdict import Outcome

#: A span to draw: its offsets and, where it is to be coloured, its outcome.
_MARKED = re.compile(rf"(\d{{1,12}})-(\d{{1,12}})(?::({'|'.join(Outcome)}))?", re.ASCII)


def current_services(request: Request) -> Services:
    """The services of the running application."""
    services: Services = request.app.state.services
    return services


def require_own_host(request: Request) -> None:
    """Refuse a request under another machine's name (DNS rebinding): there are no keys yet."""
    host = request.url.hostname or ""
    if not is_loopback(host):
        msg = f"Expected a request to this machine (127.0.0.1, ::1 or localhost), got {host!r}."
        raise ForeignHostError(msg, hint="Open the service under http://127.0.0.1.")


ServicesIn = Annotated[Services, Depends(current_services)]
Ref = Annotated[
    str,
    Path(description="A doc_hash, doc_id or extraction_id.", examples=["sha256:" + "3f" * 32]),
]
Start = Annotated[int, Query(ge=0, description="First offset, 0-based.", examples=[120])]
End = Annotated[int, Query(ge=0, description="Offset after the last.", examples=[180])]
Cursor = Annotated[str | None, Query(description="next_cursor of the page before.")]
Limit = Annotated[int, Query(ge=1, le=200, description="Most rows of one page.")]
Unit = Annotated[OffsetUnit, Query(description="What the offsets count.")]


def parse_marked_spans(spans: Iterable[str]) -> list[MarkedSpan]:
    """Read ``start-end`` or ``start-end:outcome``; raise MalformedParameterError for others."""
    found, problems = [], []
    for text in spans:
        match = _MARKED.fullmatch(text)
        if match:
            start, end, outcome = match.groups()
            found.append(MarkedSpan(start=int(start), end=int(end), outcome=outcome or "pass"))
        else:
            expected = "start-end, or start-end:outcome"
            problems.append(FieldProblem(pointer="/query/span", expected=expected, got=repr(text)))
    if problems:
        msg = f"Expected {problems[0].expected} as span, got {problems[0].got}."
        hint = "Give code point offsets, such as span=120-180:fail."
        raise MalformedParameterError(msg, hint=hint, problems=tuple(problems))
    return found


def read_filter_digest(text: str | None) -> Digest | None:
    """The whole digest to filter by; raise MalformedDigestError for anything shorter."""
    return None if text is None else Digest.parse(text)


def read_filter_moment(moment: datetime | None) -> datetime | None:
    """A moment without a zone is one in UTC."""
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)
