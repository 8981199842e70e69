from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.budget import Budget, BudgetSpentError, spending
from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment import load_model
from spanproof.verifier.entailment.encoding.pairs import PairLayout
from spanproof.verifier.entailment.encoding.planning import WINDOW_TOKENS, PairPlanner
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.loading import embedded_folder, open_model
from spanproof.verifier.entailment.models.folder import check_folder
from tests.verifier.entailment.tiny_models import (
    build_folder,
    build_tokenizer,
    edit_json,
    reorder_labels,
)

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.verifier.entailment.model import LocalEntailment

LONG = " ".join(f"The man number {n} is playing a guitar on a stage." for n in range(120))
PAIRS = [
    ENTAILED,
    CONTRADICTED,
    NEUTRAL,
    (LONG, "A man is playing a guitar."),
    ("A man.", "A man " + "is playing " * 30 + "."),
    ("", "A man is playing."),
    (LONG, "The stage is on a guitar."),
]


@pytest.fixture(scope="module")
def model(taught: Path) -> LocalEntailment:
    return load_model(taught, device="cpu")


def test_the_same_pair_gives_the_same_bits_in_any_company(model: LocalEntailment) -> None:
    alone = [model.judge([pair])[0] for pair in PAIRS]
    shuffled = list(range(len(PAIRS))) * 3
    for seed in range(5):
        random.Random(seed).shuffle(shuffled)  # noqa: S311
        together = model.judge([PAIRS[index] for index in shuffled])
        assert together == [alone[index] for index in shuffled]


def test_a_budget_looks_between_the_windows_of_one_pair(model: LocalEntailment) -> None:
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1

    (whole,) = model.judge([PAIRS[3]])
    with spending(Budget(None, clock=lambda: 0.0, on_checkpoint=look)):
        assert model.judge([PAIRS[3]]) == [whole]
    assert 1 < looks <= whole.windows
    spent = Budget(1.0, clock=lambda: 0.0)
    spent.charge(2.0)
    with spending(spent), pytest.raises(BudgetSpentError):
        model.judge([PAIRS[3]])


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ((0, 1, 2), ("entailment", "neutral", "contradiction")),
        ((2, 1, 0), ("contradiction", "neutral", "entailment")),
        ((2, 0, 1), ("CONTRADICTION", "ENTAILMENT", "NEUTRAL")),
        ((1, 0, 2), ("NEI", "SUPPORTED", "REFUTED")),
    ],
)
def test_label_order_changes_nothing(
    taught: Path,
    tmp_path: Path,
    model: LocalEntailment,
    order: tuple[int, int, int],
    names: tuple[str, str, str],
) -> None:
    other = load_model(reorder_labels(taught, tmp_path / "other", order, names), device="cpu")
    for ours, theirs in zip(model.judge(PAIRS), other.judge(PAIRS), strict=True):
        if ours.reason is None:
            assert theirs.p_entailment == pytest.approx(ours.p_entailment, abs=1e-5)
            assert theirs.p_contradiction == pytest.approx(ours.p_contradiction, abs=1e-5)


def test_a_long_premise_is_read_whole_and_says_where(model: LocalEntailment) -> None:
    (entailment,) = model.judge([(LONG, "A man is playing a guitar.")])
    assert entailment.reason is None
    assert entailment.windows > 1
    assert entailment.coverage == 1.0
    assert entailment.evidence is not None
    assert 0 <= entailment.evidence.start < entailment.evidence.end <= len(LONG)


@settings(max_examples=30, deadline=None)
@given(premise=st.text("ab .\n", max_size=900), words=st.integers(1, 500))
def test_windows_hold_every_premise_token_and_the_claim_whole(premise: str, words: int) -> None:
    claim = "stage " * words
    plan = PairPlanner(build_tokenizer(), positions=512).plan(premise, claim)
    tokens = build_tokenizer().encode(premise, add_special_tokens=False)
    if plan.reason is None:
        assert plan.coverage == 1.0
        places = {
            place
            for span in plan.spans
            for place in range(span.start, span.end)
            if not premise[place].isspace()
        }
        assert places == {place for place, letter in enumerate(premise) if not letter.isspace()}
        claim_ids = build_tokenizer().encode(claim, add_special_tokens=False).ids
        for call in plan.calls:
            assert len(call.ids) == len(call.types) <= 512
            assert list(call.ids[-1 - len(claim_ids) : -1]) == claim_ids
    elif plan.reason == "claim_too_long":
        assert words > 512 - 3 - min(64, len(tokens))
    else:
        assert plan.reason == "no_premise"
        assert not premise.strip()


