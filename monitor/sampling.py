"""Which answers are verified: the consistent probability rule of OpenTelemetry, for each stratum.

An answer is chosen where its 56 bits of randomness reach the rejection threshold of its stratum.
The bits are those of its trace; without a trace they are a keyed hash of its id, so that
the maker of the answers cannot aim at the sample. The log holds a commitment to an epoch's key
before the epoch and the key after it: then anyone can compute which answers were to be chosen.

Source: https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

RANDOM_BITS = 56
#: One more than the greatest randomness: the threshold that no answer reaches.
MAX_THRESHOLD = 1 << RANDOM_BITS
#: Length of an epoch's key in bytes.
KEY_BYTES = 32
_TRACE_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
_RANDOM_VALUE = re.compile(r"[0-9a-f]{14}", re.ASCII)
_LATE = b"spanproof-sampling-cosignature-v1\0"
_COMMITMENT = b"spanproof-sampling-epoch-v1\0"
_HINT = "Send the W3C traceparent's trace id, 32 lower-case hexadecimal digits."


class RandomnessSource(StrEnum):
    """Where an answer's randomness came from."""

    TRACE_STATE = "trace_state"
    TRACE_ID = "trace_id"
    KEYED_HASH = "keyed_hash"
    COSIGNATURE = "cosignature"


@dataclass(frozen=True, slots=True, kw_only=True)
class Randomness:
    """56 bits, equal to what every other sampler of the same trace sees."""

    value: int
    source: RandomnessSource


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingDecision:
    """Whether an answer is verified, and with which probability it was to be.

    ``probability`` is the exact one of ``threshold``: its inverse weighs the answer in every rate.
    """

    is_sampled: bool
    stratum: str
    threshold: int
    randomness: Randomness

    @property
    def probability(self) -> Fraction:
        """The chance of an answer of this stratum, in [0, 1]."""
        return Fraction(MAX_THRESHOLD - self.threshold, MAX_THRESHOLD)

    @property
    def trace_state(self) -> str | None:
        """The ``ot`` entry that tells later samplers; None where nothing samples it."""
        return format_threshold(self.threshold) if self.threshold < MAX_THRESHOLD else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingPlan:
    """A probability for each named stratum, and one for all others.

    InputError for a probability outside of [0, 1].
    """

    default: float
    strata: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, probability in {"default": self.default, **self.strata}.items():
            if not 0 <= probability <= 1:
                msg = f"Expected a probability in [0, 1] for {name!r}, got {probability!r}."
                raise InputError(msg, hint="Give the share of answers to verify.")
        object.__setattr__(self, "strata", MappingProxyType(dict(self.strata)))

    def decide(self, stratum: str, randomness: Randomness) -> SamplingDecision:
        """The decision for one answer; the same inputs decide alike for ever."""
        threshold = to_threshold(self.strata.get(stratum, self.default))
        return SamplingDecision(
            is_sampled=randomness.value >= threshold,
            stratum=stratum,
            threshold=threshold,
            randomness=randomness,
        )


def to_threshold(probability: float) -> int:
    """The rejection threshold T = round((1 - p) * 2**56), exactly."""
    return round((1 - Fraction(probability)) * MAX_THRESHOLD)


def format_threshold(threshold: int) -> str:
    """``ot=th:…`` without the zeros at its end; ValueError for a threshold that rejects all."""
    if not 0 <= threshold < MAX_THRESHOLD:
        msg = f"Expected a threshold in [0, 2**{RANDOM_BITS}), got {threshold}."
        raise ValueError(msg)
    return f"ot=th:{f'{threshold:014x}'.rstrip('0') or '0'}"


def read_trace(trace_id: str, trace_state: str = "") -> Randomness:
    """The randomness of a trace: its explicit ``rv``, else its last 56 bits.

    A malformed trace id raises InputError; a malformed ``rv`` counts as none, as the rule asks.
    """
    if not _TRACE_ID.fullmatch(trace_id) or not int(trace_id, 16):
        msg = f"Expected a trace id of 32 hexadecimal digits, not all zero, got {trace_id!r}."
        raise InputError(msg, hint=_HINT)
    explicit = _find_random_value(trace_state)
    if explicit is not None:
        return Randomness(value=explicit, source=RandomnessSource.TRACE_STATE)
    return Randomness(value=int(trace_id[-14:], 16), source=RandomnessSource.TRACE_ID)


def draw(key: bytes, answer_id: str) -> Randomness:
    """The randomness of an answer without a trace: 56 bits of HMAC-SHA256 under the epoch's key."""
    if len(key) != KEY_BYTES:
        msg = f"Expected a key of {KEY_BYTES} bytes, got {len(key)}."
        raise ValueError(msg)
    mac = hmac.new(key, answer_id.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
    return Randomness(value=int.from_bytes(mac[:7], "big"), source=RandomnessSource.KEYED_HASH)


def draw_late(key: bytes, cosignature: bytes, answer_id: str) -> Randomness:
    """The randomness of an answer that is in the log: of the epoch's key and of a signature.

    Who has the key cannot foresee the signature, and who signs does not know the key.
    """
    drawn = draw(hmac.new(key, _LATE + cosignature, hashlib.sha256).digest(), answer_id)
    return Randomness(value=drawn.value, source=RandomnessSource.COSIGNATURE)


def commit(key: bytes, epoch: str) -> bytes:
    """What is logged before an epoch: it binds the key without revealing it (32 bytes)."""
    if len(key) != KEY_BYTES:
        msg = f"Expected a key of {KEY_BYTES} bytes, got {len(key)}."
        raise ValueError(msg)
    return hashlib.sha256(_COMMITMENT + epoch.encode("utf-8") + b"\0" + key).digest()


def check_commitment(commitment: bytes, key: bytes, epoch: str) -> bool:
    """Whether a disclosed key is the one that was committed for the epoch."""
    return len(key) == KEY_BYTES and hmac.compare_digest(commit(key, epoch), commitment)


def _find_random_value(trace_state: str) -> int | None:
    for member in trace_state.split(","):
        vendor, _, fields = member.strip().partition("=")
        if vendor != "ot":
            continue
        for each in fields.split(";"):
            name, _, value = each.partition(":")
            if name == "rv" and _RANDOM_VALUE.fullmatch(value):
                return int(value, 16)
    return None
