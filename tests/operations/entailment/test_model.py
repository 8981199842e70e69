from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import ModelUnavailableError
from spanproof.operations.entailment.model import describe_model
from tests.contexts import with_settings

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context


def test_it_tells_what_stands_in_every_block(context: Context) -> None:
    row = describe_model(context)
    assert row["name"] == "scripted"
    assert row["embedded"] is True
    assert len(row["weights_sha256"]) == 64
    assert row["labels"] == ["entailment", "neutral", "contradiction"]


def test_a_model_that_is_not_there_is_an_error(context: Context, tmp_path: Path) -> None:
    context = with_settings(context, model=tmp_path / "nowhere")
    with pytest.raises(ModelUnavailableError):
        describe_model(context)
