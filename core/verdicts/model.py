"""The entailment model that judged, and its judgement of one pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.core.span import Span
    from spanproof.core.verdicts.calibration import CalibrationRecord

#: The threshold of a model without a calibration.
DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTerm:
    """Evidence beside the model: ``value`` and ``weight`` are 0 or more, so it can only lower."""

    name: str
    value: float
    weight: float

    @property
    def effect(self) -> float:
        """What it takes from the margin, in logits."""
        return self.weight * self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Entailment:
    """What a model says of one premise and hypothesis, the premise read whole in windows.

    ``reason`` is None when it ran; else why not (``claim_too_long``, ``model_unavailable``,
    ``no_premise``), and the probabilities are None. The probabilities are those of the deciding
    window and 1 together, ``evidence`` is that window in the premise (code points), ``coverage``
    the share of the premise's tokens that some window held. ``logits`` are that window's raw ones
    in the order of the identity's labels, ``terms`` the evidence weighed beside them,
    ``tolerance`` how far the calibrated log-odds may lie from the canonical run's.
    """

    reason: str | None
    p_entailment: float | None
    p_neutral: float | None
    p_contradiction: float | None
    windows: int
    coverage: float
    evidence: Span | None
    logits: tuple[float, ...] = ()
    terms: tuple[ScoreTerm, ...] = ()
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIdentity:
    """Which entailment model judged: name, weights, runtime, calibration, default threshold.

    ``calibration`` names the one whose numbers are used; ``record`` is of the one that was asked
    for, which is another where that one is stale. ``thresholds`` has one for each ``policy/group``
    that the calibration knows; None: no threshold is certified there. A model that is not
    ``replayable`` may answer otherwise when it is asked again: none of its judgements pass.
    """

    name: str
    weights_digest: Digest | None
    runtime: str
    calibration: str
    threshold: float | None
    labels: tuple[str, ...] = ()
    thresholds: tuple[tuple[str, float | None], ...] = ()
    record: CalibrationRecord | None = None
    replayable: bool = True

    @property
    def default_threshold(self) -> float:
        """The calibration's own, or 0.5 without one."""
        return DEFAULT_THRESHOLD if self.threshold is None else self.threshold

    def threshold_for(self, policy: str, group: str | None) -> float | None:
        """From where a group of claims passes under a policy; None without a certificate.

        Without a group: the lowest threshold that any has.
        """
        if group is not None:
            return dict(self.thresholds).get(f"{policy}/{group}")
        own = (value for name, value in self.thresholds if name.partition("/")[0] == policy)
        return min((value for value in own if value is not None), default=None)
