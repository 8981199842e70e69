from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import onnx
import pytest
from onnx import numpy_helper

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment import load_model
from spanproof.verifier.entailment.backend import CANONICAL_TOLERANCE, Call
from spanproof.verifier.entailment.backends.onnx import OnnxBackend
from spanproof.verifier.entailment.encoding.planning import PairPlanner
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.export.graph import export_graph
from spanproof.verifier.entailment.loading import embedded_folder
from spanproof.verifier.entailment.models.folder import ModelFolder, check_folder
from spanproof.verifier.entailment.models.graph_file import find_graph
from spanproof.verifier.entailment.models.tokenizer import load_tokenizer
from tests.verifier.entailment.tiny_models import build_folder, load_onnx

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spanproof.verifier.entailment.backend import Logits

LONG = " ".join(f"The man number {n} is playing a guitar on a stage." for n in range(120))
PAIRS = [ENTAILED, CONTRADICTED, NEUTRAL, (LONG, "A man is playing a guitar.")]
WORKERS = (1, 2, 4)


def plan(folder: ModelFolder, pairs: Sequence[tuple[str, str]]) -> list[Call]:
    tokenizer, _ = load_tokenizer(folder)
    planner = PairPlanner(tokenizer, positions=folder.positions)
    return [call for pair in pairs for call in planner.plan(*pair).calls]


RESTARTED = """
import json, sys
from pathlib import Path
from spanproof.verifier.entailment.backends.onnx import OnnxBackend
from spanproof.verifier.entailment.backend import Call
from spanproof.verifier.entailment.models.folder import check_folder
rows = json.load(sys.stdin)
calls = [Call(ids=tuple(ids), types=tuple(types), premise="", claim="") for ids, types in rows]
backend = OnnxBackend.load(
    check_folder(Path(sys.argv[1])),
    export=None,  # the graph is brought along, or kept
    cache=Path(sys.argv[2]),
    workers=int(sys.argv[3]),
)
json.dump(backend.run(calls), sys.stdout)
"""


def run_elsewhere(
    folder: ModelFolder, cache: Path, calls: list[Call], workers: int
) -> list[Logits]:
    """The logits by a fresh process; JSON keeps every bit of a float."""
    process = subprocess.run(
        [sys.executable, "-c", RESTARTED, str(folder.path), str(cache), str(workers)],
        input=json.dumps([(call.ids, call.types) for call in calls]),
        capture_output=True,
        text=True,
        check=True,
    )
    return [tuple(row) for row in json.loads(process.stdout)]


def assert_the_bits_never_change(folder: ModelFolder, cache: Path, calls: list[Call]) -> None:
    alone = load_onnx(folder, cache=cache, workers=1)
    expected = [alone.run([call])[0] for call in calls]
    order = list(range(len(calls)))
    for workers in WORKERS:
        backend = load_onnx(folder, cache=cache, workers=workers)
        assert backend.runtime == alone.runtime
        assert backend.run(calls) == expected
        random.Random(workers).shuffle(order)  # noqa: S311
        assert backend.run([calls[place] for place in order]) == [expected[p] for p in order]
        assert backend.run(calls[: workers + 1]) == expected[: workers + 1]
        backend.close()
        assert backend.run(calls) == expected  # closed, and well again
        backend.close()
    for workers in (1, 4):
        assert run_elsewhere(folder, cache, calls, workers) == expected


def test_the_same_call_gives_the_same_bits_in_any_company(taught: Path, tmp_path: Path) -> None:
    folder = check_folder(taught)
    assert_the_bits_never_change(folder, tmp_path, plan(folder, PAIRS))


