"""Why an answer does not pass, in lines that name each citation at fault: for a test's output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.shown import first_words
from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.answers.feedback import feedback

if TYPE_CHECKING:
    from spanproof.core.citation import Citation
    from spanproof.core.verdicts.verdict import Verdict
    from spanproof.core.verdicts.verification_block import VerificationBlock

_WIDTH = 100
#: What each kind of fault beside the verdicts is called.
_NAMES = {
    "orphan_anchor": "has no citation",
    "unused_citation": "is cited and no sentence has its anchor",
}


def write_failure(block: VerificationBlock) -> str:
    """The result and, a line or two each, every verdict that is no pass and every loose end.

    Says what was found of an answer that passes, too; a caller asks ``block.result`` first.
    """
    policy = f"policy {block.policy.name}-{block.policy.version}"
    lines = [f"Expected an answer that passes, got {block.result.value!r} ({policy})."]
    for verdict in block.verdicts:
        if verdict.outcome is not Outcome.PASS:
            lines += _describe(verdict, block.answer.citations[verdict.citation])
    for item in feedback(block):
        if item.kind in _NAMES:
            lines.append(f"  [{item.anchor}] {_NAMES[item.kind]}: {item.action}")
    lines += [
        f"  {remark.code} at {remark.pointer}: {remark.detail}" for remark in block.imported.remarks
    ]
    if not block.verdicts:
        lines.append("  No citation was judged, and nothing is not a pass.")
    elif len(lines) == 1:
        kind, reason = block.answer.answer_kind, block.abstention_reason
        lines.append(f"  Every citation passes; answer_kind is {kind!r}, the reason {reason!r}.")
    return "\n".join(lines)


def _describe(verdict: Verdict, citation: Citation) -> list[str]:
    statuses = ", ".join(code for code in verdict.codes if not code.startswith("ATTRIBUTION_"))
    document = citation.doc_id or verdict.identity.doc_hash or citation.doc_hash
    quote = "" if citation.quote is None else f": {first_words(citation.quote.text, _WIDTH)!r}"
    return [
        f"  [{verdict.anchor}] {verdict.outcome.value}: {verdict.notes}",
        f"      claim: {first_words(verdict.claim.text, _WIDTH)!r}",
        f"      cites {document}{quote}",
        f"      {statuses}",
    ]
