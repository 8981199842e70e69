from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest
import torch
from transformers import BertForSequenceClassification

from spanproof.core.errors import ModelError, ModelUnavailableError
from spanproof.verifier.entailment import load_model
from spanproof.verifier.entailment.backend import Call
from spanproof.verifier.entailment.backends import remote_http
from spanproof.verifier.entailment.backends.remote import RemoteBackend
from spanproof.verifier.entailment.backends.remote_http import RemoteHttp
from spanproof.verifier.entailment.backends.torch import TorchBackend
from spanproof.verifier.entailment.encoding.planning import PairPlanner
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.models.folder import check_folder
from spanproof.verifier.entailment.models.tokenizer import load_tokenizer
from tests.spread import thin_out_rows
from tests.verifier.entailment.backends.inference_server import InferenceServer, serve
from tests.verifier.entailment.tiny_models import build_folder, edit_json, reorder_labels

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.verifier.entailment.backends.inference_server import Answer

LONG = " ".join(f"The man number {n} is playing a guitar on a stage." for n in range(60))
PAIRS = [ENTAILED, CONTRADICTED, NEUTRAL, (LONG, "A man is playing a guitar.")]


@pytest.fixture
def server(taught: Path) -> Iterator[InferenceServer]:
    with serve(taught) as running:
        yield running


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_http, "WAIT_SECONDS", (0.0, 0.0))


def plan(folder: Path) -> list[Call]:
    checked = check_folder(folder)
    tokenizer, _ = load_tokenizer(checked)
    planner = PairPlanner(tokenizer, positions=checked.positions)
    return [call for pair in PAIRS for call in planner.plan(*pair).calls]


def connect(server: InferenceServer, folder: Path) -> RemoteBackend:
    checked = check_folder(folder)
    return RemoteBackend.open(
        checked, url=server.url, open_local=lambda: TorchBackend.load(checked, device="cpu")
    )


def test_the_logits_are_the_served_models_in_the_folders_order(
    server: InferenceServer, taught: Path
) -> None:
    calls = plan(taught)
    backend = connect(server, taught)
    expected = TorchBackend.load(check_folder(taught), device="cpu").run(calls)
    assert len(calls) > len(PAIRS)
    assert backend.run(calls) == expected
    assert backend.run([]) == []
    assert all(len(request["inputs"]) <= 2 for request in server.requests)
    assert {(r["raw_scores"], r["truncate"]) for r in server.requests} == {(True, False)}
    backend.close()


def test_labels_go_by_name_and_not_by_the_servers_order(taught: Path, tmp_path: Path) -> None:
    names = ("contradiction", "entailment", "neutral")
    other = reorder_labels(taught, tmp_path / "other", (2, 0, 1), names)
    calls = plan(taught)
    with serve(other) as server:
        backend = connect(server, taught)
        expected = TorchBackend.load(check_folder(taught), device="cpu").run(calls)
        assert backend.run(calls) == [pytest.approx(row, abs=1e-5) for row in expected]
        backend.close()


def test_labels_without_names_mean_what_the_folders_map_says(folder: Path) -> None:
    unnamed = {str(i): f"LABEL_{i}" for i in range(3)}
    edit_json(folder / "config.json", id2label=unnamed)
    edit_json(
        folder / "label_map.json", **{"0": "entailment", "1": "neutral", "2": "contradiction"}
    )
    with serve(folder) as server:
        connect(server, folder).close()
        server.info["model_type"]["classifier"]["id2label"] = {
            "0": "LABEL_1",
            "1": "LABEL_0",
            "2": "LABEL_2",
        }
        with pytest.raises(ModelError):
            connect(server, folder)


def test_a_call_that_no_text_spells_runs_here(server: InferenceServer, taught: Path) -> None:
    backend = connect(server, taught)
    (whole,) = plan(taught)[:1]
    cut = Call(ids=whole.ids[:-3] + whole.ids[-2:], types=whole.types[1:], premise="", claim="")
    expected = TorchBackend.load(check_folder(taught), device="cpu").run([cut, whole])
    assert backend.run([cut, whole]) == expected
    assert sum(len(request["inputs"]) for request in server.requests) == 1
    backend.close()


