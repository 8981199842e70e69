"""Counters of field attribution: how often markers name what was not there, and who wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import Counter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prometheus_client import CollectorRegistry

    from core.citation import Generator

_LABELS = ("grammar", "generator_model", "prompt_id")
#: Callers choose these labels: so many different ones are counted by name, the rest together.
MAX_LABELS = 500
_MAX_CHARACTERS = 100
OTHER = "other"
#: The counter of each remark that a dropped marker leaves in an import.
_OF_CODE = {
    "UNKNOWN_PREFIX": "unknown",
    "UNKNOWN_FIELD": "unknown",
    "HIDDEN_SECTION": "hidden",
    "FIELD_AMBIGUOUS": "ambiguous",
    "FIELD_EMPTY": "empty",
    "OVER_CITED": "over_cited",
}


class FieldCounters:
    """Counters of one process, by grammar, model and prompt."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._seen: set[tuple[str, str]] = set()
        self._turns = Counter(
            "spanproof_field_turns",
            "Turns whose fields were attributed, by what the attribution rests on.",
            [*_LABELS, "attribution_source"],
            registry=registry,
        )
        descriptions = {
            "unknown": ("unknown_field", "Markers of fields that the turn's context lacked."),
            "hidden": ("hidden_section", "Markers into sections that were hidden."),
            "ambiguous": ("ambiguous_field", "Markers that may mean several fields."),
            "empty": ("empty_field", "Markers of fields without a value."),
            "duplicates": ("duplicate_field_marker", "Markers beyond the first of their field."),
            "over_cited": ("over_cited_turns", "Turns with more markers than their text bears."),
        }
        self._counters = {
            name: Counter(f"spanproof_{metric}", text, _LABELS, registry=registry)
            for name, (metric, text) in descriptions.items()
        }

    def count_turn(
        self, generator: Generator | None, source: str, counts: Mapping[str, int], *, grammar: str
    ) -> None:
        """One turn: what its attribution rests on, and how often each guardrail held."""
        labels = self._label(generator, grammar)
        self._turns.labels(**labels, attribution_source=source).inc()
        self._add(labels, counts)

    def count_remarks(self, generator: Generator | None, codes: Mapping[str, int]) -> None:
        """One answer whose markers were read as citations: the codes of its remarks."""
        counts: dict[str, int] = {}
        for code, count in codes.items():
            if code in _OF_CODE:
                name = _OF_CODE[code]
                counts[name] = counts.get(name, 0) + count
        if counts:
            self._add(self._label(generator, "field"), counts)

    def _add(self, labels: dict[str, str], counts: Mapping[str, int]) -> None:
        for name, count in counts.items():
            if count:
                self._counters[name].labels(**labels).inc(count)

    def _label(self, generator: Generator | None, grammar: str) -> dict[str, str]:
        pair = (
            ((generator.model if generator else None) or "")[:_MAX_CHARACTERS],
            ((generator.prompt_id if generator else None) or "")[:_MAX_CHARACTERS],
        )
        if pair not in self._seen:
            if len(self._seen) < MAX_LABELS:
                self._seen.add(pair)
            else:
                pair = (OTHER, OTHER)
        return {"grammar": grammar, "generator_model": pair[0], "prompt_id": pair[1]}
