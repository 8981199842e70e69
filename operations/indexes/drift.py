"""Drift compared with a budget: of an index's versions, and of citations in another extraction."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.errors import IndexNotFoundError, InputError
from spanproof.core.span import Span
from spanproof.core.verdicts.reanchoring import ALGORITHM, Reanchored, ReanchorStatus
from spanproof.operations.indexes.comparison import compare
from spanproof.operations.webhooks.endpoints import notify

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.documents.document import Extraction
    from spanproof.operations.context import Context
    from spanproof.operations.indexes.comparison import IndexDiff
    from spanproof.operations.jobs.kinds import ProgressCall
    from spanproof.store.indexes.index_rows import IndexedCitation

BUDGET = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionDrift:
    """The places of an extraction's kept citations in another extraction."""

    source: Digest
    target: Digest
    classes: dict[ReanchorStatus, int]
    conflicts: int
    accepted: int
    blank: int
    recorded: int

    @property
    def total(self) -> int:
        """How many citations were looked for."""
        return sum(self.classes.values())

    @property
    def share(self) -> float:
        """The share that has no place that may be taken unseen."""
        return (self.total - self.accepted) / self.total if self.total else 0.0

    def to_json(self) -> dict[str, Any]:
        """The counts as both doors show them."""
        return {
            "from": str(self.source),
            "to": str(self.target),
            "algorithm": ALGORITHM,
            "citations": self.total,
            "classes": {each.value: self.classes[each] for each in ReanchorStatus},
            "conflicts": self.conflicts,
            "accepted": self.accepted,
            "not_accepted": self.total - self.accepted,
            "blank": self.blank,
            "recorded": self.recorded,
            "share": self.share,
        }


def reanchor_citations(
    context: Context,
    source_ref: str,
    target_ref: str,
    *,
    moment: datetime,
    progress: ProgressCall | None = None,
) -> ExtractionDrift:
    """Re-anchor every kept citation of an extraction in another, and keep each result as a row.

    The verdicts stay as they are. A result that the same algorithm kept before is not kept twice.
    A result of that very ``moment`` counts as recorded: an earlier run of the same job kept it.
    ``progress`` is called before each citation; an error of it ends the work before a row is kept.
    """
    documents, indexes = context.store.documents, context.store.indexes
    source = documents.load_extraction(Digest.parse(source_ref))
    target = documents.load_extraction(Digest.parse(target_ref))
    citations = list(indexes.citations_in(source.extraction_id))
    found = _reanchor_all(source, target, citations, progress)
    recorded = indexes.add_reanchored(
        found,
        source=source.extraction_id,
        target=target.extraction_id,
        added_at=moment,
        is_repeated=True,
    )
    classes = dict.fromkeys(ReanchorStatus, 0)
    for _, result in found:
        classes[result.status] += 1
    return ExtractionDrift(
        source=source.extraction_id,
        target=target.extraction_id,
        classes=classes,
        conflicts=sum(result.channels.value == "CONFLICT" for _, result in found),
        accepted=sum(result.is_accepted for _, result in found),
        blank=len(citations) - len(found),
        recorded=recorded,
    )


def compare_newest(context: Context, name: str | None = None) -> list[IndexDiff]:
    """The newest version of an index against the one before it, or those of every index.

    Raises IndexNotFoundError if there is nothing to compare: such a gate must not pass.
    """
    versions = context.store.indexes.list(name)
    pairs = [
        [each.version for each in group][:2]
        for _, group in groupby(versions, key=lambda each: each.name)
    ]
    names = list(dict.fromkeys(each.name for each in versions))
    found = [
        compare(context, each, pair[1], pair[0])
        for each, pair in zip(names, pairs, strict=True)
        if len(pair) == 2
    ]
    if not found:
        of = "an index" if name is None else f"index {name!r}"
        msg = f"Expected two registered versions of {of}, got {len(versions)}."
        raise IndexNotFoundError(msg, hint="Register both manifests with 'index register'.")
    return found


def check_drift(
    context: Context,
    name: str,
    *,
    budget: float,
    versions: tuple[str, str] | None = None,
    is_recorded: bool = True,
) -> dict[str, Any]:
    """Compare an index's newest version with a budget; the report as both doors show it.

    ``versions`` are an older and a newer one to compare instead. With ``is_recorded`` False it only
    looks: it sets no gauge and sends no event. Raises IndexNotFoundError without two versions.
    """
    check_budget(budget)
    if versions is None:
        (found,) = compare_newest(context, name)
    else:
        found = compare(context, name, *versions)
    if is_recorded:
        record_drift(context, found, budget)
    return found.to_json() | {
        "chunk_share": found.chunk_share,
        "citation_share": found.citation_share,
        "budget": budget,
        "over_budget": is_over(found, budget),
    }


def record_drift(context: Context, report: IndexDiff, budget: float) -> None:
    """Set the gauges of an index; over the budget, send an event to the webhooks.

    One event for two versions and a budget, however often they are compared.
    """
    shown = report.to_json()
    context.metrics.set_drift(report.old.name, shown["citations"])
    if is_over(report, budget):
        pair = f"{report.old.manifest_sha256}/{report.new.manifest_sha256}"
        notify(
            context,
            "drift.over_budget",
            {name: value for name, value in shown.items() if name != "lists"}
            | {"citation_share": report.citation_share, "budget": budget},
            event_id=f"drift.over_budget/{report.old.name}/{pair}/{budget!r}",
        )


def check_budget(budget: float) -> float:
    """The budget; raise InputError for anything but a share."""
    if not 0 <= budget <= 1:
        msg = f"Expected a budget from 0 to 1, got {budget}."
        raise InputError(msg, hint="Give the share of citations that may be lost.")
    return budget


def is_over(report: IndexDiff | ExtractionDrift, budget: float) -> bool:
    """Whether more is lost than the budget allows: of chunks or of citations."""
    if isinstance(report, ExtractionDrift):
        return report.share > budget
    return max(report.chunk_share, report.citation_share) > budget


def _reanchor_all(
    source: Extraction,
    target: Extraction,
    citations: list[IndexedCitation],
    progress: ProgressCall | None,
) -> list[tuple[IndexedCitation, Reanchored]]:
    from spanproof.verifier.quotes.places import is_blank
    from spanproof.verifier.quotes.reanchor import reanchor

    known: dict[Span, Reanchored | None] = {}
    found: list[tuple[IndexedCitation, Reanchored]] = []
    for number, citation in enumerate(citations):
        if progress is not None:
            progress(number, len(citations))
        span = Span(citation.start, citation.end)
        if span not in known:
            # Blanks stand everywhere: they are counted, and looked for nowhere.
            blank = is_blank(source.text.slice(span))
            known[span] = None if blank else reanchor(source, span, target)
        result = known[span]
        if result is not None:
            found.append((citation, result))
    return found
