"""A policy: thresholds, accepted folds, the review band and the rules of outcome, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from spanproof.core import canonical_json
from spanproof.core.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.digest import Digest
    from spanproof.core.verdicts.model import ModelIdentity

Effect = Literal["pass", "review", "fail"]
ReviewLevel = Literal["likely", "possible"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportEdges:
    """Where a probability of entailment turns: ENTAILED, BORDERLINE between the two, NEUTRAL.

    ``entailed_from`` is None where the model has no certificate for the claim's group: then the
    model alone makes nothing ENTAILED. ``threshold`` is the default one, about which the review
    band lies.
    """

    neutral_to: float
    threshold: float
    review_to: float
    entailed_from: float | None

    def certifies(self, probability: float) -> bool:
        """Whether the model's word is enough at this probability."""
        return self.entailed_from is not None and probability >= self.entailed_from


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The outcome of the four axes. No policy can soften a status that fails or errs by contract.

    ``effects`` maps ``EXISTENCE_MOVED``-like codes to pass, review or fail; ``threshold`` and
    ``contradiction_threshold`` are probabilities (None: the model's own); ``review_above`` and
    ``review_below`` are how far from the threshold support is still BORDERLINE(band): a stricter
    policy widens the band above and narrows the one below. ``guard_band`` is the least guard
    band around each boundary, in calibrated log-odds. ``fail_action`` is recommended for a failed
    answer in which some citation still passes. A cited document must have one of ``source_tiers``;
    if they are empty, any will do. ``alpha`` is the largest share of unsupported claims in what the
    model lets pass: a calibration proves it group by group. ``doubts`` are the slots that go to a
    person where the span does not confirm them: the likely ones, or each possible one.
    """

    name: str
    version: int
    effects: tuple[tuple[str, Effect], ...]
    folds: tuple[str, ...]
    threshold: float | None
    contradiction_threshold: float
    review_above: float
    review_below: float
    guard_band: float
    max_span_chars: int
    green_count: int
    green_density: float
    fail_action: Literal["badge", "withhold"]
    digest: Digest
    alpha: float = 0.05
    source_tiers: tuple[str, ...] = ()
    doubts: ReviewLevel = "likely"

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Policy:
        """Read a policy file's object; raise SettingsError where it is not one."""
        try:
            effects = tuple(
                (str(code), cast("Effect", effect)) for code, effect in raw["sways"].items()
            )
            policy = cls(
                name=str(raw["name"]),
                version=int(raw["version"]),
                effects=effects,
                folds=tuple(str(fold) for fold in raw["folds"]),
                threshold=None if raw["threshold"] is None else float(raw["threshold"]),
                contradiction_threshold=float(raw["contradiction_threshold"]),
                review_above=float(raw["review_above"]),
                review_below=float(raw["review_below"]),
                guard_band=float(raw["guard_band"]),
                max_span_chars=int(raw["max_span_chars"]),
                green_count=int(raw["green_count"]),
                green_density=float(raw["green_density"]),
                fail_action=cast("Literal['badge', 'withhold']", str(raw["fail_action"])),
                digest=canonical_json.digest(canonical_json.with_decimal_strings(raw)),
                alpha=float(raw.get("alpha", 0.05)),
                source_tiers=tuple(str(tier) for tier in raw.get("source_tiers", ())),
                doubts=cast("ReviewLevel", str(raw.get("doubts", "likely"))),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            msg = f"Expected a policy's fields, got {error!r}."
            raise SettingsError(msg, hint="Compare the file with the shipped policies.") from error
        unknown = {effect for _, effect in effects} - set(get_args(Effect))
        if unknown:
            msg = f"Expected 'pass', 'review' or 'fail' for each code, got {sorted(unknown)}."
            raise SettingsError(msg, hint="Fix the policy's 'sways'.")
        if not 0 < policy.alpha < 1:
            msg = f"Expected a policy's alpha between 0 and 1, got {policy.alpha!r}."
            raise SettingsError(msg, hint="Fix the policy's 'alpha'.")
        if policy.doubts not in get_args(ReviewLevel):
            msg = f"Expected 'likely' or 'possible' as a policy's doubts, got {policy.doubts!r}."
            raise SettingsError(msg, hint="Fix the policy's 'doubts'.")
        return policy

    def support_edges(self, model: ModelIdentity, group: str | None = None) -> SupportEdges:
        """Where support turns for a group of claims: its own threshold, or the certified one.

        Without a group it is the lowest that any group has.

        The band lies about the model's default threshold; a certified threshold can only raise
        what counts as ENTAILED.
        """
        given = self.threshold
        threshold = model.default_threshold if given is None else given
        derived = model.threshold_for(self.name, group) if given is None else given
        review_to = threshold + self.review_above
        return SupportEdges(
            neutral_to=threshold - self.review_below,
            threshold=threshold,
            review_to=review_to,
            entailed_from=None if derived is None else max(derived, review_to),
        )

    def effect_of(self, code: str) -> Effect:
        """The policy's outcome for a code (``pass`` when it names none)."""
        (effect,) = self.effects_of((code,))
        return effect

    def effects_of(self, codes: Iterable[str]) -> set[Effect]:
        """The policy's outcomes for codes."""
        effects = dict(self.effects)
        return {effects.get(code, "pass") for code in codes}
