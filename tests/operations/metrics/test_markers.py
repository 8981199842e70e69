from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry

from spanproof.core.citation import Generator
from spanproof.operations.metrics.markers import (
    ADOPTION_WINDOW,
    MAX_LABELS,
    FieldCounters,
    name_grammar,
)


def test_labels_that_callers_choose_are_bounded() -> None:
    registry = CollectorRegistry()
    counters = FieldCounters(registry)
    for number in range(MAX_LABELS + 50):
        generator = Generator(model=f"model-{number}", prompt_id="x" * 5000)
        counters.count_turn(generator, "none", {"unknown": 1}, grammar="field")
    (family,) = (each for each in registry.collect() if each.name == "spanproof_unknown_field")
    totals = [sample for sample in family.samples if sample.name.endswith("_total")]
    assert len(totals) == MAX_LABELS + 1
    assert sum(sample.value for sample in totals) == MAX_LABELS + 50
    assert all(len(sample.labels["prompt_id"]) <= 100 for sample in totals)
    other = [sample for sample in totals if sample.labels["generator_model"] == "other"]
    assert [sample.value for sample in other] == [50.0]


def test_remarks_of_other_formats_are_not_counted() -> None:
    registry = CollectorRegistry()
    FieldCounters(registry).count_remarks(None, {"SEGMENT_MOVED": 3})
    assert not [s for family in registry.collect() for s in family.samples]


def test_adoption_is_of_the_newest_answers_of_a_generator() -> None:
    registry = CollectorRegistry()
    counters = FieldCounters(registry)
    labels = {"grammar": "field", "generator_model": "m", "prompt_id": "p"}

    def count(times: int, source: str, model: str = "m") -> None:
        for _ in range(times):
            generator = Generator(model=model, prompt_id="p")
            counters.count_turn(generator, source, {}, grammar="field")

    def ratio() -> float | None:
        return registry.get_sample_value("spanproof_marker_adoption_ratio", labels)

    assert ratio() is None
    count(3, "citation")
    count(1, "mixed")
    assert ratio() == 1
    count(4, "none")
    count(50, "none", model="another")
    assert ratio() == 0.5
    # What is older than the window is forgotten.
    count(ADOPTION_WINDOW, "heuristic")
    assert ratio() == 0
    name = "spanproof_marker_answers_total"
    assert registry.get_sample_value(name, labels | {"marked": "yes"}) == 4
    assert registry.get_sample_value(name, labels | {"marked": "no"}) == 4 + ADOPTION_WINDOW


@pytest.mark.parametrize(
    ("formats", "grammar"),
    [
        ("native", "numbered"),
        ("chunk", "chunk"),
        ("anthropic,field", "field"),
        ("anthropic", "anthropic"),
    ],
)
def test_the_grammar_is_that_of_the_markers(formats: str, grammar: str) -> None:
    assert name_grammar(formats) == grammar
