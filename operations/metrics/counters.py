"""What the service counts of itself, for Prometheus: never a word of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    generate_latest,
)

from spanproof.operations.metrics.markers import FieldCounters
from spanproof.operations.metrics.sampling import SamplingMetrics
from spanproof.operations.metrics.verifier import VerifierMetrics

if TYPE_CHECKING:
    from collections.abc import Mapping

MEDIA_TYPE = CONTENT_TYPE_LATEST


class Metrics:
    """Counters of one process, in a registry of their own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._cross_checked_spans = Counter(
            "spanproof_witness_spans",
            "Cited spans that a second PDF engine read, by its finding.",
            ["engine", "result"],
            registry=self._registry,
        )
        self._documents = Counter(
            "spanproof_documents",
            "Documents taken or refused.",
            ["status"],
            registry=self._registry,
        )
        self._verifications = Counter(
            "spanproof_verifications",
            "Answers verified, by result.",
            ["result"],
            registry=self._registry,
        )

        self._calibrations = Counter(
            "spanproof_calibrations",
            "Answers verified, by whether the model's calibration speaks for them.",
            ["status"],
            registry=self._registry,
        )
        self._auth_failures = Counter(
            "spanproof_auth_failures",
            "Requests whose credential was refused, by why.",
            ["reason"],
            registry=self._registry,
        )
        self._refusals = Counter(
            "spanproof_overload_refusals",
            "Requests that found no room, by class of work.",
            ["work"],
            registry=self._registry,
        )
        self._drift = Gauge(
            "spanproof_drift_citations",
            "Kept citations of an index's older version, by what the newer means for them.",
            ["status", "index"],
            registry=self._registry,
        )
        self.fields = FieldCounters(self._registry)
        self.sampling = SamplingMetrics(self._registry)
        self.verifier = VerifierMetrics(self._registry)

    def count_calibration(self, status: str) -> None:
        """One answer: applied, none, stale or out_of_scope."""
        self._calibrations.labels(status=status).inc()

    def count_cross_check(self, *, engine: str, result: str) -> None:
        """One cited span that a second engine was asked about."""
        self._cross_checked_spans.labels(engine=engine, result=result.lower()).inc()

    def count_document(self, status: str) -> None:
        """One document: ok, degraded or refused."""
        self._documents.labels(status=status).inc()

    def count_verification(self, result: str) -> None:
        """One answer: pass, fail, review or error."""
        self._verifications.labels(result=result).inc()

    def count_auth_failure(self, reason: str) -> None:
        """One request: missing, scheme, unknown, expired, revoked, session, token or scope."""
        self._auth_failures.labels(reason=reason).inc()

    def count_refusal(self, work: str) -> None:
        """One request that found no room: its class of work."""
        self._refusals.labels(work=work).inc()

    def set_drift(self, index: str, counts: Mapping[str, int]) -> None:
        """What the newest comparison of an index's versions says, by the class of citation."""
        for status, count in counts.items():
            self._drift.labels(status=status, index=index).set(count)

    def render(self) -> bytes:
        """All counters in Prometheus's text format."""
        return generate_latest(self._registry)
