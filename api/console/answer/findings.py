"""Findings about the whole answer, in words: uncited, over-cited, repaired, its own codes.

Blocks of earlier procedures lack some of these fields; missing ones are not shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from spanproof.core.citation import Citation, Quote
from spanproof.core.digest import Digest
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.citation import Answer

#: Why an uncited sentence needs a check or not, by the block's reason.
WORTH_REASONS: Final = {
    "heading": "it is a heading",
    "label": "it only announces what follows",
    "structure": "it only tells how the answer goes on",
    "question": "it asks a question",
    "greeting": "it is a greeting",
    "offer": "it offers help or asks for more",
    "abstention": "it says that there is no answer",
    "fragment": "it is too short to state anything",
    "date": "it names a date",
    "number": "it gives a number",
    "duty": "it says what must, may or must not be done",
    "comparison": "it compares, or speaks of all or none",
    "name": "it names someone or something",
    "statement": "it states something",
}
#: What the codes of an answer say.
ANSWER_CODES: Final = {
    "KIND_CONTRADICTED": "It is called a question, abstention or refusal, but it states something.",
    "UNCITED_STATEMENT": "It states something without a citation: see the dotted sentences.",
    "UNREAD_CITATION": "It has marks that look like citations and are not read.",
}
#: Why repair did not run.
SKIPPED_REPAIRS: Final = {
    "has_citations": "the answer has citations of its own",
    "no_prose": "the answer has no sentence to repair",
    "no_sources": "no source was supplied with the answer",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UncitedView:
    """A sentence without a citation; ``is_worth_a_check`` is None without a hint in the block."""

    text: str
    is_worth_a_check: bool | None
    why: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverCitedView:
    """A claim with redundant citations: all anchors, and the redundant ones."""

    text: str
    anchors: tuple[int, ...]
    idle: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairView:
    """What repair did: the anchors it attached, and the number of sentences without a citation."""

    anchors: tuple[int, ...]
    rejected: int
    unconsidered: int
    skipped: str | None


def list_uncited(prose: str, block: Mapping[str, Any]) -> tuple[UncitedView, ...]:
    """The uncited sentences with their hints."""
    return tuple(
        UncitedView(
            text=prose[sentence["start"] : sentence["end"]],
            is_worth_a_check=sentence.get("check_worthy"),
            why=_say(WORTH_REASONS, sentence.get("reason")),
        )
        for sentence in block["uncited_sentences"]
    )


def list_over_cited(prose: str, block: Mapping[str, Any]) -> tuple[OverCitedView, ...]:
    """The over-cited claims."""
    return tuple(
        OverCitedView(
            text=prose[claim["start"] : claim["end"]],
            anchors=tuple(claim["anchors"]),
            idle=tuple(claim["idle"]),
        )
        for claim in block.get("over_cited", ())
    )


def list_answer_codes(block: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The codes of the answer itself, each with its sentence."""
    unknown = "This console does not know the code."
    return tuple((code, ANSWER_CODES.get(code, unknown)) for code in block.get("codes", ()))


def describe_repair(block: Mapping[str, Any]) -> RepairView | None:
    """What repair did; None if it was not requested."""
    report = block.get("repair")
    if report is None:
        return None
    return RepairView(
        anchors=tuple(citation["anchor"] for citation in report["citations"]),
        rejected=report["rejected_not_entailed"],
        unconsidered=report["unconsidered"],
        skipped=_say(SKIPPED_REPAIRS, report["skipped"]),
    )


def attach_repaired(answer: Answer, block: Mapping[str, Any]) -> Answer:
    """The answer with its repaired citations last: verdicts name them by that index."""
    report = block.get("repair")
    if report is None or not report["citations"]:
        return answer
    repaired = (_read_repaired(citation) for citation in report["citations"])
    return replace(answer, citations=(*answer.citations, *repaired))


def _read_repaired(raw: Mapping[str, Any]) -> Citation:
    span, segment = raw["span"], raw["segment"]
    return Citation(
        anchor=raw["anchor"],
        quote=span and Quote(text=span["text"], start=span["char_start"], end=span["char_end"]),
        doc_hash=Digest.parse(raw["doc_hash"]),
        chunk_id=raw["chunk_id"],
        doc_title=raw["doc_title"],
        segment=segment and Span(segment["start"], segment["end"]),
        origin="repair",
        repaired=True,
    )


def _say(words: Mapping[str, str], reason: str | None) -> str | None:
    # Show an unknown reason as it is.
    return None if reason is None else words.get(reason, reason)
