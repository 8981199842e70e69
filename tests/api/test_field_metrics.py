from __future__ import annotations

from prometheus_client import CollectorRegistry

from api.field_metrics import MAX_LABELS, FieldCounters
from core.citation import Generator


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
