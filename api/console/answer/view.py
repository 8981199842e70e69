"""The page of one verification as values: summary, prose, cards, receipt, and read errors."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.api.console.answer.card import CitationCard, make_cards
from spanproof.api.console.answer.findings import (
    OverCitedView,
    RepairView,
    UncitedView,
    attach_repaired,
    describe_repair,
    list_answer_codes,
    list_over_cited,
    list_uncited,
)
from spanproof.api.console.answer.prose import ProsePiece, split_prose
from spanproof.core.errors import IntegrityError
from spanproof.core.shown import first_words
from spanproof.core.verdicts.headline import count_passing
from spanproof.operations.presentation.words import OUTCOMES, find_worst

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.api.console.answer.extraction_reader import ExtractionReader
    from spanproof.api.console.links import Links
    from spanproof.core.citation import Answer
    from spanproof.store.receipts import Receipts

#: Characters of a question or an answer in a list or a title.
MAX_HEADING_CHARACTERS = 140
#: A citation that nothing judged is no pass: it comes before the passes.
_ORDER = (*OUTCOMES[:-1], "unused", OUTCOMES[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """The values that the answer's template shows."""

    verification_id: str
    heading: str
    answer: Answer
    result: str
    counts: tuple[tuple[str, int], ...]
    headline: str
    facts: tuple[tuple[str, str], ...]
    digests: tuple[tuple[str, str], ...]
    orphans: tuple[int, ...]
    unread: tuple[str, ...]
    unused: tuple[int, ...]
    codes: tuple[tuple[str, str], ...]
    uncited: tuple[UncitedView, ...]
    over_cited: tuple[OverCitedView, ...]
    repair: RepairView | None
    remarks: tuple[Mapping[str, str], ...]
    prose: tuple[ProsePiece, ...]
    cards: tuple[CitationCard, ...]
    problems: tuple[str, ...]
    json_url: str

    @property
    def ordered(self) -> tuple[CitationCard, ...]:
        """The cards as a person works through them: the worst first, the passes last."""
        return tuple(sorted(self.cards, key=lambda card: _ORDER.index(card.outcome)))


def make_answer_view(
    verification_id: str,
    answer: Answer,
    block: Mapping[str, Any],
    reader: ExtractionReader,
    links: Links,
) -> AnswerView:
    """Build the page; the reader's problems come last, after all reading."""
    cited = attach_repaired(answer, block)
    cards = make_cards(cited, block, reader, links)
    return AnswerView(
        verification_id=verification_id,
        heading=make_heading(answer),
        answer=answer,
        result=find_worst([block["result"]]),
        counts=count_outcomes(block),
        headline=count_passing(block),
        facts=_list_facts(answer, block),
        digests=_list_digests(block),
        orphans=tuple(orphan["anchor"] for orphan in block["orphan_anchors"]),
        # A block of an earlier procedure has no such list.
        unread=tuple(mark["text"] for mark in block.get("unread_citations", ())),
        unused=tuple(block["unused_citations"]),
        codes=list_answer_codes(block),
        uncited=list_uncited(answer.prose, block),
        over_cited=list_over_cited(answer.prose, block),
        repair=describe_repair(block),
        # A block of an earlier procedure has no remarks.
        remarks=tuple(block["import"].get("remarks", ())),
        prose=split_prose(cited, block),
        cards=cards,
        problems=tuple(dict.fromkeys(reader.problems)),
        json_url=links.verification_json(verification_id),
    )


def count_outcomes(block: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """Number of verdicts by outcome, worst first, and of orphans; without zeros."""
    outcomes = [find_worst([verdict["outcome"]]) for verdict in block["verdicts"]]
    counted = [(outcome, outcomes.count(outcome)) for outcome in OUTCOMES]
    counted.insert(1, ("orphan", len(block["orphan_anchors"])))
    return tuple((word, count) for word, count in counted if count)


def make_heading(answer: Answer) -> str:
    """The first words of the question, else of the answer."""
    return first_words(answer.question or answer.prose, MAX_HEADING_CHARACTERS) or "(empty answer)"


def _list_facts(answer: Answer, block: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    declared = block["declared"]
    generator = answer.generator.model if answer.generator else None
    facts = (
        ("Recommended action", block["recommended_action"]),
        ("Why it is not shown", block["abstention_reason"]),
        ("All spans present", _yes_or_no(value=block["all_spans_present"])),
        ("All claims entailed", _yes_or_no(value=block["all_claims_entailed"])),
        (
            "Citation density",
            f"{block['citation_density']:.2f} passing, {declared['density']:.2f} declared",
        ),
        ("Citations declared", declared["count"]),
        ("Policy", f"{block['policy']['name']} {block['policy'].get('version', '')}".strip()),
        ("Entailment model", block["model"]["name"]),
        ("Written by", generator),
        ("Answer id", answer.answer_id),
        ("Session", answer.session_id),
        ("Trace", answer.trace_id),
        ("Kind", None if answer.answer_kind == "answer" else answer.answer_kind),
    )
    labels = tuple((f"Label “{name}”", value) for name, value in answer.labels)
    return tuple((name, str(value)) for name, value in facts if value) + labels


def _list_digests(block: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    model, policy = block["model"], block["policy"]
    digests = (
        ("Verifier version", block["verifier_version"]),
        ("Verdicts digest", block["verdicts_digest"]),
        ("Policy digest", policy["digest"]),
        ("Model weights", f"sha256:{model['weights_sha256']}" if model["weights_sha256"] else None),
        ("Model runtime", model["runtime"]),
        ("Model calibration", model["calibration"]),
    )
    return tuple((name, str(value)) for name, value in digests if value)


def _yes_or_no(*, value: bool) -> str:
    return "yes" if value else "no"


LOG = logging.getLogger("spanproof.console")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptView:
    """``problem``: why a stored receipt cannot be shown; ``url`` None: no receipt."""

    url: str | None
    origin: str | None = None
    index: int | None = None
    problem: str | None = None


def make_receipt_view(receipts: Receipts, verification_id: str, links: Links) -> ReceiptView:
    """The view of a verification's receipt, or of its absence."""
    try:
        found = receipts.find(verification_id)
    except IntegrityError as error:
        # An unreadable receipt must not hide the verification.
        LOG.exception("%s", error.code)
        return ReceiptView(url=None, problem=str(error))
    if found is None:
        return ReceiptView(url=None)
    return ReceiptView(url=links.receipt(verification_id), origin=found.origin, index=found.index)