@pytest.mark.long
@pytest.mark.model
def test_the_embedded_model_gives_real_pairs_the_same_bits(
    test_data: Path, embedded_cache: Path
) -> None:
    with gzip.open(test_data / "nli" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    drawn = random.Random(4).sample(rows, 12)  # noqa: S311
    folder = check_folder(embedded_folder())
    calls = plan(folder, [(row["premise"], row["hypothesis"]) for row in drawn])
    assert_the_bits_never_change(folder, embedded_cache, calls)


@pytest.mark.model
def test_the_embedded_model_passes_its_canary_by_the_canonical_run(embedded_cache: Path) -> None:
    model = load_model(runtime="onnx", cache=embedded_cache)
    assert model.identity.runtime.startswith("onnxruntime@")
    assert "+fp32+cpu+cls-only+" in model.identity.runtime
    (entailment,) = model.judge([ENTAILED])
    assert entailment.tolerance > 0
    assert model.confirm([ENTAILED]) == [entailment]
    model.close()


def open_graph(folder: Path, cache: Path) -> tuple[bytes, list[Call]]:
    checked = check_folder(folder)
    graph = find_graph(checked, export=export_graph, cache=cache)
    return graph.to_file(), plan(checked, PAIRS)


def test_logits_that_are_no_numbers_are_a_typed_error(taught: Path, tmp_path: Path) -> None:
    content, calls = open_graph(taught, tmp_path)
    spoilt = onnx.load_from_string(content)
    (bias,) = [one for one in spoilt.graph.initializer if one.name.endswith("classifier.bias")]
    values = numpy_helper.to_array(bias).copy()
    values[1] = float("inf")
    bias.CopyFrom(numpy_helper.from_array(values, bias.name))
    backend = OnnxBackend.open(spoilt.SerializeToString(), runtime="spoilt")
    with pytest.raises(ModelUnavailableError, match="finite"):
        backend.run(calls)


def test_one_bad_call_fails_its_run_and_not_the_next(taught: Path, tmp_path: Path) -> None:
    content, calls = open_graph(taught, tmp_path)
    backend = OnnxBackend.open(content, runtime="sound", workers=2)
    expected = backend.run(calls)
    for bad in (
        replace(calls[0], ids=(10**6, *calls[0].ids[1:])),  # no such token
        replace(calls[0], ids=calls[0].ids * 200, types=calls[0].types * 200),  # no such position
        replace(calls[0], types=calls[0].types[1:]),
        replace(calls[0], ids=(), types=()),
    ):
        with pytest.raises(ModelUnavailableError, match="Expected logits for"):
            backend.run([*calls, bad, *calls])
        assert backend.run(calls) == expected
    backend.close()
    backend.close()


@pytest.mark.parametrize("content", [b"", b"not a graph", b"\x08\x08" * 100])
def test_what_is_no_graph_is_a_typed_error(content: bytes) -> None:
    with pytest.raises(ModelUnavailableError, match="Expected a graph"):
        OnnxBackend.open(content, runtime="none")


def test_a_kept_graph_with_other_outputs_than_labels_is_refused(
    tmp_path: Path, taught: Path
) -> None:
    two = check_folder(build_folder(tmp_path / "two", ("not_entailment", "entailment")))
    load_onnx(two, cache=tmp_path / "cache")
    three = check_folder(taught)
    with pytest.raises(ModelUnavailableError, match="Expected 3 outputs, got 2"):
        load_onnx(replace(two, labels=three.labels), cache=tmp_path / "cache")


def test_the_canonical_runs_tolerance_is_that_of_conforming_machines(
    taught: Path, tmp_path: Path
) -> None:
    assert load_onnx(check_folder(taught), cache=tmp_path).tolerance == CANONICAL_TOLERANCE


OUT_OF_MEMORY = """
import resource, sys
from pathlib import Path
from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.backends.onnx import OnnxBackend
from spanproof.verifier.entailment.backend import Call
from spanproof.verifier.entailment.models.folder import check_folder
folder = check_folder(Path(sys.argv[1]))
backend = OnnxBackend.load(
    folder, export=None, cache=Path(sys.argv[2]), form="full", workers=1
)
call = lambda count: Call(ids=(5,) * count, types=(0,) * count, premise="", claim="")
expected = backend.run([call(8)])
pages = int(Path("/proc/self/statm").read_text().split()[0])
free = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**22, free[1]))
try:
    backend.run([call(4096)])
except ModelUnavailableError as error:
    print(error)
else:
    sys.exit("it ran")
assert backend.run([call(8)]) == expected
resource.setrlimit(resource.RLIMIT_AS, free)
assert len(backend.run([call(4096)])[0]) == 3
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS and /proc are Linux's")
def test_out_of_memory_is_a_typed_error_and_the_next_call_works(tmp_path: Path) -> None:
    folder = build_folder(tmp_path / "wide", positions=4096)
    find_graph(check_folder(folder), export=export_graph, cache=tmp_path / "cache", form="full")
    process = subprocess.run(
        [sys.executable, "-c", OUT_OF_MEMORY, str(folder), str(tmp_path / "cache")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert "Expected logits for 4096 tokens" in process.stdout