@pytest.mark.parametrize(
    ("premise", "claim", "reason"),
    [
        ("A man. " * 100, "stage " * 500, "claim_too_long"),
        ("A man.", "stage " * 507, "claim_too_long"),
        ("", "A man.", "no_premise"),
        (" \n\t ", "A man.", "no_premise"),
        ("A man.", "", "no_claim"),
    ],
)
def test_what_cannot_be_read_whole_is_not_run(
    model: LocalEntailment, premise: str, claim: str, reason: str
) -> None:
    (entailment,) = model.judge([(premise, claim)])
    assert entailment.reason == reason
    assert entailment.p_entailment is None
    assert entailment.windows == 0


def test_a_long_claim_with_room_for_its_premise_runs(model: LocalEntailment) -> None:
    (entailment,) = model.judge([("A man.", "stage " * 500)])
    assert entailment.reason is None


def test_a_model_with_few_positions_reads_smaller_windows(tmp_path: Path) -> None:
    folder = check_folder(build_folder(tmp_path / "short", positions=128))
    model = open_model(folder, device="cpu")
    (entailment,) = model.judge([(LONG, "A man is playing a guitar.")])
    assert entailment.coverage == 1.0
    assert entailment.windows > 10


def test_the_identity_names_weights_tokenizer_runtime_and_windows(
    taught: Path, model: LocalEntailment
) -> None:
    identity = model.identity
    assert identity.weights_digest == check_folder(taught).weights_digest
    assert identity.labels == ("entailed", "neutral", "contradicted")
    assert identity.calibration == "none"
    for part in (
        "onnxruntime@",
        "fp32+cpu+cls-only",
        "graph-sha256:",
        f"windows-{WINDOW_TOKENS}-",
        "tokenizer-",
    ):
        assert part in identity.runtime


def test_a_two_way_head_says_so_and_knows_no_contradiction(tmp_path: Path) -> None:
    folder = build_folder(tmp_path / "two", ("not_entailment", "entailment"))
    model = open_model(check_folder(folder), device="cpu")
    (entailment,) = model.judge([ENTAILED])
    assert entailment.p_contradiction == 0.0
    assert entailment.p_entailment is not None
    assert entailment.p_neutral == pytest.approx(1 - entailment.p_entailment)
    assert model.identity.labels == ("not_entailed", "entailed")


def test_an_unknown_device_is_refused(taught: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="device"):
        load_model(taught, device="abacus")


def test_a_label_map_for_another_head_is_refused(tmp_path: Path) -> None:
    folder = build_folder(tmp_path / "two", ("LABEL_0", "LABEL_1"))
    names = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    edit_json(folder / "label_map.json", **names)
    with pytest.raises(ModelUnavailableError, match="3 outputs"):
        load_model(folder, device="cpu")


def test_the_layout_is_that_of_the_tokenizer() -> None:
    tokenizer = build_tokenizer()
    layout = PairLayout.of(tokenizer)
    premise, claim = ENTAILED
    joined = layout.join(
        tokenizer.encode(premise, add_special_tokens=False).ids,
        tokenizer.encode(claim, add_special_tokens=False).ids,
    )
    pair = tokenizer.encode(premise, claim)
    assert joined == (pair.ids, pair.type_ids)


@pytest.mark.model
def test_the_embedded_model_loads_and_gives_the_same_bits_again(tmp_path: Path) -> None:
    model = load_model()
    copied = load_model(shutil.copytree(embedded_folder(), tmp_path / embedded_folder().name))
    assert model.judge(PAIRS) == copied.judge(list(reversed(PAIRS)))[::-1]
    assert model.identity.weights_digest == copied.identity.weights_digest
