"""An answer that was verified, in this process or by a service: the same words for both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from spanproof.core.errors import InputError, VerificationFailed
from spanproof.core.verdicts.answer_findings import Snippet
from spanproof.core.verdicts.claim_results import (
    NOTHING_KEPT,
    list_claims,
    write_html,
    write_text,
)
from spanproof.core.verdicts.status import Outcome
from spanproof.core.verdicts.verdict_reading import read_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.verdicts.claim_results import ClaimResult
    from spanproof.core.verdicts.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class VerifiedAnswer:
    """An answer with its block (``docs/reference/block.md``).

    ``raw`` is what ``POST /v1/verifications`` answers, unchanged. A verification in the caller's
    own process keeps nothing: there it has the text and the block alone.
    """

    raw: Mapping[str, Any]

    @property
    def block(self) -> Mapping[str, Any]:
        """The JSON of the block."""
        block: Mapping[str, Any] = self.raw["verification"]
        return block

    @property
    def answer(self) -> str:
        """The text of the answer; claims have their offsets in it."""
        return str(self.raw["answer"])

    @property
    def is_kept(self) -> bool:
        """Whether a service keeps it, with a receipt."""
        return "verification_id" in self.raw

    @property
    def verification_id(self) -> str:
        """The service's name of this verification; raise InputError where nothing is kept."""
        return self._find_id("verification_id")

    @property
    def answer_id(self) -> str:
        """The service's name of the answer; raise InputError where nothing is kept."""
        return self._find_id("answer_id")

    @property
    def result(self) -> Outcome:
        """The worst outcome of the answer under its policy."""
        return Outcome(self.block["result"])

    @property
    def recommended_action(self) -> str:
        """What to do with the answer: show, badge, review or withhold."""
        return str(self.block["recommended_action"])

    @property
    def all_spans_present(self) -> bool:
        """At least one citation, and every one found in its source."""
        return bool(self.block["all_spans_present"])

    @property
    def all_claims_entailed(self) -> bool:
        """At least one verdict, and every one ENTAILED."""
        return bool(self.block["all_claims_entailed"])

    @property
    def claims(self) -> tuple[ClaimResult, ...]:
        """The claims with citations and the statements without, in the order of the answer."""
        return list_claims(self.block, self.answer)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts; raise InputError where a newer service uses words unknown here."""
        try:
            return tuple(map(read_verdict, self.block["verdicts"]))
        except (KeyError, TypeError, ValueError) as error:
            msg = f"Expected verdicts in the words of this version, got {error}."
            hint = "Use a client as new as the service, or read the JSON in 'block'."
            raise InputError(msg, hint=hint) from error

    @property
    def snippets(self) -> tuple[Snippet, ...]:
        """The texts of the request that verdicts name in place of documents."""
        return tuple(map(Snippet.from_json, self.block["snippets"]))

    def to_json(self) -> dict[str, Any]:
        """The block."""
        return dict(self.block)

    def require(self) -> Self:
        """The answer itself where the result is pass; raise VerificationFailed for any other."""
        if self.result is Outcome.PASS:
            return self
        failed = [
            f"[{verdict['anchor']}] {verdict['notes']}"
            for verdict in self.block["verdicts"]
            if verdict["outcome"] != Outcome.PASS
        ]
        why = "; ".join(failed) or "no verdict"
        msg = f"Expected result 'pass', got {self.result.value!r}: {why}"
        hint = "Read the verdicts before the answer is shown."
        if self.is_kept:
            hint = f"See GET /v1/verifications/{self.verification_id}/feedback."
        raise VerificationFailed(msg, hint=hint)

    def __repr__(self) -> str:
        return write_text(self.block, self.claims, self._end)

    def _repr_html_(self) -> str:
        return write_html(self.block, self.claims, self._end)

    @property
    def _end(self) -> str:
        return f"Kept as {self.verification_id}." if self.is_kept else NOTHING_KEPT

    def _find_id(self, name: str) -> str:
        if not self.is_kept:
            msg = f"Expected a verification by a service for its {name}, got one of this process."
            raise InputError(msg, hint="Nothing is kept here: verify with spanproof.Client.")
        return str(self.raw[name])