def test_a_remote_model_judges_and_the_folder_confirms(
    server: InferenceServer, taught: Path, tmp_path: Path
) -> None:
    canonical = load_model(taught, runtime="onnx", device="cpu", cache=tmp_path)
    remote = load_model(taught, url=server.url, cache=tmp_path)
    said, confirmed = remote.judge(PAIRS), remote.confirm(PAIRS)
    assert confirmed == canonical.judge(PAIRS)
    assert [one.p_entailment for one in said] == [
        pytest.approx(one.p_entailment, abs=1e-4) for one in confirmed
    ]
    assert all(one.tolerance > other.tolerance for one, other in zip(said, confirmed, strict=True))
    assert "text-embeddings-inference@1.9.3+float32+taught" in remote.identity.runtime
    assert "127.0.0.1" not in remote.identity.runtime
    remote.close()
    canonical.close()


def test_a_server_of_other_weights_is_refused(taught: Path, tmp_path: Path) -> None:
    other = reorder_labels(
        taught, tmp_path / "other", (0, 2, 1), ("entailment", "neutral", "contradiction")
    )
    with serve(other) as server, pytest.raises(ModelUnavailableError, match=r"told apart|within"):
        load_model(taught, url=server.url, cache=tmp_path / "cache")


def test_a_server_of_the_same_kind_of_model_is_told_by_its_logits(
    taught: Path, tmp_path: Path
) -> None:
    model = BertForSequenceClassification.from_pretrained(taught)
    with torch.no_grad():
        model.classifier.weight.mul_(1.2)
    model.save_pretrained(tmp_path / "other")
    (tmp_path / "other" / "tokenizer.json").write_bytes((taught / "tokenizer.json").read_bytes())
    refusal = pytest.raises(ModelUnavailableError, match=r"within 0\.2 of the model folder's")
    with serve(tmp_path / "other") as server, refusal:
        load_model(taught, url=server.url, cache=tmp_path / "cache")


def spoil_scores(_: str, answer: Answer) -> Answer:
    return answer[0], answer[1].replace(b'"score": ', b'"score": NaN, "was": ')


@pytest.mark.parametrize(
    ("path", "spoilt", "got"),
    thin_out_rows(
        [
            ("/predict", lambda _, __: (500, b"oops"), "500"),
            ("/predict", lambda _, __: (424, b'{"error": "no memory"}'), "no memory"),
            ("/predict", lambda _, __: (413, b'{"error": "too long"}'), "413"),
            ("/predict", lambda _, __: (429, b""), "429"),
            ("/predict", lambda _, __: (503, b""), "503"),
            ("/predict", lambda _, __: (302, b""), "302"),
            ("/predict", lambda _, __: (200, b"<html>"), "JSON"),
            ("/predict", lambda _, __: (200, b"\xff\xfe"), "JSON"),
            ("/predict", lambda _, __: (200, b"[]"), "0 of them"),
            ("/predict", lambda _, __: (200, b"{}"), "dict"),
            ("/predict", lambda _, __: (200, b"[[], []]"), "0"),
            ("/predict", lambda _, __: (200, b"[1, 2]"), "list of labels"),
            ("/predict", lambda _, __: (200, b'[[{"label": "sorry", "score": 1}], []]'), "sorry"),
            ("/predict", spoil_scores, "finite"),
            ("/predict", lambda _, a: (200, a[1].replace(b"neutral", b"entailment")), "once"),
            ("/predict", lambda _, __: None, "RemoteProtocolError"),
            ("/predict", lambda _, __: (200, b" " * (9 * 1024**2)), "bytes"),
            ("/info", lambda _, __: (503, b""), "503"),
            ("/info", lambda _, a: (200, a[1].replace(b"/data/taught", b"/data/other")), "other"),
        ],
        every=4,
    ),
)
def test_a_server_that_fails_gives_an_error_and_is_well_again_at_the_next_call(
    server: InferenceServer, taught: Path, path: str, spoilt: object, got: str
) -> None:
    backend = connect(server, taught)
    calls = plan(taught)[:2]
    expected = backend.run(calls)
    assert callable(spoilt)
    server.spoil = lambda at, answer: spoilt(at, answer) if at == path else answer
    with pytest.raises(ModelUnavailableError, match=got) as caught:
        backend.run(calls)
    assert "SPANPROOF_MODEL_URL" in caught.value.hint
    server.spoil = lambda _, answer: answer
    assert backend.run(calls) == expected
    backend.close()


