"""Counts of samples by what tells answers apart: what rates are computed from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func
from sqlalchemy import select as select_columns
from sqlmodel import col

from spanproof.store.samples.draws import is_chosen
from spanproof.store.samples.records import ERASED, SampleCount, SampleGroup
from spanproof.store.samples.reviews import to_label
from spanproof.store.samples.tables import (
    ReviewItemRow,
    ReviewLabelRow,
    ReviewSheetRow,
    SampledVerificationRow,
    SubmittedAnswerRow,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Select
    from sqlmodel import Session

    from spanproof.store.database.session import Database
    from spanproof.store.samples.records import Label

_GROUP: tuple[Any, ...] = (
    col(SubmittedAnswerRow.stratum),
    col(SubmittedAnswerRow.epoch),
    col(SubmittedAnswerRow.tenant),
    col(SubmittedAnswerRow.model),
    col(SubmittedAnswerRow.index_version),
    col(SubmittedAnswerRow.threshold),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFilter:
    """The answers to count; None matches any value."""

    epoch: str | None = None
    model: str | None = None
    index_version: str | None = None
    stratum: str | None = None


@dataclass(slots=True)
class _Tally:
    answers: int = 0
    chosen: int = 0
    outcomes: dict[tuple[str, str, bool], int] = field(default_factory=dict)
    refused: int = 0
    counted: int = 0
    citations: int = 0
    failed: int = 0
    total_share: float = 0.0
    labels: dict[tuple[bool, Label], int] = field(default_factory=dict)
    erased: int = 0


def count_samples(database: Database, wanted: SampleFilter) -> list[SampleCount]:
    """The counts of every group that passes the filter."""
    tallies: dict[tuple[Any, ...], _Tally] = {}
    # One snapshot: every verified answer must be among the submitted ones.
    with database.snapshot() as session:
        _count_answers(session, wanted, tallies)
        _count_outcomes(session, wanted, tallies)
        _count_labels(session, wanted, tallies)
    return [
        SampleCount(
            group=SampleGroup(
                stratum=key[0],
                epoch=key[1],
                tenant=key[2],
                model=key[3],
                index_version=key[4],
                threshold=int(key[5], 16),
            ),
            answers=tally.answers,
            chosen=tally.chosen,
            outcomes=tally.outcomes,
            refused=tally.refused,
            counted=tally.counted,
            citations=tally.citations,
            failed_citations=tally.failed,
            total_share=tally.total_share,
            labels=tally.labels,
            erased=tally.erased,
        )
        for key, tally in tallies.items()
    ]


def count_traces(database: Database, wanted: SampleFilter, by: str | None) -> dict[Any, int]:
    """How many traces the verified answers are of, by one column; None: in all, under None.

    An answer without a trace is one of its own. An abstention or a question is not an answer.
    """
    found, trace = SampledVerificationRow, col(SubmittedAnswerRow.trace_id)
    key: tuple[Any, ...] = () if by is None else (getattr(SubmittedAnswerRow, by),)
    traces = func.count(trace.distinct()) + func.count() - func.count(trace)
    query: Select[Any] = select_columns(*key, traces).join(
        found, col(found.answer_id) == SubmittedAnswerRow.answer_id
    )
    is_judged = (col(found.answer_kind) == "answer", col(found.result) != ERASED)
    query = _narrow(query.where(*is_judged), wanted)
    if key:
        query = query.group_by(*key)
    with database.reading() as session:
        return {row[0] if key else None: row[-1] for row in session.execute(query)}


def _count_answers(
    session: Session, wanted: SampleFilter, tallies: dict[tuple[Any, ...], _Tally]
) -> None:
    chosen = func.sum(case((is_chosen(), 1), else_=0))
    query = _narrow(select_columns(*_GROUP, func.count(), chosen), wanted)
    for *key, answers, sampled in session.execute(query.group_by(*_GROUP)):
        tally = tallies.setdefault(tuple(key), _Tally())
        tally.answers, tally.chosen = answers, int(sampled)


def _count_outcomes(
    session: Session, wanted: SampleFilter, tallies: dict[tuple[Any, ...], _Tally]
) -> None:
    found = SampledVerificationRow
    columns = (
        *_GROUP,
        col(found.answer_kind),
        col(found.result),
        col(found.is_flagged),
    )
    query = _narrow(
        select_columns(
            *columns,
            func.count(),
            # Null is not counted: those that were refused have no verification.
            func.count(col(found.verification_id)),
            func.count(col(found.share)),
            func.sum(found.cited),
            func.sum(found.failed),
            func.coalesce(func.sum(found.share), 0.0),
        ).join(found, col(found.answer_id) == SubmittedAnswerRow.answer_id),
        wanted,
    )
    for row in session.execute(query.group_by(*columns)):
        *key, kind, result, is_flagged, answers, judged, counted, cited, failed, share = row
        tally = tallies.setdefault(tuple(key), _Tally())
        if result == ERASED:
            # It was not judged: counted in any other way it would make a rate look better or worse.
            tally.erased += answers
            continue
        tally.outcomes[kind, result, bool(is_flagged)] = answers
        tally.refused += answers - judged if kind == "answer" and is_flagged else 0
        tally.counted += counted
        tally.citations += int(cited)
        tally.failed += int(failed)
        tally.total_share += float(share)


def _count_labels(
    session: Session, wanted: SampleFilter, tallies: dict[tuple[Any, ...], _Tally]
) -> None:
    query = _narrow(
        select_columns(
            *_GROUP,
            col(ReviewItemRow.is_flagged),
            col(ReviewLabelRow.answer_id),
            col(ReviewLabelRow.reviewer),
            col(ReviewLabelRow.label),
            col(ReviewSheetRow.is_final),
        )
        .join(ReviewItemRow, col(ReviewItemRow.answer_id) == SubmittedAnswerRow.answer_id)
        .join(ReviewLabelRow, col(ReviewLabelRow.answer_id) == ReviewItemRow.answer_id)
        .outerjoin(
            ReviewSheetRow,
            (col(ReviewSheetRow.answer_id) == ReviewLabelRow.answer_id)
            & (col(ReviewSheetRow.position) == ReviewLabelRow.position),
        ),
        wanted,
    ).order_by(col(ReviewLabelRow.answer_id), col(ReviewLabelRow.position))
    said: dict[tuple[Any, ...], dict[str, Label]] = {}
    final: dict[tuple[Any, ...], Label] = {}
    for *key, is_flagged, answer_id, reviewer, label, is_final in session.execute(query):
        answer = (*key, bool(is_flagged), answer_id)
        # A person's newest label is theirs; who decided a dispute has the last word.
        said.setdefault(answer, {})[reviewer] = to_label(label)
        if is_final:
            final[answer] = to_label(label)
    for answer, labels in said.items():
        *key, is_flagged, _ = answer
        agreed = final.get(answer) or agree(list(labels.values()))
        counts = tallies.setdefault(tuple(key), _Tally()).labels
        counts[is_flagged, agreed] = counts.get((is_flagged, agreed), 0) + 1


def agree(labels: Sequence[Label]) -> Label:
    """What people agree on; ``unclear`` where they do not."""
    return labels[0] if len(set(labels)) == 1 else "unclear"


def _narrow(query: Select[Any], wanted: SampleFilter) -> Select[Any]:
    for name in ("epoch", "model", "index_version", "stratum"):
        value = getattr(wanted, name)
        if value is not None:
            query = query.where(getattr(SubmittedAnswerRow, name) == value)
    return query
