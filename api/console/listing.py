"""The list of verifications: filters from the form, and rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from spanproof.api.console.answer.findings import attach_repaired
from spanproof.api.console.answer.view import count_outcomes, shorten
from spanproof.core.digest import Digest
from spanproof.core.errors import FieldProblem, InputError
from spanproof.core.moment import parse_moment
from spanproof.core.span import Span
from spanproof.operations.presentation.words import OUTCOMES, find_worst

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.api.console.links import Links
    from spanproof.core.citation import Answer

#: The form's filters, named as in the address and in the API.
FILTERS = (
    "result",
    "outcome",
    "code",
    "doc_hash",
    "page",
    "start",
    "end",
    "since",
    "until",
    "generator_model",
    "prompt_id",
    "index_version",
    "answer_id",
)
_OFFSET = re.compile(r"[0-9]{1,12}", re.ASCII)
#: No page number has more digits.
_PAGE = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDocument:
    """A document that an answer cites: its name and, if known, its hash."""

    title: str
    doc_hash: str | None
    filter_url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One verification in the list."""

    url: str
    heading: str
    verified_at: datetime
    result: str
    counts: tuple[tuple[str, int], ...]
    documents: tuple[ListedDocument, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterForm:
    """The form's values as typed, and as the store's filter; problems name their field."""

    given: dict[str, str]
    doc_hash: Digest | None = None
    page: int | None = None
    span: Span | None = None
    since: datetime | None = None
    until: datetime | None = None
    problems: tuple[FieldProblem, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether no filter is set."""
        return not self.given

    def text(self, name: str) -> str | None:
        """A plain text filter, or None."""
        return self.given.get(name)


def read_filters(query: Mapping[str, str]) -> FilterForm:
    """Parse the form; an empty field is no filter, an invalid one a problem."""
    given = {name: value for name in FILTERS if (value := query.get(name, "").strip())}
    problems: list[FieldProblem] = []
    doc_hash = None
    if "doc_hash" in given:
        try:
            doc_hash = Digest.parse(given["doc_hash"])
        except InputError:
            expected = "'sha256:' and 64 lower-case hexadecimal digits"
            problems.append(_problem("doc_hash", expected, given["doc_hash"]))
    problems.extend(
        _problem(name, "pass, fail, review or error", given[name])
        for name in ("result", "outcome")
        if given.get(name, "pass") not in OUTCOMES
    )
    page = given.get("page")
    if page is not None and not _PAGE.fullmatch(page):
        problems.append(_problem("page", "a page number from 1", page))
    return FilterForm(
        given=given,
        doc_hash=doc_hash,
        span=_read_span(given, problems),
        page=int(page) if page and _PAGE.fullmatch(page) else None,
        since=_read_day("since", given, problems, shift=0),
        until=_read_day("until", given, problems, shift=1),
        problems=tuple(problems),
    )


def make_row(
    verification_id: str,
    verified_at: datetime,
    answer: Answer | None,
    block: Mapping[str, Any],
    links: Links,
) -> Row:
    """One row; an unreadable answer still shows its verdicts."""
    words = (answer.question or answer.prose) if answer else "(the answer cannot be read)"
    return Row(
        url=links.answer(verification_id),
        heading=shorten(words),
        verified_at=verified_at,
        result=find_worst([block["result"]]),
        counts=count_outcomes(block),
        documents=_list_documents(answer, block, links),
    )


def make_unreadable_row(
    verification_id: str, verified_at: datetime, code: str, links: Links
) -> Row:
    """The row of an unreadable record: it counts as an error, not as its result."""
    return Row(
        url=links.answer(verification_id),
        heading=f"(this record cannot be read: {code})",
        verified_at=verified_at,
        result="error",
        counts=(),
        documents=(),
    )


def _list_documents(
    answer: Answer | None, block: Mapping[str, Any], links: Links
) -> tuple[ListedDocument, ...]:
    found: dict[str, ListedDocument] = {}
    hashes = {v["citation"]: v["identity"]["doc_hash"] for v in block["verdicts"]}
    snippets = {snippet["doc_hash"] for snippet in block.get("snippets", ())}
    for index, citation in enumerate(attach_repaired(answer, block).citations if answer else ()):
        doc_hash = hashes.get(index) or (str(citation.doc_hash) if citation.doc_hash else None)
        title = citation.doc_title or citation.doc_id
        if doc_hash in snippets:
            title, doc_hash = f"text {title or citation.chunk_id}", None
        title = title or doc_hash or "unknown document"
        found.setdefault(
            doc_hash or title,
            ListedDocument(
                title=shorten(title, 60),
                doc_hash=doc_hash,
                filter_url=links.home({"doc_hash": doc_hash}) if doc_hash else None,
            ),
        )
    return tuple(found.values())


def _read_span(given: dict[str, str], problems: list[FieldProblem]) -> Span | None:
    """Both offsets together with the document, or neither."""
    start, end = given.get("start"), given.get("end")
    if start is None and end is None:
        return None
    numbers = [int(each) for each in (start, end) if each and _OFFSET.fullmatch(each)]
    if len(numbers) < 2 or numbers[0] >= numbers[1] or "doc_hash" not in given:
        expected = "start below end, both with a document hash"
        problems.append(_problem("start", expected, f"{start or ''}-{end or ''}"))
        return None
    return Span(numbers[0], numbers[1])


def _read_day(
    name: str, given: dict[str, str], problems: list[FieldProblem], *, shift: int
) -> datetime | None:
    """A moment, or a day's midnight UTC; ``until`` a day includes that day."""
    value = given.get(name)
    if value is None:
        return None
    try:
        if len(value) == len("2026-11-20"):
            day = date.fromisoformat(value) + timedelta(days=shift)
            return datetime.combine(day, time(), UTC)
        return parse_moment(value)
    except (ValueError, OverflowError):
        problems.append(_problem(name, "a day like 2026-11-20", value))
        return None


def _problem(name: str, expected: str, got: str) -> FieldProblem:
    return FieldProblem(pointer=f"/{name}", expected=expected, got=repr(got))
