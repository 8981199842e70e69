from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment import load_model
from spanproof.verifier.entailment.backend import CANONICAL_TOLERANCE, FAST_TOLERANCE, Call
from spanproof.verifier.entailment.backends.openvino import OpenVinoBackend
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.export.graph import export_graph
from spanproof.verifier.entailment.loading import embedded_folder
from spanproof.verifier.entailment.models.folder import check_folder
from tests.verifier.entailment.backends.real_pairs import measure_distance, plan, read_pairs
from tests.verifier.entailment.tiny_models import load_onnx

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = [ENTAILED, CONTRADICTED, NEUTRAL]
needs_openvino = pytest.mark.skipif(
    find_spec("openvino") is None, reason="OpenVINO is not installed: the extra [openvino]"
)


def test_without_the_extra_the_error_says_how_to_get_it(
    taught: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    with pytest.raises(ModelUnavailableError, match="no such package") as caught:
        load_model(taught, runtime="openvino", device="cpu", cache=tmp_path)
    assert "pip install 'spanproof[openvino]'" in caught.value.hint


@needs_openvino
def test_float32_says_what_the_canonical_run_says(taught: Path, tmp_path: Path) -> None:
    canonical = load_model(taught, runtime="onnx", device="cpu", cache=tmp_path)
    other = load_model(taught, runtime="openvino", device="cpu", cache=tmp_path)
    assert "openvino@" in other.identity.runtime
    assert other.confirm(PAIRS) == canonical.judge(PAIRS)
    for ours, theirs in zip(other.judge(PAIRS), canonical.judge(PAIRS), strict=True):
        assert ours.logits == pytest.approx(theirs.logits, abs=1e-4)
    other.close()
    other.close()
    canonical.close()


@needs_openvino
def test_company_changes_no_bit(taught: Path, tmp_path: Path) -> None:
    folder = check_folder(taught)
    calls = plan(folder, PAIRS * 3)
    backend = OpenVinoBackend.load(folder, export=export_graph, cache=tmp_path, form="fp32")
    assert backend.tolerance == CANONICAL_TOLERANCE
    assert backend.run(calls) == [backend.run([call])[0] for call in calls]
    assert backend.run([]) == []
    backend.close()


@needs_openvino
def test_several_threads_may_ask_at_once(taught: Path, tmp_path: Path) -> None:
    calls = plan(check_folder(taught), PAIRS * 5)
    for _ in range(5):
        backend = OpenVinoBackend.load(
            check_folder(taught), export=export_graph, cache=tmp_path, form="fp32"
        )
        expected = backend.run(calls)
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(backend.run, [calls[start:] for start in range(4)]))
        assert answers == [expected[start:] for start in range(4)]
        backend.close()


@needs_openvino
def test_a_call_that_fails_gives_an_error_and_the_next_one_runs(
    taught: Path, tmp_path: Path
) -> None:
    backend = OpenVinoBackend.load(
        check_folder(taught), export=export_graph, cache=tmp_path, form="fp32"
    )
    (call, *_) = plan(check_folder(taught), PAIRS)
    expected = backend.run([call])
    # Longer than the model has positions for.
    endless = Call(ids=call.ids * 100, types=call.types * 100, premise="", claim="")
    with pytest.raises(ModelUnavailableError, match="Expected logits for"):
        backend.run([call, endless])
    assert backend.run([call]) == expected
    backend.close()


@needs_openvino
def test_a_token_that_the_model_does_not_know_is_refused(taught: Path, tmp_path: Path) -> None:
    backend = OpenVinoBackend.load(
        check_folder(taught), export=export_graph, cache=tmp_path, form="fp32"
    )
    (call, *_) = plan(check_folder(taught), PAIRS)
    with pytest.raises(ModelUnavailableError, match="Expected token ids below"):
        backend.run([replace(call, ids=(10**6, *call.ids[1:]))])
    backend.close()


@needs_openvino
@pytest.mark.model
def test_on_real_pairs_bfloat16_stays_within_its_tolerance(
    test_data: Path, embedded_cache: Path
) -> None:
    folder = check_folder(embedded_folder())
    calls = plan(folder, read_pairs(test_data, 24))
    canonical = load_onnx(folder, cache=embedded_cache).run(calls)
    openvino = pytest.importorskip("openvino")
    if "BF16" not in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        pytest.skip("this CPU computes in no bfloat16")
    fast = OpenVinoBackend.load(folder, export=export_graph, cache=embedded_cache, form="bf16")
    assert 1e-4 < measure_distance(fast.run(calls), canonical) < FAST_TOLERANCE == fast.tolerance
    fast.close()
