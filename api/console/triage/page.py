"""The first page as values: totals, chart, facets, pairs, and the list below them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.api.console.triage.chart import Chart, draw_chart
from spanproof.api.console.triage.filters import FACTS, OTHERS
from spanproof.api.console.triage.rows import Row, load_rows
from spanproof.core.shown import first_words
from spanproof.operations.triage.choosing import choose
from spanproof.operations.triage.overview import RESULTS, make_overview
from spanproof.operations.triage.saved import list_views

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.api.console.links import Links
    from spanproof.api.console.triage.filters import FilterForm
    from spanproof.operations.context import Context
    from spanproof.operations.triage.overview import Facet, Overview, Pair

#: Answers on one page of the list.
ROWS_PER_PAGE = 25
#: Values of one facet: what is not among them is found by its field in the form.
VALUES_SHOWN = 7
_MOST_LABEL = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A total, and the same of the period before (None: there is none)."""

    result: str
    count: int
    before: int | None
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetRow:
    """A value: its link, its counts, and the widths of its bars in per cent."""

    label: str
    whole: str
    url: str
    is_chosen: bool
    answers: int
    failed: int
    rate: str
    width: float
    failed_width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetView:
    """A fact, its values, and how many more there are."""

    name: str
    title: str
    rows: tuple[FacetRow, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """Two values that fail together; shares in per cent, ``more`` failures than expected."""

    url: str
    values: tuple[tuple[str, str, str], ...]
    answers: int
    failed: int
    rate: str
    low: str
    high: str
    expected: str
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A filter that is set, and the list without it."""

    name: str
    value: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedLink:
    """A view that somebody saved."""

    key: str
    name: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageView:
    """The values that the list's template shows."""

    total: int
    total_before: int | None
    rate: tuple[str, str, str] | None
    tiles: tuple[Tile, ...]
    chart: Chart | None
    facets: tuple[FacetView, ...]
    pairs: tuple[PairView, ...]
    chips: tuple[Chip, ...]
    rows: tuple[Row, ...]
    first: int
    previous_url: str | None
    next_url: str | None
    all_url: str
    table_url: str
    report_url: str
    saved: tuple[SavedLink, ...]
    query: str
    is_empty_store: bool


def make_triage_view(
    context: Context, form: FilterForm, links: Links, *, now: datetime
) -> TriageView:
    """Count the view and read one page of its list."""
    chosen = choose(context, form.view, now=now)
    overview = make_overview(chosen, values_shown=VALUES_SHOWN)
    titles = _find_titles(context, form, overview)
    numbers = chosen.list(form.skip, ROWS_PER_PAGE)
    listed = context.store.facts.find(numbers)
    total, skip = overview.now.answers, form.skip
    rate = overview.now.rate
    query = form.to_query()
    return TriageView(
        total=total,
        total_before=None if overview.before is None else overview.before.answers,
        rate=None
        if rate is None
        else (_percent(rate.estimate), _percent(rate.low), _percent(rate.high)),
        tiles=tuple(_make_tile(result, overview, form, links) for result in RESULTS),
        chart=draw_chart(overview.bars, form, links),
        facets=tuple(
            _make_facet(facet, titles, form, links)
            for facet in overview.facets
            if facet.name != "result" and facet.values
        ),
        pairs=tuple(_make_pair(pair, titles, form, links) for pair in overview.pairs),
        chips=_make_chips(titles, form, links),
        rows=load_rows(context, listed, links),
        first=skip + 1,
        previous_url=_to_page(form, links, skip - ROWS_PER_PAGE) if skip else None,
        next_url=_to_page(form, links, skip + ROWS_PER_PAGE)
        if skip + ROWS_PER_PAGE < total
        else None,
        all_url=links.home(form.to_query({"period": "all"}, without=("since", "until"))),
        table_url=links.table(query),
        report_url=links.reports(query),
        saved=tuple(
            SavedLink(key=each.key, name=each.name, url=f"{links.home()}?{each.query}")
            for each in list_views(context)
        ),
        query=links.home(query).partition("?")[2],
        is_empty_store=not len(chosen.facts),
    )


def _find_titles(context: Context, form: FilterForm, overview: Overview) -> dict[str, str]:
    shown = {form.doc_hash} - {None}
    for facet in overview.facets:
        shown |= {each.value for each in facet.values if facet.name == "doc_hash"}
    for pair in overview.pairs:
        shown |= {value for name, value in (pair.first, pair.second) if name == "doc_hash"}
    return context.store.documents.find_titles(sorted(filter(None, shown)))


def _make_tile(result: str, overview: Overview, form: FilterForm, links: Links) -> Tile:
    return Tile(
        result=result,
        count=overview.now.results[result],
        before=None if overview.before is None else overview.before.results[result],
        url=links.home(form.to_query({"result": result})),
    )


def _make_facet(facet: Facet, titles: dict[str, str], form: FilterForm, links: Links) -> FacetView:
    most = max(each.answers for each in facet.values)
    rows = []
    for each in facet.values:
        is_chosen = form.view.facts.get(facet.name) == each.value
        query = (
            form.to_query(without=(facet.name,))
            if is_chosen
            else form.to_query({facet.name: each.value})
        )
        rows.append(
            FacetRow(
                label=first_words(titles.get(each.value, each.value), _MOST_LABEL),
                whole=each.value,
                url=links.home(query),
                is_chosen=is_chosen,
                answers=each.answers,
                failed=each.failed,
                rate=_percent(each.failed / each.answers),
                width=round(100 * each.answers / most, 1),
                failed_width=round(100 * each.failed / most, 1),
            )
        )
    return FacetView(
        name=facet.name,
        title=FACTS[facet.name],
        rows=tuple(rows),
        more=facet.total - len(rows),
    )


def _make_pair(pair: Pair, titles: dict[str, str], form: FilterForm, links: Links) -> PairView:
    cell = pair.cell
    return PairView(
        url=links.home(form.to_query(dict((pair.first, pair.second)))),
        values=tuple(
            (FACTS[name], first_words(titles.get(value, value), _MOST_LABEL), value)
            for name, value in (pair.first, pair.second)
        ),
        answers=cell.answers,
        failed=cell.failed,
        rate=_percent(cell.rate.estimate),
        low=_percent(cell.rate.low),
        high=_percent(cell.rate.high),
        expected=_percent(cell.expected),
        more=round(cell.excess),
    )


def _make_chips(titles: dict[str, str], form: FilterForm, links: Links) -> tuple[Chip, ...]:
    return tuple(
        Chip(
            name=(FACTS | OTHERS)[name],
            value=first_words(titles.get(value, value), _MOST_LABEL),
            url=links.home(form.to_query(without=(name,)) or {"period": "all"}),
        )
        for name, value in form.given.items()
        if name in FACTS or name in OTHERS
    )


def _to_page(form: FilterForm, links: Links, skip: int) -> str:
    place = {"skip": str(skip)} if skip > 0 else {}
    return links.home(form.to_query(place))


def _percent(share: float) -> str:
    """With one decimal below ten per cent, where it tells something."""
    value = 100 * share
    return f"{value:.1f} %" if 0 < value < 10 else f"{value:.0f} %"
