"""The filters of the list: read from the address, and written back into links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import FieldProblem, InputError
from spanproof.core.moment import parse_moment
from spanproof.core.span import Span
from spanproof.operations.presentation.words import OUTCOMES
from spanproof.operations.triage.choosing import SORTS, View
from spanproof.store.names import MAX_LABEL_CHARACTERS
from spanproof.store.records import VerificationFilter

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The facts that a list is narrowed by, with their words.
FACTS = {
    "result": "Result",
    "code": "Code",
    "generator_model": "Generator model",
    "prompt_id": "Prompt",
    "index_version": "Index version",
    "doc_hash": "Document",
    "policy": "Policy",
    "label": "Label",
    "outcome": "Any citation’s outcome",
}
#: The other filters with theirs.
OTHERS = {
    "q": "Words",
    "page": "Page",
    "start": "From character",
    "end": "to before",
    "answer_id": "Answer",
}
#: Periods up to now, in days; ``all`` has no beginning.
PERIODS = {"1": 1, "7": 7, "30": 30, "90": 90, "365": 365}
ALL = "all"
#: What the first page shows where its address says nothing.
DEFAULT_PERIOD = "30"
_TIMES = ("period", "since", "until")
_NUMBER = re.compile(r"[0-9]{1,12}", re.ASCII)
#: No page number has more digits.
_PAGE = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterForm:
    """The form's values as typed, and as a view; problems name their field.

    ``given`` are the filters and the period, without the order and the place in the list.
    """

    given: dict[str, str]
    view: View
    skip: int = 0
    problems: tuple[FieldProblem, ...] = ()

    @property
    def is_narrowed(self) -> bool:
        """Whether anything but the period is set."""
        return any(name not in _TIMES for name in self.given)

    @property
    def doc_hash(self) -> str | None:
        """The document of the filter."""
        return self.view.facts.get("doc_hash")

    def to_query(
        self, more: Mapping[str, str] | None = None, *, without: tuple[str, ...] = ()
    ) -> dict[str, str]:
        """The address's query with some filters changed; the place in the list begins anew."""
        sort = {} if self.view.sort == "newest" else {"sort": self.view.sort}
        query = self.given | sort | dict(more or {})
        return {name: value for name, value in query.items() if name not in without}


def read_filters(query: Mapping[str, str], *, now: datetime) -> FilterForm:
    """Parse the address; an empty field is no filter, an invalid one a problem.

    An address without any filter shows ``DEFAULT_PERIOD``; one with a filter alone, all time.
    """
    names = (*FACTS, *OTHERS, *_TIMES)
    given = {name: value for name in names if (value := query.get(name, "").strip())}
    if not given:
        given = {"period": DEFAULT_PERIOD}
    problems: list[FieldProblem] = []
    _check_facts(given, problems)
    page = given.get("page")
    if page is not None and not _PAGE.fullmatch(page):
        problems.append(_problem("page", "a page number from 1", page))
    sort, skip = query.get("sort", "") or "newest", query.get("skip", "") or "0"
    if sort not in SORTS:
        problems.append(_problem("sort", " or ".join(SORTS), sort))
    if not _NUMBER.fullmatch(skip):
        problems.append(_problem("skip", "a number of answers", skip))
    since, until = _read_period(given, problems, now)
    if problems:
        return FilterForm(given=given, view=View(), problems=tuple(problems))
    rest = VerificationFilter(
        page=int(page) if page else None,
        span=_read_span(given, problems),
        answer_id=given.get("answer_id"),
    )
    view = View(
        facts={name: given[name][:MAX_LABEL_CHARACTERS] for name in FACTS if name in given},
        # A page or a span means one of the document.
        rest=rest,
        words=given.get("q"),
        since=since,
        until=until,
        sort=next(each for each in SORTS if each == sort),
    )
    return FilterForm(given=given, view=view, skip=int(skip), problems=tuple(problems))


def _check_facts(given: dict[str, str], problems: list[FieldProblem]) -> None:
    if "doc_hash" in given:
        try:
            Digest.parse(given["doc_hash"])
        except InputError:
            expected = "'sha256:' and 64 lower-case hexadecimal digits"
            problems.append(_problem("doc_hash", expected, given["doc_hash"]))
    problems.extend(
        _problem(name, "pass, fail, review or error", given[name])
        for name in ("result", "outcome")
        if given.get(name, "pass") not in OUTCOMES
    )


def _read_period(
    given: dict[str, str], problems: list[FieldProblem], now: datetime
) -> tuple[datetime | None, datetime | None]:
    since = _read_day("since", given, problems, shift=0)
    until = _read_day("until", given, problems, shift=1)
    period = given.get("period")
    if "since" in given or "until" in given:
        # Days that are named win over a number of days.
        given.pop("period", None)
    elif period in PERIODS:
        # From a midnight: the same page is the same through the day.
        midnight = datetime.combine(now.astimezone(UTC).date(), time(), UTC)
        since = midnight - timedelta(days=PERIODS[period] - 1)
    elif period not in {None, ALL}:
        expected = f"{', '.join(PERIODS)} or {ALL}"
        problems.append(_problem("period", expected, str(period)))
    return since, until


def _read_span(given: dict[str, str], problems: list[FieldProblem]) -> Span | None:
    """Both offsets together with the document, or neither."""
    start, end = given.get("start"), given.get("end")
    if start is None and end is None:
        return None
    numbers = [int(each) for each in (start, end) if each and _NUMBER.fullmatch(each)]
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
