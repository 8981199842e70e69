"""The result of post-hoc attribution: references, sentences without one, and the sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.span import from_codepoint

if TYPE_CHECKING:
    from spanproof.core.citation import Claim
    from spanproof.core.digest import Digest
    from spanproof.core.span import OffsetUnit, Span
    from spanproof.core.verdicts.model import ModelIdentity
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verdict import Support
    from spanproof.verifier.attribute.sources import AnswerSource, SourceScope, Unextracted


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailingSpan:
    """A span of a source that entails the claim; ``text`` is the canonical slice."""

    source_ids: tuple[str, ...]
    doc_hash: Digest
    extraction_id: Digest
    span: Span
    text: str
    page: int | None
    scope: SourceScope
    support: Support

    def to_json(self) -> dict[str, Any]:
        """The fields that a reference has of its best span, and each row of ``spans``."""
        probability = self.support.p_entailment
        return {
            "source": str(self.doc_hash),
            "extraction_id": str(self.extraction_id),
            "char_start": self.span.start,
            "char_end": self.span.end,
            "quote": self.text,
            "page": self.page,
            "p_entailment": None if probability is None else round(probability, 6),
            "context": self.support.context,
            "evidence_scope": self.scope,
            "sources": list(self.source_ids),
            "view_url": (
                f"/view/{self.doc_hash}/{self.extraction_id}/{self.span.start}/{self.span.end}"
            ),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A sentence of the answer and the spans that entail it, best first; ``index`` from 1."""

    index: int
    claim: Claim
    spans: tuple[EntailingSpan, ...]

    @property
    def source_ids(self) -> tuple[str, ...]:
        """Every source that entails it, the best one's first."""
        return tuple(dict.fromkeys(s for span in self.spans for s in span.source_ids))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unattributed:
    """A sentence that no source entails, why, and the span that came nearest (None: none)."""

    claim: Claim
    reason: str
    nearest: EntailingSpan | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttributionReport:
    """The whole result. ``skipped`` is None, or the reason why the answer was not searched.

    ``excluded`` are parts of the answer that claim nothing, ``unresolved`` supplied documents and
    chunks that are not kept here, ``unsearched`` sources that are too long to be searched.
    """

    prose: str
    references: tuple[Reference, ...] = ()
    unattributed: tuple[Unattributed, ...] = ()
    excluded: tuple[tuple[Span, str], ...] = ()
    sources: tuple[AnswerSource, ...] = ()
    unextracted: tuple[Unextracted, ...] = ()
    unresolved: tuple[tuple[str, str], ...] = ()
    unsearched: tuple[str, ...] = ()
    skipped: str | None = None
    policy: Policy | None = None
    model: ModelIdentity | None = None

    def to_json(self, unit: OffsetUnit = "codepoint") -> dict[str, Any]:
        """The whole report; ``unit`` is that of ``start`` and ``end`` in the answer.

        ``char_start`` and ``char_end`` are code points of the canonical text, for any unit.
        """
        model, policy = self.model, self.policy
        return {
            "references": [
                {"index": each.index}
                | self._place(each.claim.span, unit)
                | {"text": each.claim.text}
                | each.spans[0].to_json()
                | {
                    "sources": list(each.source_ids),
                    "spans": [span.to_json() for span in each.spans],
                }
                for each in self.references
            ],
            "unattributed": [
                self._place(each.claim.span, unit)
                | {
                    "text": each.claim.text,
                    "reason": each.reason,
                    "nearest": None if each.nearest is None else each.nearest.to_json(),
                }
                for each in self.unattributed
            ],
            "excluded": [
                self._place(span, unit) | {"reason": reason} for span, reason in self.excluded
            ],
            "unextracted": [each.to_json() for each in self.unextracted],
            "unresolved": [
                {"reference": reference, "reason": reason} for reference, reason in self.unresolved
            ],
            "unsearched": list(self.unsearched),
            "skipped": self.skipped,
            "sources": [source.to_json() for source in self.sources],
            "unit": unit,
            "policy": None if policy is None else policy.name,
            "model": None if model is None else model.name,
            "codes": [],
        }

    def to_compact_json(self, unit: OffsetUnit = "codepoint") -> dict[str, Any]:
        """The form to store beside an answer; browsers count in ``utf16``."""
        rows = []
        for each in self.references:
            place = self._place(each.claim.span, unit)
            rows.append(
                {
                    "index": each.index,
                    "startIndex": place["start"],
                    "endIndex": place["end"],
                    "sourceIds": list(each.source_ids),
                }
            )
        return {"sources": [source.to_json() for source in self.sources], "references": rows}

    def _place(self, span: Span, unit: OffsetUnit) -> dict[str, int]:
        return {
            "start": from_codepoint(self.prose, span.start, unit),
            "end": from_codepoint(self.prose, span.end, unit),
        }
