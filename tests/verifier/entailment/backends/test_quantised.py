from __future__ import annotations

import random
from typing import TYPE_CHECKING

import onnx
import pytest

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment import load_model
from spanproof.verifier.entailment.backends.quantised import TOLERANCE, open_quantised, quantise
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.export.graph import export_graph
from spanproof.verifier.entailment.guard import Boundaries, judge_guarded
from spanproof.verifier.entailment.loading import embedded_folder
from spanproof.verifier.entailment.models.folder import check_folder
from tests.verifier.entailment.backends.real_pairs import measure_distance, plan, read_pairs
from tests.verifier.entailment.tiny_models import load_onnx

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = [ENTAILED, CONTRADICTED, NEUTRAL]


def test_another_graph_another_runtime_and_its_own_place_in_the_cache(
    taught: Path, tmp_path: Path
) -> None:
    folder = check_folder(taught)
    plain = load_onnx(folder, cache=tmp_path)
    int8 = open_quantised(folder, export=export_graph, cache=tmp_path)
    assert "+int8+" in int8.runtime
    assert int8.runtime != plain.runtime
    assert int8.tolerance == TOLERANCE > plain.tolerance
    records = sorted(tmp_path.glob("*/artefact.json"))
    assert len(records) == 2
    before = [record.stat().st_mtime_ns for record in records]
    assert open_quantised(folder, export=export_graph, cache=tmp_path).runtime == int8.runtime
    assert [record.stat().st_mtime_ns for record in records] == before


def test_company_changes_no_bit(taught: Path, tmp_path: Path) -> None:
    folder = check_folder(taught)
    calls = plan(folder, PAIRS * 3)
    alone = [
        open_quantised(folder, export=export_graph, cache=tmp_path, workers=1).run([call])[0]
        for call in calls
    ]
    backend = open_quantised(folder, export=export_graph, cache=tmp_path, workers=4)
    order = list(range(len(calls)))
    random.Random(0).shuffle(order)  # noqa: S311 - an order, not a secret
    assert backend.run([calls[place] for place in order]) == [alone[place] for place in order]
    backend.close()


def test_what_is_no_graph_cannot_be_quantised() -> None:
    with pytest.raises(ModelUnavailableError, match="can be quantised"):
        quantise(b"no graph")


@pytest.mark.long
@pytest.mark.model
def test_the_large_products_are_in_int8_but_for_the_first_layers(embedded_cache: Path) -> None:
    folder = check_folder(embedded_folder())
    open_quantised(folder, export=export_graph, cache=embedded_cache)
    graphs = [onnx.load(path) for path in sorted(embedded_cache.glob("*/model.onnx"))]
    (int8,) = (g.graph for g in graphs if any("Integer" in n.op_type for n in g.graph.node))
    rounded = {n.name for n in int8.node if n.op_type in {"MatMulInteger", "DynamicQuantizeMatMul"}}
    assert rounded
    assert not [name for name in rounded if "layer.0/" in name]


@pytest.mark.long
@pytest.mark.model
def test_on_real_pairs_the_guard_band_gives_the_canonical_decisions(
    test_data: Path, embedded_cache: Path
) -> None:
    pairs = read_pairs(test_data, 24)
    folder = check_folder(embedded_folder())
    calls = plan(folder, pairs)
    distance = measure_distance(
        open_quantised(folder, export=export_graph, cache=embedded_cache).run(calls),
        load_onnx(folder, cache=embedded_cache).run(calls),
    )
    assert 1e-3 < distance <= TOLERANCE
    boundaries = Boundaries(entailment=(0.45, 0.5, 0.55), contradiction=(0.5,))
    canonical = load_model(runtime="onnx", device="cpu", cache=embedded_cache)
    int8 = load_model(runtime="onnx-int8", device="cpu", cache=embedded_cache)
    ours, theirs = (judge_guarded(model, pairs, boundaries) for model in (int8, canonical))
    assert any(one.is_confirmed for one in ours)
    assert not all(one.is_confirmed for one in ours)
    for one, other in zip(ours, theirs, strict=True):
        if other.is_certain:
            assert one.is_certain
            for edge in boundaries.entailment:
                assert ((one.entailment.p_entailment or 0) > edge) == (
                    (other.entailment.p_entailment or 0) > edge
                )
    int8.close()
    canonical.close()
