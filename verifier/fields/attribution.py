"""Fields that an answer draws on: by its markers, by its words, and the two kept apart.

(1) Role: only the assistant's turn is parsed.
(2) Visible: fields that the prompt did not show must not be cited, and are not searched.
(3) Track one: the markers, each compared with the context; unknown ones are dropped.
(4) Track two: the values, looked for in the clean text by their types.
(5) Together: a marker wins with 1.0 and stays a self-report; a match of its value is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.budget import checkpoint
from spanproof.verifier.fields.context import snapshot_context, visible_context
from spanproof.verifier.fields.guardrails import count_drift, measure_density
from spanproof.verifier.fields.markers import find_markers, read_markers
from spanproof.verifier.fields.matchers import Prose, match_field
from spanproof.verifier.fields.types import MARKER_CONFIDENCE
from spanproof.verifier.formats.cleaning import strip_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanproof.core.span import Span
    from spanproof.verifier.fields.context import Snapshot
    from spanproof.verifier.fields.guardrails import Density
    from spanproof.verifier.fields.markers import DroppedMarker
    from spanproof.verifier.fields.turn import Turn
    from spanproof.verifier.fields.types import AttributionSource, Field, FieldMatch, MatchMethod
    from spanproof.verifier.formats.cleaning import CleanText


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAttribution:
    """One field that the answer draws on.

    ``markers`` are its markers' places in the raw prose, first one first; ``match`` is where the
    value stands in the clean text. At least one of them is there.
    """

    field: Field
    markers: tuple[Span, ...] = ()
    match: FieldMatch | None = None

    @property
    def confidence(self) -> float:
        """1.0 for a marker, else the match's."""
        if self.markers or self.match is None:
            return MARKER_CONFIDENCE
        return self.match.confidence

    @property
    def method(self) -> MatchMethod:
        """How the field was attributed."""
        return "marker" if self.markers or self.match is None else self.match.method


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldReport:
    """The findings of one turn.

    ``attributed`` is by section in the context's order, within one by confidence; ``weak`` are
    matches below the threshold of their type, ``hidden`` the sections that must not be cited.
    """

    turn: Turn
    clean: CleanText
    attributed: tuple[FieldAttribution, ...]
    weak: tuple[FieldAttribution, ...]
    dropped: tuple[DroppedMarker, ...]
    hidden: tuple[str, ...]
    density: Density
    drift: Mapping[str, int]
    snapshot: Snapshot

    @property
    def attribution_source(self) -> AttributionSource:
        """Markers alone, matches alone, both, or nothing."""
        return find_source(self.attributed)


def attribute_fields(turn: Turn) -> FieldReport:
    """Find the fields that an answer draws on."""
    # (1) Role.
    tokens = find_markers(turn.response) if turn.is_assistant else ()
    clean = strip_tokens(turn.response, tokens)
    # (2) Visible.
    visible = visible_context(turn.context, turn.registry.policy)
    # (3) Track one.
    markers = read_markers(tokens, turn.context, visible, turn.registry)
    marked = {field.path: spans for field, spans in markers.kept}
    # (4) Track two.
    matches: dict[str, FieldMatch] = {}
    if turn.is_assistant:
        prose = Prose.of(clean.text)
        for section in visible.sections:
            for field in section.fields:
                checkpoint()
                found = match_field(field, prose, turn.registry)
                if found is not None:
                    matches[field.path] = found
    # (5) Together.
    attributed: list[FieldAttribution] = []
    weak: list[FieldAttribution] = []
    for section in visible.sections:
        of_section = [
            FieldAttribution(
                field=field, markers=marked.get(field.path, ()), match=matches.get(field.path)
            )
            for field in section.fields
            if field.path in marked or field.path in matches
        ]
        for each in sorted(of_section, key=lambda one: -one.confidence):
            threshold = turn.registry.policy.threshold(each.field.type)
            (attributed if each.markers or each.confidence >= threshold else weak).append(each)
    return FieldReport(
        turn=turn,
        clean=clean,
        attributed=tuple(attributed),
        weak=tuple(weak),
        dropped=markers.dropped,
        hidden=tuple(s.name for s in turn.context.sections if s.name not in visible.by_name),
        density=measure_density(markers.total, clean.text),
        drift=count_drift(markers.dropped, markers.duplicates),
        snapshot=snapshot_context(visible),
    )


def find_source(attributed: Iterable[FieldAttribution]) -> AttributionSource:
    """The basis of the attributions."""
    kinds = {"citation" if each.markers else "heuristic" for each in attributed}
    if len(kinds) == 2:
        return "mixed"
    if not kinds:
        return "none"
    return "citation" if "citation" in kinds else "heuristic"
