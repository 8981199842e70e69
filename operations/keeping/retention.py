"""Retention: what a plan lets go by now and why, and letting it go behind tombstones.

The dry run lists; applying erases as ``erase`` does, so that each thing has its signed tombstone. A
legal hold wins. A document that a kept answer cites stays as long as the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from spanproof.core.digest import Digest
from spanproof.core.errors import NotFoundError
from spanproof.core.moment import write_moment
from spanproof.operations.accesses import erase_day
from spanproof.operations.documents.source_states import find_states
from spanproof.operations.erasing import erase
from spanproof.operations.errors import LegalHoldError
from spanproof.operations.keeping.holds import (
    HoldCheck,
    labels_of,
    parse_labels,
    read_labels,
)
from spanproof.receipt.statement.predicate import NOBODY
from spanproof.store.erasing.aged import list_aged_answers, list_aged_documents
from spanproof.store.erasing.refusal import DOCUMENT, VERIFICATION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.operations.context import Context
    from spanproof.operations.keeping.plan import RetentionPlan, RetentionRule
    from spanproof.receipt.statement.predicate import Actor
    from spanproof.store.erasing.aged import Aged
    from spanproof.store.erasing.refusal import ErasedKind

#: Of one call over HTTP; the next call goes on.
MOST_AT_ONCE = 1000
#: The name of the plan in the log's statements of configuration.
CONFIGURED = "retention-plan"
Fate = Literal["due", "held", "cited"]
ACCESSES: Literal["accesses"] = "accesses"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Something that a rule lets go; ``fate`` is ``held`` or ``cited`` where it stays for now.

    Of accesses the subject is a day. ``why`` is a sentence: which rule, which hold, who cites it.
    """

    kind: ErasedKind | Literal["accesses"]
    subject: str
    since: datetime
    rule: str
    fate: Fate
    why: str

    def to_json(self) -> dict[str, Any]:
        """A row of the list."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "since": write_moment(self.since),
            "rule": self.rule,
            "fate": self.fate,
            "why": self.why,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionReport:
    """What is due, or what went; ``remaining`` is due too and was left for the next call."""

    plan: RetentionPlan
    erased: tuple[Due, ...] = ()
    due: tuple[Due, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The report as both doors print it."""
        return {
            "plan": str(self.plan.digest),
            "erased": [each.to_json() for each in self.erased],
            "due": [each.to_json() for each in self.due],
        }


def list_due(
    context: Context, plan: RetentionPlan, *, now: datetime | None = None
) -> RetentionReport:
    """The dry run: everything that some rule lets go, the oldest first, and what keeps it."""
    return RetentionReport(plan=plan, due=tuple(_find_due(context, plan, now or datetime.now(UTC))))


def apply_plan(
    context: Context,
    plan: RetentionPlan,
    *,
    limit: int = MOST_AT_ONCE,
    actor: Actor = NOBODY,
    now: datetime | None = None,
) -> RetentionReport:
    """Erase what is due, at most ``limit`` things, each behind its tombstone.

    The log names the plan first. Raises LogError where no leaf can be logged: then nothing goes.
    """
    context.issuer.record_configuration({CONFIGURED: plan.digest})
    erased: list[Due] = []
    left: list[Due] = []
    gone: set[tuple[str, str]] = set()
    for each in _find_due(context, plan, now or datetime.now(UTC)):
        if (each.kind, each.subject) in gone:
            # It had the same words as one before it, and went with that.
            continue
        if each.fate != "due" or len(erased) >= limit:
            left.append(each)
            continue
        if each.kind == ACCESSES:
            erase_day(context, each.subject, reason=each.why, actor=actor)
            erased.append(each)
            continue
        try:
            reports = erase(context, each.subject, kind=each.kind, reason=each.why, actor=actor)
        except (LegalHoldError, NotFoundError) as error:
            # Placed, or erased by somebody else, since the list was made.
            left.append(each)
            if isinstance(error, NotFoundError):
                left.pop()
            continue
        gone |= {(report.record.kind, report.record.subject) for report in reports}
        erased.append(each)
    return RetentionReport(plan=plan, erased=tuple(erased), due=tuple(left))


def _find_due(context: Context, plan: RetentionPlan, now: datetime) -> Iterator[Due]:
    held = HoldCheck(context)
    database = context.store.database
    for rules, listed in (
        (plan.rules_of("answers", context.tenant), list_aged_answers),
        # Behind the answers: a document may be free once they are gone.
        (plan.rules_of("documents", context.tenant), list_aged_documents),
    ):
        if rules:
            for each in listed(database, now - min(rule.age for rule in rules)):
                rule = _find_rule(context, rules, each, now)
                if rule is not None:
                    yield _judge(context, held, each, rule)

    for day in context.store.accesses.list_days():
        # Its last line is as old as its end.
        since = datetime.fromisoformat(f"{day}T00:00:00+00:00") + timedelta(days=1)
        rules = plan.rules_of(ACCESSES, context.tenant)
        rule = next((each for each in rules if since < now - each.age and not each.labels), None)
        if rule is not None and context.store.accesses.describe(day).removed_at is None:
            why = _explain(rule)
            yield Due(kind=ACCESSES, subject=day, since=since, rule=rule.name, fate="due", why=why)


def _explain(rule: RetentionRule) -> str:
    return f"retention rule '{rule.name}': older than {rule.older_than_days} days"


def _find_rule(
    context: Context, rules: tuple[RetentionRule, ...], each: Aged, now: datetime
) -> RetentionRule | None:
    """The first rule that lets it go; the labels are read only where a rule asks for them."""
    labels: frozenset[str] | None = None
    for rule in rules:
        if each.since >= now - rule.age:
            continue
        if rule.labels and labels is None:
            labels = _read_labels(context, each)
        if rule.fits(labels or frozenset()):
            return rule
    return None


def _read_labels(context: Context, each: Aged) -> frozenset[str]:
    if each.kind == DOCUMENT:
        doc_hash = Digest.parse(each.subject)
        return labels_of(find_states(context, [doc_hash]).get(doc_hash))
    if each.kind == VERIFICATION:
        return read_labels(context, each.subject)
    answer = context.store.samples.answers.load(each.subject)
    return parse_labels(answer.raw, answer.format)


def _judge(context: Context, held: HoldCheck, each: Aged, rule: RetentionRule) -> Due:
    fate: Fate = "due"
    why = _explain(rule)
    hold = held.find(each.kind, each.subject)
    if hold is not None:
        fate, why = "held", f"legal hold {hold.hold_id}: {hold.reason}"
    elif each.kind == DOCUMENT:
        citing = context.store.erasures.list_quoting(Digest.parse(each.subject))
        if citing:
            fate, why = "cited", f"{len(citing)} kept verifications cite it"
    return Due(
        kind=each.kind,
        subject=each.subject,
        since=each.since,
        rule=rule.name,
        fate=fate,
        why=why,
    )