def test_a_busy_server_is_asked_again(server: InferenceServer, taught: Path) -> None:
    backend = connect(server, taught)
    refusals = [(429, b""), (503, b"")]
    server.spoil = lambda at, answer: refusals.pop() if at == "/predict" and refusals else answer
    calls = plan(taught)[:1]
    assert backend.run(calls) == TorchBackend.load(check_folder(taught), device="cpu").run(calls)
    assert len(server.requests) == 3
    backend.close()


def test_nobody_at_the_address_is_an_error(taught: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    checked = check_folder(taught)
    with pytest.raises(ModelUnavailableError, match="ConnectError"):
        RemoteBackend.open(
            checked, url=f"http://127.0.0.1:{port}", open_local=lambda: TorchBackend.load(checked)
        )


def test_a_silent_server_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        http = RemoteHttp(f"http://127.0.0.1:{silent.getsockname()[1]}", read_seconds=0.2)
        with pytest.raises(ModelUnavailableError, match="ReadTimeout"):
            http.get("/info")
        http.close()


@pytest.mark.parametrize(
    "url", [None, "", "ftp://host", "file:///etc/passwd", "host:80", "http://", "http://[::1"]
)
def test_what_is_no_http_address_is_refused(url: str | None) -> None:
    with pytest.raises(ModelUnavailableError, match="http or https"):
        RemoteHttp(url)


def test_a_password_in_the_address_is_not_printed() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    http = RemoteHttp(f"http://me:open-sesame@127.0.0.1:{port}")
    with pytest.raises(ModelUnavailableError) as caught:
        http.get("/info")
    assert "sesame" not in str(caught.value)
    http.close()


@pytest.mark.parametrize(
    ("change", "got"),
    [
        ({"model_type": {"embedding": {"pooling": "cls"}}}, "classifier"),
        ({"model_type": "classifier"}, "classifier"),
        ({"max_input_length": 128}, "128"),
        ({"max_input_length": None}, "max_input_length"),
        ({"max_client_batch_size": 0}, "max_client_batch_size"),
        ({"model_id": ""}, "model_id"),
        ({"model_type": {"classifier": {"id2label": None}}}, "id2label"),
        (
            {
                "model_type": {
                    "classifier": {"id2label": {"0": "entailment", "1": "not_entailment"}}
                }
            },
            "labels",
        ),
        ({"model_type": {"classifier": {"id2label": {"0": "happy", "1": "sad"}}}}, "happy"),
    ],
)
def test_a_server_that_does_not_fit_is_refused_at_the_start(
    server: InferenceServer, taught: Path, change: dict[str, object], got: str
) -> None:
    server.info |= change
    with pytest.raises(ModelError, match=got):
        connect(server, taught)


def test_a_server_whose_info_is_no_object_is_refused(server: InferenceServer, taught: Path) -> None:
    server.spoil = lambda _, __: (200, json.dumps(["info"]).encode())
    with pytest.raises(ModelUnavailableError, match="object at /info"):
        connect(server, taught)


def test_an_address_beside_another_runtime_is_refused(taught: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="SPANPROOF_MODEL_URL, got 'onnx'"):
        load_model(taught, runtime="onnx", url="http://127.0.0.1:1")


def test_a_server_needs_a_folder_that_is_sound(server: InferenceServer, tmp_path: Path) -> None:
    random = build_folder(tmp_path / "random")
    with pytest.raises(ModelUnavailableError, match=r"told apart|within"):
        load_model(random, url=server.url, cache=tmp_path / "cache")
