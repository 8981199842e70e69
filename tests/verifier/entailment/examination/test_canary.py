from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment import NullEntailment, load_model
from spanproof.verifier.entailment.examination.canary import check_canary
from tests.verifier.entailment.tiny_models import build_folder, reorder_labels

if TYPE_CHECKING:
    from pathlib import Path


def test_a_model_that_knows_the_canary_is_loaded(taught: Path) -> None:
    model = load_model(taught, device="cpu")
    check_canary(model, knows_contradiction=True)


def test_a_random_head_fails(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="told apart"):
        load_model(build_folder(tmp_path / "random"), device="cpu")


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (0, 2, 1)])
def test_swapped_labels_fail(taught: Path, tmp_path: Path, order: tuple[int, int, int]) -> None:
    # The outputs move and their names stay: the classic conversion mistake.
    names = ("entailment", "neutral", "contradiction")
    swapped = reorder_labels(taught, tmp_path / "swapped", order, names)
    with pytest.raises(ModelUnavailableError, match="told apart"):
        load_model(swapped, device="cpu")


@pytest.mark.filterwarnings("ignore::spanproof.verifier.entailment.EntailmentNotRunWarning")
def test_a_model_that_does_not_run_fails() -> None:
    with pytest.raises(ModelUnavailableError):
        check_canary(NullEntailment("absent"), knows_contradiction=True)
