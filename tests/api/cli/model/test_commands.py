"""``model register`` and ``model info`` as a user types them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.api.cli.model.graphs import keep_graph
from tests.verifier.entailment.golden_models import build_golden_model
from tests.verifier.entailment.tiny_models import build_folder

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Program


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_golden_model(tmp_path_factory.mktemp("golden") / "tiny-nli")


@pytest.mark.long
def test_a_registered_model_is_used_by_name_and_refused_when_it_changed(
    program: Program, golden: Path
) -> None:
    keep_graph(golden, program.home)
    done = program.run("model", "register", golden, "--name", "ours", "--json")
    assert done.code == 0, done.stderr
    assert done.body["name"] == "ours"
    assert "SPANPROOF_MODEL=ours" in done.stderr
    named = replace(program, settings=program.settings | {"SPANPROOF_MODEL": "ours"})
    info = named.run("model", "info", "--json")
    assert info.code == 0, info.stderr
    assert info.body["weights_sha256"] == done.body["weights_sha256"]
    assert info.body["registrations"][0]["name"] == "ours"
    assert set(info.body["policies"]) == {"balanced", "strict", "review"}
    weights = golden / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(bytes(content))
    refused = named.run("model", "info", "--json")
    assert refused.code == 3
    line = refused.require_one_line("MODEL_UNAVAILABLE")
    assert done.body["weights_sha256"] in line


def test_a_model_that_knows_nothing_is_refused_in_one_line(
    program: Program, tmp_path: Path
) -> None:
    folder = build_folder(tmp_path / "random")
    keep_graph(folder, program.home)
    done = program.run("model", "register", folder)
    assert done.code == 3
    assert "golden pairs" in done.stderr
    assert not (program.home / "models" / "registered").exists()
