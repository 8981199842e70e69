"""The probability of support, drawn against the threshold and the review band of its policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from spanproof.core.errors import UnknownPolicyError
from spanproof.core.verdicts.groups import describe_threshold
from spanproof.core.verdicts.model import DEFAULT_THRESHOLD
from spanproof.verifier.policies import load_policy

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What let a claim pass, where it was its words and not the probability.
_BY_WORDS: Final = frozenset({"verbatim", "restated"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    """``p``, ``threshold`` and the ends of ``band`` lie in [0, 1]; ``decided`` says by what.

    ``band`` is None for a policy of another release: only its digest is kept.
    """

    p: float
    threshold: float
    band: tuple[float, float] | None
    decided: str

    @property
    def words(self) -> str:
        """The numbers as one line; p never stands without its threshold."""
        band = (
            "" if self.band is None else f", review from {self.band[0]:.2f} to {self.band[1]:.2f}"
        )
        return f"p {self.p:.3f}, threshold {self.threshold:.2f}{band}"


def make_gauge(block: Mapping[str, Any], support: Mapping[str, Any]) -> Gauge | None:
    """The gauge of one verdict; None where no model ran."""
    p = support["p_entailment"]
    if p is None:
        return None
    threshold, band = _find_edges(block)
    return Gauge(
        p=float(p), threshold=threshold, band=band, decided=_say_what_decided(block, support)
    )


def _find_edges(block: Mapping[str, Any]) -> tuple[float, tuple[float, float] | None]:
    given = block["model"].get("threshold")
    threshold = DEFAULT_THRESHOLD if given is None else float(given)
    try:
        policy = load_policy(block["policy"]["name"])
    except UnknownPolicyError:
        return threshold, None
    if str(policy.digest) != block["policy"]["digest"]:
        return threshold, None
    threshold = threshold if policy.threshold is None else policy.threshold
    low, high = threshold - policy.review_below, threshold + policy.review_above
    return threshold, (max(0.0, low), min(1.0, high))


def _say_what_decided(block: Mapping[str, Any], support: Mapping[str, Any]) -> str:
    if support["vetoes"]:
        return "A veto decided: the marked words disagree, whatever p is."
    needed = describe_threshold(block, support)
    if support["reason"] in _BY_WORDS:
        return f"The words decided, not p: the span agrees with the claim {needed}."
    if support["status"] == "CONTRADICTED":
        return f"Contradiction decided: its p is {support['p_contradiction']:.3f}."
    if needed is not None and needed.endswith("no certificate"):
        return (
            "The model has no certificate for such claims: a high p alone lets nothing pass "
            f"({needed})."
        )
    return "" if needed is None else f"Certified threshold of its group of claims ({needed})."
