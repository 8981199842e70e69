"""The values of the pages about documents, jobs and access."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.operations.access.keys import list_keys
from spanproof.operations.jobs.records import JobState
from spanproof.verifier.policies import NAMES, load_policy

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.api.console.links import Links
    from spanproof.core.verdicts.policy import Policy
    from spanproof.operations.access.keys import NewKey
    from spanproof.operations.access.principal import Principal
    from spanproof.operations.context import Context
    from spanproof.operations.jobs.records import Job
    from spanproof.store.records import DocumentRecord

#: How many kept answers a policy may be tried on while somebody waits; the first is offered.
REHEARSED = ("50", "10", "200")
#: Rows on one page of each list.
ROWS_PER_PAGE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """A document, and how many kept answers cite it and fail."""

    record: DocumentRecord
    url: str
    answers_url: str
    answers: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsView:
    """A page of documents, newest first; with problems alone where it is so asked."""

    rows: tuple[DocumentRow, ...]
    only_problems: bool
    other_url: str
    next_url: str | None


def make_documents_view(
    context: Context, links: Links, *, only_problems: bool, cursor: str | None
) -> DocumentsView:
    """List documents with their extraction's state, and who cites them."""
    page = context.store.documents.list(cursor, ROWS_PER_PAGE, only_degraded=only_problems)
    facts = context.store.facts.load()
    cited = facts.columns["doc_hash"]
    fails = facts.columns["result"].has("fail")
    query = {"problems": "1"} if only_problems else {}
    rows = []
    for record in page.items:
        name = str(record.document.doc_hash)
        answers = cited.has(name)
        rows.append(
            DocumentRow(
                record=record,
                url=links.document(name),
                answers_url=links.home({"doc_hash": name, "period": "all"}),
                answers=int(answers.sum()),
                failed=int((answers & fails).sum()),
            )
        )
    return DocumentsView(
        rows=tuple(rows),
        only_problems=only_problems,
        other_url=links.documents({} if only_problems else {"problems": "1"}),
        next_url=None
        if page.next_cursor is None
        else links.documents(query | {"cursor": page.next_cursor}),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsView:
    """A page of jobs, newest first; ``state`` narrows it."""

    jobs: tuple[Job, ...]
    state: str | None
    states: tuple[str, ...]
    may_cancel: bool
    may_stop_watching: bool
    next_url: str | None


def make_jobs_view(
    context: Context,
    links: Links,
    *,
    state: str | None,
    cursor: str | None,
    principal: Principal,
) -> JobsView:
    """List jobs; raise ValueError for a word that names no state."""
    wanted = None if state is None else JobState(state)
    page = context.jobs.list(state=wanted, limit=ROWS_PER_PAGE, cursor=cursor)
    query = {} if state is None else {"state": state}
    return JobsView(
        jobs=page.items,
        state=state,
        states=tuple(each.value for each in JobState),
        may_cancel=principal.has_any(("verify", "ingest", "admin")),
        may_stop_watching=principal.has_any(("admin",)),
        next_url=None
        if page.next_cursor is None
        else links.jobs(query | {"cursor": page.next_cursor}),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessView:
    """Keys of the tenant without their secrets, all tenants for the home's own, and policies."""

    tenant: str
    tenants: tuple[str, ...]
    keys: tuple[NewKey, ...]
    policies: tuple[Policy, ...]
    rehearsed: tuple[str, ...] = REHEARSED


def make_access_view(
    home: Context, context: Context, tenants: tuple[str, ...], *, now: datetime
) -> AccessView:
    """What holds now; nothing here can be changed."""
    return AccessView(
        tenant=context.tenant,
        # A tenant does not learn the names of others.
        tenants=tenants if context.tenant == home.tenant else (context.tenant,),
        keys=list_keys(home, context.tenant, now=now),
        policies=tuple(map(load_policy, NAMES)),
    )
