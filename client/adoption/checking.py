"""What the adapters that check at once need: a function that verifies, and what it gives.

``spanproof.verify`` is such a function (in this process), and so is ``Client.verify`` (by the
service). ``functools.partial(spanproof.verify, policy="strict")`` is one with another policy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from spanproof.core.verdicts.status import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanproof.core.verdicts.claim_results import ClaimResult


class Checked(Protocol):
    """What came of it: ``result`` is pass, fail, review or error."""

    @property
    def result(self) -> str:
        """The worst of the outcomes."""

    @property
    def claims(self) -> tuple[ClaimResult, ...]:
        """The claims with citations and the statements without."""

    def to_json(self) -> Mapping[str, Any]:
        """The verification block (docs/reference/block.md)."""

    def require(self) -> Any:  # noqa: ANN401 - itself
        """Itself where the result is pass; raise VerificationFailed for any other."""


class Verify(Protocol):
    """Checks an answer against the texts that it was made from."""

    def __call__(
        self,
        answer: str | Mapping[str, Any],
        contexts: Iterable[str | Mapping[str, Any]] = (),
        *,
        format: str = "native",  # noqa: A002 - the contract's word
        attribute: bool = False,
    ) -> Checked:
        """The block of the answer."""


def describe(checked: Checked) -> list[str]:
    """A line for each verdict and each statement that cites nothing: what a person reads first."""
    block = checked.to_json()
    lines = [f"[{each['anchor']}] {each['outcome']}: {each['notes']}" for each in block["verdicts"]]
    count = len(block["orphan_anchors"])
    lines += [f"{count} anchors name no text and no citation."] if count else []
    count = sum(each.get("check_worthy", True) for each in block["uncited_sentences"])
    return lines + ([f"{count} statements cite nothing."] if count else [])


def share_of_support(checked: Checked) -> float:
    """The share of the answer's claims that pass, from 0 to 1; 0 for an answer without any."""
    outcomes = [claim.outcome for claim in checked.claims]
    return outcomes.count(Outcome.PASS) / len(outcomes) if outcomes else 0.0
