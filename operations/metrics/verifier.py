"""What the verifier tells Prometheus of itself: which one judges, and how long the model takes."""

from __future__ import annotations

import threading
from time import perf_counter
from typing import TYPE_CHECKING

from prometheus_client import Gauge, Histogram

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from prometheus_client import CollectorRegistry

    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.model import Entailment, ModelIdentity

    Pairs = Sequence[tuple[str, str]]

#: Seconds: one short pair on a warm CPU takes some 10 ms, an answer with long sources tens of s.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class VerifierMetrics:
    """Gauge and histogram of one process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._seconds = Histogram(
            "spanproof_entailment_seconds",
            "Time that the entailment model took for the pairs of one step, in seconds.",
            buckets=_BUCKETS,
            registry=registry,
        )
        self._info = Gauge(
            "spanproof_verifier_info",
            "1 for the verifier and the model's weights that judged last.",
            ["version", "model_sha"],
            registry=registry,
        )
        self._lock = threading.Lock()
        self._told: tuple[str, str] | None = None

    def observe_entailment(self, seconds: float) -> None:
        """One step: the pairs that were judged together."""
        self._seconds.observe(seconds)

    def set_verifier_info(self, version: str, model: ModelIdentity) -> None:
        """Who judged; the one before is shown no longer."""
        sha = "" if model.weights_digest is None else model.weights_digest.hex
        with self._lock:
            if self._told == (version, sha):
                return
            self._told = (version, sha)
            self._info.clear()
            self._info.labels(version=version, model_sha=sha).set(1)


class TimedEntailment:
    """The same answers; a reading that the cache knew counts with the little time it took."""

    def __init__(self, model: EntailmentModel, metrics: VerifierMetrics) -> None:
        self._model = model
        self._metrics = metrics

    @property
    def identity(self) -> ModelIdentity:
        """The model's own."""
        return self._model.identity

    def judge(self, pairs: Pairs) -> list[Entailment]:
        """One entailment a pair, in order."""
        return self._time(self._model.judge, pairs)

    def confirm(self, pairs: Pairs) -> list[Entailment]:
        """The same by the canonical run."""
        return self._time(self._model.confirm, pairs)

    def close(self) -> None:
        """Close the model."""
        self._model.close()

    def _time(self, ask: Callable[[Pairs], list[Entailment]], pairs: Pairs) -> list[Entailment]:
        if not pairs:
            return ask(pairs)
        began = perf_counter()
        answered = ask(pairs)
        self._metrics.observe_entailment(perf_counter() - began)
        return answered
