"""A block that nothing keeps: a result for each claim, as text and as HTML."""

from __future__ import annotations

from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Any, Self

from spanproof.core.shown import first_words
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.status import Outcome
from spanproof.core.verdicts.verification_block import VerificationBlock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.span import Span
    from spanproof.core.verdicts.verdict import Verdict

#: Said beside every block that was made in the caller's process.
NOTHING_KEPT = "Nothing is kept, and there is no receipt."
_WORST_FIRST = (Outcome.FAIL, Outcome.ERROR, Outcome.REVIEW, Outcome.PASS)
_UNCITED = "The sentence states something and cites nothing."
_COLOURS = {
    Outcome.PASS: "#1a7f37",
    Outcome.REVIEW: "#9a6700",
    Outcome.FAIL: "#b42318",
    Outcome.ERROR: "#8250df",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult:
    """One claim of the answer, with the worst outcome of its citations.

    ``notes`` has a sentence for each citation. A statement that cites nothing has no verdicts.
    """

    text: str
    span: Span
    outcome: Outcome
    notes: tuple[str, ...]
    verdicts: tuple[Verdict, ...] = ()

    @property
    def anchors(self) -> tuple[int, ...]:
        """The numbers of the claim's citations."""
        return tuple(dict.fromkeys(verdict.anchor for verdict in self.verdicts))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UnkeptBlock(VerificationBlock):
    """The block of a verification in the caller's own process."""

    @classmethod
    def of(cls, block: VerificationBlock) -> Self:
        """The same block, for the caller to read."""
        return cls(**{each.name: getattr(block, each.name) for each in fields(block)})

    @property
    def claims(self) -> tuple[ClaimResult, ...]:
        """The claims with citations and the statements without, in the order of the answer."""
        return _list_claims(self)

    def to_json(self) -> dict[str, Any]:
        """The block as HTTP gives it under ``verification``, and that nothing keeps it."""
        return {**block_to_json(self), "kept": False}

    def __repr__(self) -> str:
        return _write_text(self)

    def _repr_html_(self) -> str:
        return _write_html(self)


def _list_claims(block: VerificationBlock) -> tuple[ClaimResult, ...]:
    """The claims with citations and the statements without, in the order of the answer."""
    verdicts: dict[Span, list[Verdict]] = {}
    for verdict in block.verdicts:
        verdicts.setdefault(verdict.claim.span, []).append(verdict)
    claims = [_judge_claim(own) for own in verdicts.values()]
    effect = block.policy.effect_of("UNCITED_STATEMENT")
    claims += [
        ClaimResult(
            text=block.answer.prose[sentence.span.start : sentence.span.end],
            span=sentence.span,
            outcome=Outcome(effect),
            notes=(_UNCITED,),
        )
        for sentence in block.uncited_sentences
        if sentence.check_worthy
    ]
    return tuple(sorted(claims, key=lambda claim: claim.span))


def _judge_claim(verdicts: list[Verdict]) -> ClaimResult:
    outcomes = {verdict.outcome for verdict in verdicts}
    return ClaimResult(
        text=verdicts[0].claim.text,
        span=verdicts[0].claim.span,
        outcome=next(outcome for outcome in _WORST_FIRST if outcome in outcomes),
        notes=tuple(verdict.notes for verdict in verdicts),
        verdicts=tuple(verdicts),
    )


def _write_text(block: VerificationBlock) -> str:
    """The result, then a line and a reason for each claim."""
    lines = [_head(block)]
    for claim in _list_claims(block):
        lines.append(f"{claim.outcome.value.upper():<7}{' '.join(claim.text.split())}")
        lines += [f"{'':7}{note}" for note in claim.notes]
    return "\n".join([*lines, *_tail(block)])


def _write_html(block: VerificationBlock) -> str:
    """The same as a table; every word of the answer is escaped."""
    rows = "".join(
        f'<tr><td style="color:{_COLOURS[claim.outcome]};font-weight:bold;vertical-align:top">'
        f"{claim.outcome.value}</td><td>{escape(claim.text)}<br>"
        f"<small>{'<br>'.join(escape(note) for note in claim.notes)}</small></td></tr>"
        for claim in _list_claims(block)
    )
    tail = "".join(f"<p><small>{escape(line)}</small></p>" for line in _tail(block))
    return (
        f'<div><p style="color:{_COLOURS[block.result]}"><b>{escape(_head(block))}</b></p>'
        f"<table>{rows}</table>{tail}</div>"
    )


def _head(block: VerificationBlock) -> str:
    return f"Result {block.result.value.upper()} (policy {block.policy.name})"


def _tail(block: VerificationBlock) -> Iterator[str]:
    for anchor, _ in block.orphan_anchors:
        yield f"[{anchor}] names no text and no citation."
    for snippet in block.snippets:
        yield f"Text {first_words(snippet.chunk_id)!r} has no document. {snippet.upgrade}"
    yield NOTHING_KEPT
