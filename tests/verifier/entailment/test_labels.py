from __future__ import annotations

import itertools

import pytest

from spanproof.core.errors import ModelLabelsError
from spanproof.verifier.entailment.labels import LabelMap


@pytest.mark.parametrize(
    "names",
    [
        ("entailment", "neutral", "contradiction"),
        ("contradiction", "neutral", "entailment"),
        ("CONTRADICTION", "ENTAILMENT", "NEUTRAL"),
        ("SUPPORTS", "NOT ENOUGH INFO", "REFUTES"),
        ("Refuted", "Supported", "NEI"),
    ],
)
def test_labels_are_mapped_by_name_in_any_order(names: tuple[str, ...]) -> None:
    labels = LabelMap.from_names(dict(enumerate(names)))
    outputs = tuple(
        {"e": 0.5, "s": 0.5, "n": 0.3, "c": 0.2, "r": 0.2}[name[0].lower()] for name in names
    )
    assert labels.arrange(outputs) == (0.5, 0.3, 0.2)


@pytest.mark.parametrize(
    "names",
    [("entailment", "not_entailment"), ("entailed", "not entailed"), ("supported", "unsupported")],
)
def test_a_two_way_head_puts_the_rest_into_neutral(names: tuple[str, str]) -> None:
    assert LabelMap.from_names(dict(enumerate(names))).arrange((0.9, 0.1)) == (0.9, 0.1, 0.0)
    turned = LabelMap.from_names(dict(enumerate(reversed(names))))
    assert turned.arrange((0.9, 0.1)) == (0.1, 0.9, 0.0)
    assert turned.is_two_way


@pytest.mark.parametrize(
    "names",
    [
        {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"},
        {0: "LABEL_0", 1: "LABEL_1"},
        {0: "entailment", 1: "neutral", 2: "LABEL_2"},
        {0: "entailment", 1: "entailed", 2: "neutral"},
        {0: "entailment", 1: "contradiction"},
        {0: "entailment"},
        {1: "entailment", 2: "neutral", 3: "contradiction"},
        {},
    ],
)
def test_unnamed_double_or_partial_labels_are_refused(names: dict[int, str]) -> None:
    with pytest.raises(ModelLabelsError, match=r"label_map\.json"):
        LabelMap.from_names(names)


def test_every_order_gives_the_same_meaning() -> None:
    chances = {"entailment": 0.7, "neutral": 0.2, "contradiction": 0.1}
    for order in itertools.permutations(chances):
        labels = LabelMap.from_names(dict(enumerate(order)))
        assert labels.arrange(tuple(chances[name] for name in order)) == (0.7, 0.2, 0.1)
