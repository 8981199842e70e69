"""A change in shadow: kept answers judged by another policy, model or release; nothing is kept.

Answers are drawn by chance, so that the intervals of the rates hold for all that are kept. A flip
is an answer with another result; its reasons are the verdicts whose outcome changed.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.budget import checkpoint
from spanproof.core.errors import SpanproofError
from spanproof.core.moment import write_short_moment
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.monitor.evaluation import count_rate
from spanproof.operations.errors import NotReplayableError
from spanproof.operations.replay.judging import judge_again
from spanproof.operations.replay.verification import load_stored
from spanproof.operations.verification.judging import load_named_policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.policy import Policy
    from spanproof.monitor.evaluation import Rate
    from spanproof.operations.context import Context

LIMIT = 1000
_WORST_FIRST = ("fail", "error", "review", "pass")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """An answer that came to another result, and why."""

    verification_id: str
    verified_at: str
    before: str
    now: str
    reasons: tuple[str, ...]

    @property
    def is_worse(self) -> bool:
        """Whether it passed, or came nearer to passing, before."""
        return _WORST_FIRST.index(self.now) < _WORST_FIRST.index(self.before)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "verification_id": self.verification_id,
            "verified_at": self.verified_at,
            "before": self.before,
            "now": self.now,
            "direction": "worse" if self.is_worse else "better",
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What the change does to the drawn answers; ``left_out`` counts by code those not judged."""

    policy: str
    policy_digest: str
    model: str
    kept: int
    judged: int
    left_out: dict[str, int]
    flips: tuple[Flip, ...]
    rates: tuple[Rate, ...]

    def to_json(self) -> dict[str, Any]:
        """The document that ``--json`` prints."""
        return {
            "policy": {"name": self.policy, "digest": self.policy_digest},
            "model": self.model,
            "kept": self.kept,
            "judged": self.judged,
            "left_out": self.left_out,
            "rates": {rate.name: rate.to_json() for rate in self.rates},
            "flips": [each.to_json() for each in self.flips],
        }


def rehearse(
    context: Context, *, policy: str | None, limit: int = LIMIT, seed: int = 0
) -> Rehearsal:
    """Judge at most ``limit`` kept answers by the model of the settings, and compare.

    ``policy`` None: each by the policy of its block, so that the model or the release alone is
    tried. Raises UnknownPolicyError, and ModelError without a model.
    """
    chosen = None if policy is None else load_named_policy(policy)
    model = context.require_fresh_model()
    ids = sorted(context.store.answers.list_ids())
    drawn = random.Random(seed).sample(ids, min(limit, len(ids)))  # noqa: S311 - no secret
    flips, pairs, left_out = [], [], Counter[str]()
    for verification_id in sorted(drawn):
        checkpoint()
        try:
            before, now, verified_at = _judge(context, verification_id, chosen, model)
        except SpanproofError as error:
            # Erased, or its documents are: it can be judged by nothing any more.
            left_out[error.code] += 1
            continue
        pairs.append((before["result"], now["result"]))
        if before["result"] != now["result"]:
            flip = Flip(
                verification_id=verification_id,
                verified_at=verified_at,
                before=before["result"],
                now=now["result"],
                reasons=tuple(_list_reasons(before, now)),
            )
            flips.append(flip)
    order = _WORST_FIRST.index
    rates = (
        count_rate("flipped", "neither", [one != two for one, two in pairs]),
        count_rate("worse", "less", [order(two) < order(one) for one, two in pairs]),
        count_rate("pass_before", "neither", [one == "pass" for one, _ in pairs]),
        count_rate("pass_now", "neither", [two == "pass" for _, two in pairs]),
    )
    return Rehearsal(
        policy="that of each answer" if chosen is None else f"{chosen.name} {chosen.version}",
        policy_digest="" if chosen is None else str(chosen.digest),
        model=model.identity.name,
        kept=len(ids),
        judged=len(pairs),
        left_out=dict(left_out),
        flips=tuple(flips),
        rates=rates,
    )


def _judge(
    context: Context, verification_id: str, policy: Policy | None, model: EntailmentModel
) -> tuple[dict[str, Any], dict[str, Any], str]:
    from spanproof.verifier.formats.registry import parse_payload

    stored = load_stored(context, verification_id)
    block = stored.block
    parsed = parse_payload(stored.raw, str(block["import"]["format"]))
    chosen = policy or load_named_policy(block["policy"]["name"])
    try:
        recomputed, _ = judge_again(context, stored, parsed, chosen, model)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        msg = f"Expected a block that this release can judge again, got {error!r}."
        raise NotReplayableError(msg, hint="Verify the answer again.") from error
    now = json.loads(json.dumps(block_to_json(recomputed)))
    return block, now, write_short_moment(stored.verified_at)


def _list_reasons(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """The verdicts with another outcome, by what differs in them; then the codes of the answer."""
    old = {_key(each): each for each in before["verdicts"]}
    for each in now["verdicts"]:
        was = old.get(_key(each))
        if was is None or was["outcome"] != each["outcome"]:
            outcome = "none" if was is None else was["outcome"]
            yield f"[{each['anchor']}] {outcome} -> {each['outcome']}: {_describe(was, each)}"
    changed = sorted(set(before["codes"]) ^ set(now["codes"]))
    if changed:
        yield f"answer: {', '.join(changed)}"


def _key(verdict: dict[str, Any]) -> tuple[Any, ...]:
    return verdict["citation"], verdict["claim"]["start"], verdict["claim"]["end"]


def _describe(was: dict[str, Any] | None, now: dict[str, Any]) -> str:
    codes = set(now["codes"])
    gained = sorted(codes - set(was["codes"] if was else ()))
    lost = sorted(set(was["codes"] if was else ()) - codes)
    parts = [f"+{each}" for each in gained] + [f"-{each}" for each in lost]
    one = None if was is None else was["support"]["p_entailment"]
    two = now["support"]["p_entailment"]
    if one != two:
        parts.append(f"p_entailment {one} -> {two}")
    # The same findings: another policy weighs them otherwise.
    return ", ".join(parts) or f"weighed otherwise: {', '.join(sorted(codes)) or 'no code'}"
