"""The claims of an answer with a result for each, as text and as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from spanproof.core.shown import first_words
from spanproof.core.span import Span
from spanproof.core.verdicts.status import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Said beside every block that was made in the caller's process.
NOTHING_KEPT = "Nothing is kept, and there is no receipt."
_WORST_FIRST = (Outcome.FAIL, Outcome.ERROR, Outcome.REVIEW, Outcome.PASS)
#: Texts without a document that are named; the others are counted.
_MOST_NAMES = 5
_NO_CITATIONS = "The answer cites nothing, and so never passes."
_UNATTRIBUTED = f"{_NO_CITATIONS} With attribute=True its sentences are checked all the same."
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

    ``anchors`` are their numbers, ``notes`` has a sentence for each citation, and ``verdicts`` are
    their places in the block's ``verdicts``. A statement that cites nothing has none.
    """

    text: str
    span: Span
    outcome: Outcome
    notes: tuple[str, ...]
    anchors: tuple[int, ...] = ()
    verdicts: tuple[int, ...] = ()


def list_claims(block: Mapping[str, Any], prose: str) -> tuple[ClaimResult, ...]:
    """The claims with citations and the statements without, in the order of the answer.

    ``block`` is the JSON of a block, ``prose`` the text of its answer.
    """
    places: dict[Span, list[int]] = {}
    for index, verdict in enumerate(block["verdicts"]):
        claim = verdict["claim"]
        places.setdefault(Span(claim["start"], claim["end"]), []).append(index)
    claims = [_judge_claim(block["verdicts"], span, own) for span, own in places.items()]
    # As the policies have it (docs/reference/verification.md, step 7).
    effect = Outcome.FAIL if block["policy"]["name"] == "strict" else Outcome.REVIEW
    claims += [
        ClaimResult(
            text=prose[sentence["start"] : sentence["end"]],
            span=Span(sentence["start"], sentence["end"]),
            outcome=effect,
            notes=(_UNCITED,),
        )
        for sentence in block["uncited_sentences"]
        if sentence["check_worthy"]
    ]
    return tuple(sorted(claims, key=lambda claim: claim.span))


def _judge_claim(verdicts: Sequence[Mapping[str, Any]], span: Span, own: list[int]) -> ClaimResult:
    mine = [verdicts[index] for index in own]
    outcomes = {Outcome(verdict["outcome"]) for verdict in mine}
    return ClaimResult(
        text=mine[0]["claim"]["text"],
        span=span,
        outcome=next(outcome for outcome in _WORST_FIRST if outcome in outcomes),
        notes=tuple(verdict["notes"] for verdict in mine),
        anchors=tuple(dict.fromkeys(verdict["anchor"] for verdict in mine)),
        verdicts=tuple(own),
    )


def write_text(block: Mapping[str, Any], claims: Sequence[ClaimResult], end: str) -> str:
    """The result, then a line and a reason for each claim; ``end`` is the last line."""
    lines = [_head(block), *_explain(block, claims)]
    for claim in claims:
        lines.append(f"{claim.outcome.value.upper():<7}{' '.join(claim.text.split())}")
        lines += [f"{'':7}{note}" for note in claim.notes]
    return "\n".join([*lines, *_tail(block), end])


def write_html(block: Mapping[str, Any], claims: Sequence[ClaimResult], end: str) -> str:
    """The same as a table; every word of the answer is escaped."""
    rows = "".join(
        f'<tr><td style="color:{_COLOURS[claim.outcome]};font-weight:bold;vertical-align:top">'
        f"{claim.outcome.value}</td><td>{escape(claim.text)}<br>"
        f"<small>{'<br>'.join(escape(note) for note in claim.notes)}</small></td></tr>"
        for claim in claims
    )
    lines = [*_explain(block, claims), *_tail(block), end]
    tail = "".join(f"<p><small>{escape(line)}</small></p>" for line in lines)
    colour = _COLOURS[Outcome(block["result"])]
    return (
        f'<div><p style="color:{colour}"><b>{escape(_head(block))}</b></p>'
        f"<table>{rows}</table>{tail}</div>"
    )


def _head(block: Mapping[str, Any]) -> str:
    return f"Result {block['result'].upper()} (policy {block['policy']['name']})"


def _explain(block: Mapping[str, Any], claims: Sequence[ClaimResult]) -> Iterator[str]:
    """Why the result is another than the worst of the claims; an orphan is named in the tail."""
    found = {claim.outcome for claim in claims}
    worst = next((outcome for outcome in _WORST_FIRST if outcome in found), None)
    if block["result"] == worst or block["orphan_anchors"]:
        return
    reason = block["abstention_reason"]
    if reason == "no_citations":
        yield _UNATTRIBUTED if block["repair"] is None else _NO_CITATIONS
    elif reason == "only_repaired_citations":
        yield "Spanproof, not the answer, found the sources: a person decides."
    elif not claims:
        yield "Nothing is claimed that can be checked: a person decides."
    else:
        remarks = (remark["code"] for remark in block["import"]["remarks"])
        codes = dict.fromkeys([*block["codes"], *remarks])
        yield f"A person decides ({', '.join(codes) or reason})."


def _tail(block: Mapping[str, Any]) -> Iterator[str]:
    for orphan in block["orphan_anchors"]:
        yield f"[{orphan['anchor']}] names no text and no citation."
    # By their document's name where it was given; several texts may be of one document.
    names = dict.fromkeys(each["doc_id"] or each["chunk_id"] for each in block["snippets"])
    if names:
        listed = ", ".join(repr(first_words(name)) for name in list(names)[:_MOST_NAMES])
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        them = "it" if len(names) == 1 else "them"
        yield (
            f"No document is known for the texts of {listed}{more}. Ingest {them}: then each"
            " verdict names its place there, and its receipt proves it."
        )
