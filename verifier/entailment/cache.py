"""What a model has read once is not read again: raw readings, by a digest of all that made them.

It keeps the logits of every window, before calibration, vetoes and policy. Each decision is made
anew, so another policy finds the same numbers and the same policy the same verdict. The key is the
digest of weights, runtime (which names tokenizer, config and windows), calibration, labels, premise
and claim. A value holds numbers and digests, no text.

A replay and the canary ask the model itself (``inner``), never this.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Protocol

from spanproof.core import canonical_json
from spanproof.core.errors import SpanproofError
from spanproof.core.span import Span
from spanproof.verifier.entailment.logits import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.model import Entailment, ModelIdentity
    from spanproof.verifier.entailment.model import LocalEntailment

#: Raised whenever a value is written otherwise or a key is made otherwise.
FORMAT = 1
#: Readings held in memory at most (about a kilobyte each).
MEMORY_ENTRIES = 16_384
#: A reading that takes more than this (some 300 windows) is kept nowhere: entries are bounded by
#: their number, so none may be large.
MAX_VALUE_BYTES = 16 * 1024
_CHECKSUM_BYTES = 32

Pair = tuple[str, str]


class ReadingStore(Protocol):
    """Keeps values beyond the process. A failure means "not found"; it raises nothing."""

    def load(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values of those keys that are kept."""

    def save(self, entries: Mapping[bytes, bytes]) -> None:
        """Keep these values, each in the place of what its key had."""

    def close(self) -> None:
        """Let go of files; closing twice does nothing."""


def without_cache(model: EntailmentModel) -> EntailmentModel:
    """The model itself, which reads every pair anew."""
    return model.inner if isinstance(model, CachedEntailment) else model


class CachedEntailment:
    """A ``LocalEntailment`` that reads each pair once. Safe for several threads."""

    def __init__(self, model: LocalEntailment, *, store: ReadingStore, entries: int) -> None:
        """``entries`` bounds the values in memory; the store bounds itself."""
        self.inner = model
        self.identity = model.identity
        self._store = store
        self._room = min(entries, MEMORY_ENTRIES)
        self._held: OrderedDict[bytes, Reading] = OrderedDict()
        self._lock = threading.Lock()
        self._prefix = _describe(model.identity)

    def judge(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """One entailment a pair, in order; only pairs never read before are run."""
        return self.inner.decide(pairs, self.read_windows(pairs))

    def confirm(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """The same by the canonical run; where that is another run, it is always run."""
        return self.judge(pairs) if self.inner.is_canonical else self.inner.confirm(pairs)

    def read_windows(self, pairs: Sequence[Pair]) -> list[Reading]:
        """The raw reading of each pair, kept or made now."""
        keys = [_to_key(self._prefix, pair) for pair in pairs]
        wanted = dict(zip(keys, pairs, strict=True))
        known = self._find_held(wanted)
        absent = [key for key in wanted if key not in known]
        if absent:
            stored = self._store.load(absent)
            for key in absent:
                reading = decode(stored.get(key, b""), key, wanted[key], self.identity)
                if reading is not None:
                    known[key] = reading
            self._run([key for key in absent if key not in known], wanted, known)
            self._remember({key: known[key] for key in absent})
        return [known[key] for key in keys]

    def close(self) -> None:
        """Close the model and the store."""
        self.inner.close()
        self._store.close()

    def _run(
        self, keys: Sequence[bytes], wanted: Mapping[bytes, Pair], known: dict[bytes, Reading]
    ) -> None:
        if not keys:
            return
        readings = self.inner.read_windows([wanted[key] for key in keys])
        known |= dict(zip(keys, readings, strict=True))
        entries = {key: value for key in keys if (value := encode(known[key], key)) is not None}
        if entries:
            self._store.save(entries)

    def _find_held(self, keys: Mapping[bytes, Pair]) -> dict[bytes, Reading]:
        found: dict[bytes, Reading] = {}
        with self._lock:
            for key in keys:
                if (reading := self._held.get(key)) is not None:
                    self._held.move_to_end(key)
                    found[key] = reading
        return found

    def _remember(self, readings: Mapping[bytes, Reading]) -> None:
        with self._lock:
            for key, reading in readings.items():
                if is_worth_keeping(reading):
                    self._held[key] = reading
                    self._held.move_to_end(key)
            while len(self._held) > self._room:
                self._held.popitem(last=False)


def is_worth_keeping(reading: Reading) -> bool:
    """Whether it holds numbers: why a pair could not be read may be gone the next time."""
    return reading.reason is None and bool(reading.logits)


def encode(reading: Reading, key: bytes) -> bytes | None:
    """A checksum over key and numbers, then the numbers; None for values that are not kept."""
    if not is_worth_keeping(reading):
        return None
    body = json.dumps(
        {
            "logits": reading.logits,
            "spans": [(span.start, span.end) for span in reading.spans],
            "coverage": reading.coverage,
            "tolerance": reading.tolerance,
        },
        allow_nan=False,
        separators=(",", ":"),
    ).encode("ascii")
    return None if len(body) > MAX_VALUE_BYTES else _checksum(key, body) + body


def decode(value: bytes, key: bytes, pair: Pair, identity: ModelIdentity) -> Reading | None:
    """The reading of a value; None for one that is corrupt, foreign or cannot be of this pair."""
    body = value[_CHECKSUM_BYTES:]
    if not body or value[:_CHECKSUM_BYTES] != _checksum(key, body):
        return None
    try:
        raw: dict[str, Any] = json.loads(body)
        reading = Reading(
            reason=None,
            logits=tuple(tuple(float(logit) for logit in row) for row in raw["logits"]),
            spans=tuple(Span(int(start), int(end)) for start, end in raw["spans"]),
            coverage=float(raw["coverage"]),
            tolerance=float(raw["tolerance"]),
        )
    # Any malformed value means: read the pair anew. A bad span raises an error of ours.
    except (SpanproofError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    return reading if _suits(reading, pair[0], identity) else None


def _suits(reading: Reading, premise: str, identity: ModelIdentity) -> bool:
    numbers = [logit for row in reading.logits for logit in row]
    numbers += [reading.coverage, reading.tolerance]
    return (
        bool(reading.logits)
        and len(reading.logits) == len(reading.spans)
        and all(len(row) == len(identity.labels) for row in reading.logits)
        and all(map(math.isfinite, numbers))
        and 0 < reading.coverage <= 1
        and reading.tolerance >= 0
        and all(span.end <= len(premise) for span in reading.spans)
    )


def _describe(identity: ModelIdentity) -> list[Any]:
    """All that shapes a number, the two texts aside."""
    weights = None if identity.weights_digest is None else identity.weights_digest.hex
    return [FORMAT, weights, identity.runtime, identity.calibration, list(identity.labels)]


def _to_key(prefix: list[Any], pair: Pair) -> bytes:
    digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in pair]
    return hashlib.sha256(canonical_json.dumps([*prefix, *digests])).digest()


def _checksum(key: bytes, body: bytes) -> bytes:
    # The key belongs to it: a value moved under another key is not believed.
    return hashlib.sha256(key + body).digest()
