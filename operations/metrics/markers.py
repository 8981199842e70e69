"""Counters of citation markers: how often answers have them, and how often they name nothing."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from prometheus_client import Counter, Gauge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prometheus_client import CollectorRegistry

    from spanproof.core.citation import Generator
    from spanproof.core.verdicts.verification_block import VerificationBlock

_LABELS = ("grammar", "generator_model", "prompt_id")
#: Callers choose these labels: so many different ones are counted by name, the rest together.
MAX_LABELS = 500
_MAX_CHARACTERS = 100
OTHER = "other"
#: Adoption is the share among so many newest answers of one generator: an old habit is forgotten.
ADOPTION_WINDOW = 200
#: What the marker formats are called in ``spanproof.verifier.formats``; any other format numbers
#: its markers.
_MARKER_FORMATS = frozenset({"chunk", "ref", "field"})
NUMBERED = "numbered"
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
            "over_cited": ("over_cited", "Answers with more markers than their text bears."),
            "orphan": ("orphan", "Markers that name nothing of the answer's sources."),
            "repaired": ("repaired", "Citations that were attached after the answer was made."),
        }
        self._counters = {
            name: Counter(f"spanproof_{metric}", text, _LABELS, registry=registry)
            for name, (metric, text) in descriptions.items()
        }
        self._answers = Counter(
            "spanproof_marker_answers",
            "Answers that were to cite, by whether a marker stands in them.",
            [*_LABELS, "marked"],
            registry=registry,
        )
        self._adoption = Gauge(
            "spanproof_marker_adoption_ratio",
            f"Share of the newest {ADOPTION_WINDOW} such answers in which a marker stands.",
            _LABELS,
            registry=registry,
        )
        self._lock = threading.Lock()
        self._newest: dict[tuple[str, ...], deque[bool]] = {}

    def count_turn(
        self, generator: Generator | None, source: str, counts: Mapping[str, int], *, grammar: str
    ) -> None:
        """One turn: what its attribution rests on, and how often each guardrail held."""
        labels = self._label(generator, grammar)
        self._turns.labels(**labels, attribution_source=source).inc()
        self._add(labels, counts)
        self._note_adoption(labels, is_marked=source in {"citation", "mixed"})

    def count_remarks(self, generator: Generator | None, codes: Mapping[str, int]) -> None:
        """One answer whose markers were read as citations: the codes of its remarks."""
        counts: dict[str, int] = {}
        for code, count in codes.items():
            if code in _OF_CODE:
                name = _OF_CODE[code]
                counts[name] = counts.get(name, 0) + count
        if counts:
            self._add(self._label(generator, "field"), counts)

    def count_block(self, block: VerificationBlock) -> None:
        """One verified answer: whether it has markers, and which of them name nothing.

        An answer that is no answer (a question back, a refusal) is not expected to cite.
        """
        answer = block.answer
        labels = self._label(answer.generator, name_grammar(block.imported.format))
        counts = {
            "orphan": len(block.orphan_anchors),
            "over_cited": int(bool(block.over_cited)),
            "repaired": 0 if block.repair is None else block.repair.attached,
        }
        self._add(labels, counts)
        if answer.answer_kind == "answer":
            # Providers that hang citations on segments leave no marker in the prose.
            attached = counts["repaired"]
            is_marked = bool(answer.anchors) or len(answer.citations) > attached
            self._note_adoption(labels, is_marked=is_marked)

    def _note_adoption(self, labels: dict[str, str], *, is_marked: bool) -> None:
        self._answers.labels(**labels, marked="yes" if is_marked else "no").inc()
        with self._lock:
            key = tuple(labels[name] for name in _LABELS)
            newest = self._newest.setdefault(key, deque(maxlen=ADOPTION_WINDOW))
            newest.append(is_marked)
            self._adoption.labels(**labels).set(sum(newest) / len(newest))

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


def name_grammar(formats: str) -> str:
    """The grammar of the markers that an answer of these formats has: ``anthropic,field`` → field.

    A provider's own citations go by the provider's name.
    """
    last = formats.rsplit(",", maxsplit=1)[-1].strip()
    if last in _MARKER_FORMATS:
        return last
    return NUMBERED if last == "native" else last
