"""What is wrong with an answer: one item a fault for a new attempt, or lines for a test's output.

For a prompt or a person. It says what is wrong and where, never what the source would have said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.shown import first_words
from spanproof.core.span import Span
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.status import IdentityStatus, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.citation import Citation
    from spanproof.core.verdicts.verdict import Verdict
    from spanproof.core.verdicts.verification_block import VerificationBlock

#: The first of these statuses in a verdict decides which action is asked for.
_ACTIONS = (
    ("IDENTITY_", "cite a document that was supplied, by its whole hash"),
    ("EXISTENCE_MISATTRIBUTED", "name the document in which the quoted words stand"),
    ("EXISTENCE_STITCHED", "quote one place of the source, not two joined"),
    ("EXISTENCE_ALTERED", "quote the words of the source without a change"),
    ("EXISTENCE_ABSENT", "quote words that stand in the source"),
    ("EXISTENCE_AMBIGUOUS", "give the offsets, or a longer quote that stands only once"),
    ("EXISTENCE_MOVED", "give the offsets at which the quote stands"),
    ("EXISTENCE_", "quote words of the source"),
    ("SUPPORT_CONTRADICTED", "say what the cited words say: they seem to contradict the sentence"),
    ("SUPPORT_", "say only what the cited words say, or cite words that say it"),
    ("LOCATOR_", "give the page on which the quote stands"),
)
_GOOD = frozenset(
    {
        "IDENTITY_MATCH",
        "IDENTITY_SNIPPET",
        "EXISTENCE_EXACT",
        "EXISTENCE_FOLD_EQUAL",
        "LOCATOR_MATCH",
        "LOCATOR_NOT_GIVEN",
        "LOCATOR_NO_LAYOUT",
        "LOCATOR_NOT_RUN",
        "SUPPORT_ENTAILED",
    }
)
_WIDTH = 100
#: How a line describes each kind of fault beside the verdicts.
_LOOSE = {
    "uncited_sentence": "states something without a citation",
    "unread_citation": "looks like a citation and is not read",
}
_NAMES = {
    "orphan_anchor": "has no citation",
    "unused_citation": "is cited and no sentence has its anchor",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackItem:
    """One fault: its kind, its place in the answer, its codes, and the action to take.

    Kinds: ``failed_citation``, ``orphan_anchor``, ``unread_citation``, ``unused_citation``,
    ``uncited_sentence``.
    """

    kind: str
    span: Span | None
    text: str | None
    action: str
    anchor: int | None = None
    codes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain values; offsets are null if the fault stands nowhere in the prose."""
        return {
            "kind": self.kind,
            "anchor": self.anchor,
            "start": None if self.span is None else self.span.start,
            "end": None if self.span is None else self.span.end,
            "text": self.text,
            "codes": list(self.codes),
            "action": self.action,
        }


def feedback(block: VerificationBlock) -> tuple[FeedbackItem, ...]:
    """Every fault of an answer, in the order of its prose; empty if there is nothing to correct."""
    return read_feedback(block_to_json(block), block.answer.prose)


def read_feedback(block: Mapping[str, Any], prose: str) -> tuple[FeedbackItem, ...]:
    """The same of a block as it is kept, and the prose that it is about."""
    items = [_of_verdict(v) for v in block["verdicts"] if v["outcome"] != Outcome.PASS]
    for orphan in block["orphan_anchors"]:
        action = "give a citation of that number, or leave the anchor out"
        items.append(_at(prose, orphan, "orphan_anchor", action, anchor=orphan["anchor"]))
    for mark in block.get("unread_citations", ()):
        action = "cite with [n] and a citation of that number, or leave the mark out"
        items.append(_at(prose, mark, "unread_citation", action))
    for sentence in block["uncited_sentences"]:
        # A block of an earlier procedure has no such hint.
        if sentence.get("check_worthy", True):
            action = "cite the words that support the sentence, or leave it out"
            items.append(_at(prose, sentence, "uncited_sentence", action))
    for anchor in block["unused_citations"]:
        action = "put its anchor after the sentence that it supports, or leave it out"
        items.append(
            FeedbackItem(kind="unused_citation", span=None, text=None, anchor=anchor, action=action)
        )
    return tuple(sorted(items, key=_place))


def _at(
    prose: str, place: Mapping[str, Any], kind: str, action: str, *, anchor: int | None = None
) -> FeedbackItem:
    span = Span(place["start"], place["end"])
    text = prose[span.start : span.end]
    return FeedbackItem(kind=kind, span=span, text=text, anchor=anchor, action=action)


def _of_verdict(verdict: Mapping[str, Any]) -> FeedbackItem:
    codes = tuple(
        code
        for code in verdict["codes"]
        if code not in _GOOD and not code.startswith(("ATTRIBUTION_", "VETO_"))
    )
    action = next(
        (action for start, action in _ACTIONS if any(code.startswith(start) for code in codes)),
        "let a person look at the citation",
    )
    claim = verdict["claim"]
    return FeedbackItem(
        kind="failed_citation",
        span=Span(claim["start"], claim["end"]),
        text=claim["text"],
        anchor=verdict["anchor"],
        codes=codes,
        action=action,
    )


def _place(item: FeedbackItem) -> tuple[bool, int, int, str, int]:
    span = item.span
    start, end = (0, 0) if span is None else (span.start, span.end)
    return (span is None, start, end, item.kind, item.anchor or 0)


def write_failure(block: VerificationBlock) -> str:
    """The result and, in a few lines each, every verdict that does not pass and every loose end.

    It also describes an answer that passes; a caller checks ``block.result`` first.
    """
    policy = f"policy {block.policy.name}-{block.policy.version}"
    lines = [f"Expected an answer that passes, got {block.result.value!r} ({policy})."]
    for verdict in block.verdicts:
        if verdict.outcome is not Outcome.PASS:
            lines += _describe(verdict, block.answer.citations[verdict.citation])
    for item in feedback(block):
        if item.kind in _LOOSE:
            lines.append(f"  {first_words(item.text or '', _WIDTH)!r} {_LOOSE[item.kind]}.")
        if item.kind in _NAMES:
            lines.append(f"  [{item.anchor}] {_NAMES[item.kind]}: {item.action}")
    lines += [
        f"  {remark.code} at {remark.pointer}: {remark.detail}" for remark in block.imported.remarks
    ]
    if not block.verdicts:
        lines.append("  No citation was judged, so the answer does not pass.")
    elif len(lines) == 1:
        kind, reason = block.answer.answer_kind, block.abstention_reason
        lines.append(f"  Every citation passes; answer_kind is {kind!r}, the reason {reason!r}.")
    return "\n".join(lines)


def _describe(verdict: Verdict, citation: Citation) -> list[str]:
    statuses = ", ".join(code for code in verdict.codes if not code.startswith("ATTRIBUTION_"))
    source = citation.doc_id or verdict.identity.doc_hash or citation.doc_hash
    if verdict.identity.status is IdentityStatus.SNIPPET:
        source = "a text of the request" + (f" ({citation.doc_id})" if citation.doc_id else "")
    quote = "" if citation.quote is None else f": {first_words(citation.quote.text, _WIDTH)!r}"
    return [
        f"  [{verdict.anchor}] {verdict.outcome.value}: {verdict.notes}",
        f"      claim: {first_words(verdict.claim.text, _WIDTH)!r}",
        f"      cites {source}{quote}",
        f"      {statuses}",
    ]
