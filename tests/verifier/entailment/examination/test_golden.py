"""Golden pairs tell a model of entailment from an untrained head and from swapped labels."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import ModelLabelsError, ModelUnavailableError
from spanproof.core.span import Span
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.examination.golden import (
    FLOOR,
    GoldenPair,
    check_golden,
    load_golden_pairs,
    score_golden,
)
from spanproof.verifier.entailment.labels import LabelMap
from spanproof.verifier.entailment.logits import Reading, unread

if TYPE_CHECKING:
    from collections.abc import Callable

THREE = LabelMap(meanings=("entailed", "neutral", "contradicted"))
TWO = LabelMap(meanings=("not_entailed", "entailed"))


def read(say: Callable[[GoldenPair], str], labels: LabelMap) -> list[Reading]:
    """Logits of a model that says what ``say`` says, its outputs in the order of ``labels``."""
    return [
        Reading(
            reason=None,
            logits=(tuple(4.0 * (meaning == say(pair)) for meaning in labels.meanings),),
            spans=(Span(0, len(pair.premise)),),
            coverage=1.0,
        )
        for pair in load_golden_pairs()
    ]


def test_the_pairs_are_of_every_label_and_kind_and_none_is_the_canary() -> None:
    pairs = load_golden_pairs()
    assert len({(pair.premise, pair.claim) for pair in pairs}) == len(pairs) >= 40
    labels = Counter(pair.label for pair in pairs)
    assert set(labels) == {"entailed", "neutral", "contradicted"}
    assert min(labels.values()) >= 12
    assert {pair.group for pair in pairs} >= {"numbers", "negation", "long", "quantifiers"}
    assert any(len(pair.premise.split()) > 150 for pair in pairs)
    assert not {(pair.premise, pair.claim) for pair in pairs} & {ENTAILED, NEUTRAL, CONTRADICTED}


@pytest.mark.parametrize("order", list(itertools.permutations(THREE.meanings)))
def test_a_right_model_passes_in_every_order_of_its_outputs(order: tuple[str, ...]) -> None:
    labels = LabelMap(meanings=order)  # type: ignore[arg-type]
    score = check_golden(read(lambda pair: pair.label, labels), labels)
    assert score.accuracy == score.mean_recall == 1.0
    assert all(right == pairs for _, right, pairs in score.groups)


@pytest.mark.parametrize(
    "behaves",
    [order for order in itertools.permutations(THREE.meanings) if order != THREE.meanings],
)
def test_outputs_that_bear_each_others_names_are_told_by_name(behaves: tuple[str, ...]) -> None:
    swapped = LabelMap(meanings=behaves)  # type: ignore[arg-type]
    with pytest.raises(ModelLabelsError, match="behave like " + ", ".join(behaves)):
        check_golden(read(lambda pair: pair.label, swapped), THREE)


def test_a_two_way_head_is_asked_only_what_it_knows() -> None:
    def say(pair: GoldenPair) -> str:
        return "entailed" if pair.label == "entailed" else "not_entailed"

    assert check_golden(read(say, TWO), TWO).accuracy == 1.0
    with pytest.raises(ModelLabelsError, match="behave like entailed, not_entailed"):
        check_golden(read(say, LabelMap(meanings=TWO.meanings[::-1])), TWO)


@pytest.mark.parametrize("constant", ["entailed", "neutral", "contradicted"])
def test_a_model_that_always_says_the_same_is_refused(constant: str) -> None:
    with pytest.raises(ModelUnavailableError, match=f"{FLOOR} or more"):
        check_golden(read(lambda _: constant, THREE), THREE)


def test_a_model_that_reads_nothing_is_refused() -> None:
    readings = [unread("claim_too_long") for _ in load_golden_pairs()]
    assert score_golden(readings, THREE).mean_recall == 0.0
    with pytest.raises(ModelUnavailableError, match="golden pairs"):
        check_golden(readings, THREE)
