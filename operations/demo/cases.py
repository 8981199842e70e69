"""The demo as data: its documents, and the answer's six claims with what must come out."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Literal

from spanproof.core.verdicts.status import ExistenceStatus, Outcome, SupportStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoDocument:
    """A document of the demo: the name it is ingested under, and its title."""

    doc_id: str
    title: str

    @property
    def file_name(self) -> str:
        """The name of its PDF in this package."""
        return f"{self.doc_id}.pdf"


POLICY = DemoDocument(
    doc_id="facilities-and-payments-policy", title="Facilities and Payments Policy"
)
AGREEMENT = DemoDocument(doc_id="cleaning-supplier-agreement", title="Cleaning Supplier Agreement")


def read_pdf(document: DemoDocument) -> bytes:
    """The document's bytes, as they were shipped."""
    return (resources.files("spanproof.operations.demo") / document.file_name).read_bytes()


#: How far the offsets of the stale citation lie from where its words stand today.
STALE_BY = 137

Fault = Literal["none", "stale_offsets", "altered_quote", "wrong_document", "invented_quote"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One claim and its citation.

    ``words`` stand in ``source`` (None: nowhere) up to line ends, hyphens and ligatures; the
    citation names the policy and carries ``fault``. ``support`` is None where it is not
    what the case is about.
    """

    lesson: str
    claim: str
    words: str
    source: DemoDocument | None
    fault: Fault
    existence: ExistenceStatus
    support: SupportStatus | None
    outcome: Outcome
    alteration: tuple[str, str] = ("", "")


CITED = POLICY

CASES: tuple[Case, ...] = (
    Case(
        lesson="entailed, and quoted exactly",
        claim="Approved invoices are paid within four business days",
        words="Approved invoices are paid within four business days of their receipt by the "
        "Accounts Office.",
        source=POLICY,
        fault="none",
        existence=ExistenceStatus.EXACT,
        support=SupportStatus.ENTAILED,
        outcome=Outcome.PASS,
    ),
    Case(
        lesson="the claim says the opposite of its span",
        claim="Fire alarms are never tested",
        words="Fire alarms are tested every week, on the same day and at the same hour, so that "
        "tenants know what to expect.",
        source=POLICY,
        fault="none",
        existence=ExistenceStatus.EXACT,
        support=SupportStatus.CONTRADICTED,
        outcome=Outcome.FAIL,
    ),
    Case(
        lesson="the quote changes a number",
        claim="A supplier may claim interest of 5.5 per cent a year on late payments",
        words="A supplier may claim interest of 3.5 per cent a year on any amount that is paid "
        "late.",
        source=POLICY,
        fault="altered_quote",
        alteration=("3.5", "5.5"),
        existence=ExistenceStatus.ALTERED,
        support=None,
        outcome=Outcome.FAIL,
    ),
    Case(
        lesson="stale offsets: the words moved",
        claim="Fire doors are inspected every six months",
        words="Fire doors are inspected every six months by a competent person.",
        source=POLICY,
        fault="stale_offsets",
        existence=ExistenceStatus.MOVED,
        support=SupportStatus.ENTAILED,
        outcome=Outcome.REVIEW,
    ),
    Case(
        lesson="the words stand in another document",
        claim="The supplier holds public liability insurance of at least two million pounds",
        words="The supplier holds public liability insurance of at least two million pounds.",
        source=AGREEMENT,
        fault="wrong_document",
        existence=ExistenceStatus.MISATTRIBUTED,
        support=None,
        outcome=Outcome.FAIL,
    ),
    Case(
        lesson="the quote is nowhere",
        claim="Employees get free gym membership after their probation",
        words="After six months of probation, employees receive free membership of the gymnasium.",
        source=None,
        fault="invented_quote",
        existence=ExistenceStatus.ABSENT,
        support=None,
        outcome=Outcome.FAIL,
    ),
)
