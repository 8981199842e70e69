"""The answers of the service, typed; ``raw`` is the whole answer, unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError, VerificationFailed
from spanproof.core.verdicts.claim_results import list_claims, write_html, write_text
from spanproof.core.verdicts.status import Outcome
from spanproof.core.verdicts.verdict_reading import read_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.verdicts.claim_results import ClaimResult
    from spanproof.core.verdicts.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class VerifiedAnswer:
    """An answer with its block (``docs/reference/block.md``) and its receipt.

    It says what the block of ``spanproof.verify`` says, in the same words and types; ``block`` is
    its JSON.
    """

    verification_id: str
    answer_id: str
    result: Outcome
    recommended_action: str
    all_spans_present: bool
    all_claims_entailed: bool
    block: Mapping[str, Any]
    raw: Mapping[str, Any]

    @property
    def claims(self) -> tuple[ClaimResult, ...]:
        """The claims with citations and the statements without, in the order of the answer."""
        return list_claims(self.block, self.raw["answer"])

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts; InputError where a newer service says what this version does not know."""
        try:
            return tuple(map(read_verdict, self.block["verdicts"]))
        except (KeyError, TypeError, ValueError) as error:
            msg = f"Expected verdicts in the words of this version, got {error}."
            hint = "Use a client as new as the service, or read the JSON in 'block'."
            raise InputError(msg, hint=hint) from error

    def to_json(self) -> dict[str, Any]:
        """The block."""
        return dict(self.block)

    def require(self) -> VerifiedAnswer:
        """Itself where the result is pass; raise VerificationFailed for any other."""
        if self.result is Outcome.PASS:
            return self
        msg = f"Expected an answer that passes, got {self.result.value!r}."
        hint = f"See GET /v1/verifications/{self.verification_id}/feedback."
        raise VerificationFailed(msg, hint=hint)

    def __repr__(self) -> str:
        return write_text(self.block, self.claims, self._end)

    def _repr_html_(self) -> str:
        return write_html(self.block, self.claims, self._end)

    @property
    def _end(self) -> str:
        return f"Kept as {self.verification_id}."


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedAnswer:
    """A production answer that was taken; ``probability`` is that of its being ``sampled``."""

    answer_id: str
    sampled: bool | None
    probability: float
    stratum: str
    epoch: str
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestedDocument:
    """A document that is kept; ``is_new`` is False where the same bytes were kept already."""

    doc_id: str
    doc_hash: str
    extraction_id: str | None
    characters: int
    pages: int
    status: str
    is_new: bool
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """A job as it stands; ``state`` is queued, running, done, failed or cancelled."""

    job_id: str
    kind: str
    state: str
    done: int
    total: int
    result: Mapping[str, Any] | None
    problem: Mapping[str, Any] | None
    raw: Mapping[str, Any]

    @property
    def is_final(self) -> bool:
        """Whether nothing more comes of it."""
        return self.state in {"done", "failed", "cancelled"}
