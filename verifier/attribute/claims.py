"""An answer's prose → the sentences that say something, and those that are left out and why.

Code blocks are blanked, never removed, so every sentence keeps its own place, twins included.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.citation import Claim
from core.span import Span
from verifier.claims import blank_anchors, split_sentences, to_hypothesis

if TYPE_CHECKING:
    from core.citation import Anchor

_FENCE = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_NO_NEWLINE = re.compile(r"[^\n]")
_HEADING = re.compile(r"#{1,6}[ \t]")
_CLOSING = "\"'”’»)]*_ "


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadProse:
    """The claims in order; ``excluded`` are spans that claim nothing, each with its reason.

    Reasons: ``code``, ``heading``, ``question``, ``lead_in``.
    """

    claims: tuple[Claim, ...]
    excluded: tuple[tuple[Span, str], ...]

    @property
    def is_code_only(self) -> bool:
        """Whether there is code and no claim beside it."""
        return not self.claims and any(reason == "code" for _, reason in self.excluded)


def read_claims(prose: str, anchors: tuple[Anchor, ...] = ()) -> ReadProse:
    """Every sentence outside code blocks, as the model reads it."""
    fences = [Span(*match.span()) for match in _FENCE.finditer(prose)]
    told = _FENCE.sub(lambda match: _NO_NEWLINE.sub(" ", match.group()), prose)
    outside = tuple(a for a in anchors if not any(f.contains(a.span) for f in fences))
    blanked = blank_anchors(told, outside)
    claims: list[Claim] = []
    excluded = [(fence, "code") for fence in fences]
    for sentence in split_sentences(told, outside):
        span = sentence.span
        reason = _find_reason(blanked[span.start : span.end])
        if reason is not None:
            excluded.append((span, reason))
            continue
        claims.append(
            Claim(
                text=prose[span.start : span.end],
                span=span,
                hypothesis=to_hypothesis(blanked[span.start : span.end]),
            )
        )
    return ReadProse(claims=tuple(claims), excluded=tuple(sorted(excluded)))


def _find_reason(text: str) -> str | None:
    if _HEADING.match(text.lstrip()):
        return "heading"
    end = text.strip().rstrip(_CLOSING)[-1:]
    return {"?": "question", "？": "question", ":": "lead_in", "：": "lead_in"}.get(end)
