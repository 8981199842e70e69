"""An answer's prose → the sentences that say something, and those that are left out and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.citation import Claim
from spanproof.verifier.claims.checkworthy import judge_check_worthiness
from spanproof.verifier.claims.claims import blank_anchors, read_sentence, split_sentences
from spanproof.verifier.claims.paragraphs import split_paragraphs

if TYPE_CHECKING:
    from spanproof.core.citation import Anchor
    from spanproof.core.span import Span

#: Sentences whose form states nothing; other hints (a short sentence, say) leave them in.
_NO_CLAIM = frozenset({"heading", "question", "label", "greeting", "offer", "abstention"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadProse:
    """The claims in order; ``excluded`` are spans that claim nothing, each with its reason.

    Reasons: ``code``, ``sources`` (a block of them), and those that
    ``spanproof.verifier.claims.checkworthy`` gives for a sentence's form.
    """

    claims: tuple[Claim, ...]
    excluded: tuple[tuple[Span, str], ...]

    @property
    def is_code_only(self) -> bool:
        """Whether there is code and no sentence beside it."""
        reasons = {reason for _, reason in self.excluded}
        return (
            not self.claims
            and "code" in reasons
            and reasons
            <= {
                "code",
                "heading",
                "label",
                "sources",
            }
        )


def read_claims(
    prose: str, anchors: tuple[Anchor, ...] = (), unclaimed: tuple[Span, ...] = ()
) -> ReadProse:
    """Every sentence outside code blocks, as the model reads it; twins at their own places."""
    blanked = blank_anchors(prose, anchors, unclaimed)
    claims: list[Claim] = []
    excluded = [(p.span, "code") for p in split_paragraphs(blanked) if p.kind == "code"]
    excluded += [(span, "sources") for span in unclaimed]
    for marked in split_sentences(prose, anchors, unclaimed):
        sentence, span = marked.sentence, marked.span
        hypothesis = read_sentence(blanked, sentence)
        reason = judge_check_worthiness(hypothesis, sentence.kind).reason
        if reason in _NO_CLAIM:
            excluded.append((span, reason))
            continue
        text = prose[span.start : span.end]
        claims.append(Claim(text=text, span=span, hypothesis=hypothesis))
    return ReadProse(claims=tuple(claims), excluded=tuple(sorted(excluded)))
