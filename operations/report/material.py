"""What a report says: the scope, totals with intervals, each failure, and the plan of sampling."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from spanproof.core.errors import VerificationErasedError
from spanproof.core.moment import parse_moment, write_moment
from spanproof.core.shown import first_words
from spanproof.core.span import Span
from spanproof.monitor.estimate import compute_wilson
from spanproof.operations.access.principal import name_actor
from spanproof.operations.decisions import find_standing
from spanproof.operations.export.material import load_case
from spanproof.operations.presentation.excerpt import cut_excerpt
from spanproof.operations.sampling.audit import iterate_epochs
from spanproof.operations.triage.choosing import View, choose
from spanproof.store.records import VerificationFilter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanproof.monitor.estimate import Interval
    from spanproof.operations.context import Context
    from spanproof.operations.export.material import Case, CitedVerdict
    from spanproof.operations.presentation.excerpt import Excerpt
    from spanproof.operations.triage.choosing import Chosen

#: Outcomes that have a page of their own.
FAILURES: Final = ("fail", "error")
#: Answers that are asked for at once.
_CHUNK = 500
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
#: A longer quote is shown without its difference: comparing takes the square of its length.
_MOST_COMPARED = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Answers of one result, and their share with its 95 % interval."""

    result: str
    answers: int
    share: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionLine:
    """A decision of a person on the failure."""

    action: str
    reason: str
    who: str
    time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One page of the report; ``pieces`` are words with ``del``, ``ins`` or nothing."""

    number: int
    verification_id: str
    verified_at: str
    heading: str
    anchor: int
    outcome: str
    claim: str
    reason: str
    codes: tuple[str, ...]
    title: str | None
    pieces: tuple[tuple[str, str], ...]
    excerpt: Excerpt | None
    standing: str | None
    decisions: tuple[DecisionLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What the report is of."""

    tenant: str
    made_at: datetime
    since: str | None
    until: str | None
    filters: tuple[tuple[str, str], ...]
    totals: tuple[Total, ...]
    answers: int
    epochs: tuple[dict[str, Any], ...]


def write_view(view: View, given: Mapping[str, str]) -> dict[str, Any]:
    """A view as a job's argument; ``given`` are the filters as people named them."""
    rest, span = view.rest, view.rest.span
    return {
        "facts": dict(view.facts),
        "page": rest.page,
        "span": None if span is None else [span.start, span.end],
        "answer_id": rest.answer_id,
        "words": view.words,
        "since": None if view.since is None else write_moment(view.since),
        "until": None if view.until is None else write_moment(view.until),
        "given": dict(given),
    }


def read_view(raw: Mapping[str, Any], *, now: datetime) -> View:
    """The view of a job's argument; without an end it ends ``now``, so that a retry is the same."""
    return View(
        facts=raw["facts"],
        rest=VerificationFilter(
            page=raw["page"],
            span=None if raw["span"] is None else Span(*raw["span"]),
            answer_id=raw["answer_id"],
        ),
        words=raw["words"],
        since=None if raw["since"] is None else parse_moment(raw["since"]),
        until=now if raw["until"] is None else parse_moment(raw["until"]),
        sort="oldest",
    )


def describe_scope(
    context: Context, raw: Mapping[str, Any], chosen: Chosen, *, made_at: datetime
) -> Scope:
    """The scope with its totals."""
    total = len(chosen.places)
    column = chosen.facts.columns["result"]
    counted = dict(zip(column.values, column.count(chosen.places).tolist(), strict=True))
    named = {k: v for k, v in raw["given"].items() if k not in {"since", "until", "period"}}
    return Scope(
        tenant=context.tenant,
        made_at=made_at,
        since=raw["since"],
        until=raw["until"],
        filters=tuple(named.items()),
        totals=tuple(
            Total(
                result=result,
                answers=counted.get(result, 0),
                share=compute_wilson(counted.get(result, 0), total) if total else None,
            )
            for result in ("pass", "review", "fail", "error")
        ),
        answers=total,
        epochs=tuple(iterate_epochs(context)),
    )


def choose_answers(context: Context, raw: Mapping[str, Any], *, now: datetime) -> Chosen:
    """The answers of the report, oldest first."""
    return choose(context, read_view(raw, now=now), now=now)


def list_suspects(chosen: Chosen) -> list[int]:
    """The numbers of the answers that may hold a failure, oldest first."""
    facts = chosen.facts
    result = facts.columns["result"]
    suspect = result.has("fail") | result.has("error")
    return [int(facts.numbers[each]) for each in chosen.places if suspect[each]]


def iterate_cases(context: Context, numbers: Sequence[int]) -> Iterator[Case | None]:
    """The answers of these numbers; None where one was erased."""
    for start in range(0, len(numbers), _CHUNK):
        for name, _ in context.store.facts.find(numbers[start : start + _CHUNK]):
            try:
                yield load_case(context, name)
            except VerificationErasedError:
                yield None


def describe_failure(case: Case, verdict: CitedVerdict, number: int) -> Failure:
    """The page of one failing verdict."""
    raw, extraction, span = verdict.raw, verdict.extraction, verdict.span
    citation = raw["citation"]
    standing = find_standing(case.decisions, citation, datetime.now(UTC))
    source = None if extraction is None or span is None else extraction.text.slice(span)
    return Failure(
        number=number,
        verification_id=case.verification_id,
        verified_at=case.block["verified_at"],
        heading=first_words(case.question or case.prose, 140),
        anchor=raw["anchor"],
        outcome=raw["outcome"],
        claim=raw["claim"]["text"],
        reason=raw["notes"],
        codes=tuple(raw["codes"]),
        title=verdict.title,
        pieces=compare_words(verdict.quote, source),
        excerpt=None
        if extraction is None or span is None
        else cut_excerpt(extraction.text, span, around=200),
        standing=None if standing is None else standing.word,
        decisions=tuple(
            DecisionLine(
                action=each.event.action,
                reason=each.event.reason,
                who=name_actor(each.event.actor),
                time=each.event.time,
            )
            for each in case.decisions
            if each.event.citation == citation
        ),
    )


def compare_words(quote: str | None, source: str | None) -> tuple[tuple[str, str], ...]:
    """The quote's words, ``del`` where only it has them and ``ins`` where only the source does."""
    if quote is None:
        return ()
    if source is None or len(quote) + len(source) > _MOST_COMPARED:
        return (("", quote),)
    old, new = _WORD.findall(quote), _WORD.findall(source)
    found: list[tuple[str, str]] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, start, end, from_, to in matcher.get_opcodes():
        if kind == "equal":
            found.append(("", "".join(old[start:end])))
            continue
        found += [
            (sign, "".join(words))
            for sign, words in (("del", old[start:end]), ("ins", new[from_:to]))
            if words
        ]
    return tuple(found)
