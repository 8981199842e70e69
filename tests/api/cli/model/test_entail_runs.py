"""``entail`` as a process: killed and gone on with, and a model that goes and comes back."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.verifier.entailment.null import EntailmentNotRunWarning
from tests.api.cli.model.graphs import keep_graph
from tests.api.cli.program import SCRIPT, Program
from tests.api.conftest import make_answer, post_answer, run_application
from tests.verifier.entailment.tiny_models import build_folder, teach_canary

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.settings import Settings

WAIT_SECONDS = 300.0
LINES = 640
WORDS = ("man", "guitar", "stage", "father", "gift", "playing", "nobody", "on", "his", "a")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that passes the canary; read only."""
    return teach_canary(build_folder(tmp_path_factory.mktemp("models") / "tiny"))


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Program:
    """The program with that model and without a cache, so that every run does its own work.

    One home for all: what is derived from the weights is derived once.
    """
    home = tmp_path_factory.mktemp("runs") / "home"
    keep_graph(tiny, home)
    return Program(home=home).with_settings(model=str(tiny), cache_entries="0")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs of long premises, each another."""
    path = tmp_path_factory.mktemp("pairs") / "pairs.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for words in itertools.islice(itertools.permutations(WORDS, 5), LINES):
            said = " ".join(words)
            row = {"premise": f"The {said} . " * 60, "hypothesis": f"Nobody is {said} ."}
            stream.write(json.dumps(row) + "\n")
    return path


@pytest.fixture(scope="module")
def whole(runner: Program, pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What an undisturbed run writes."""
    output = tmp_path_factory.mktemp("whole") / "whole.jsonl"
    done = runner.run("entail", pairs, "--output", output)
    assert done.code == 0, done.stderr
    content = output.read_bytes()
    assert len(content.splitlines()) == LINES
    return content


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_run_goes_on_and_ends_as_if_it_had_not_been(
    runner: Program, pairs: Path, whole: bytes, tmp_path: Path, number: signal.Signals
) -> None:
    output = tmp_path / "out.jsonl"
    mark = tmp_path / "out.jsonl.partial.json"
    process = subprocess.Popen(
        [SCRIPT, "entail", str(pairs), "--output", str(output)],
        env=runner.environment,
        stderr=subprocess.PIPE,
        # Whoever starts the tests in the background hands down that interrupts are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    deadline = time.monotonic() + WAIT_SECONDS
    while not mark.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate()
    assert mark.exists(), said.decode()
    assert not output.exists()
    if number is signal.SIGINT:
        assert process.returncode == 130
        assert b"Run the same command again to go on." in said
        assert b"Traceback" not in said
    done = runner.run("entail", pairs, "--output", output)
    assert done.code == 0, done.stderr
    assert "Going on after the " in done.stderr
    assert not list(tmp_path.glob("*.partial*"))
    assert output.read_bytes() == whole


@pytest.mark.long
def test_a_second_run_takes_what_the_first_has_read(
    runner: Program, pairs: Path, tmp_path: Path
) -> None:
    keeping = runner.with_settings(cache_entries="100000")
    few = tmp_path / "few.jsonl"
    few.write_bytes(b"".join(pairs.read_bytes().splitlines(keepends=True)[:100]))
    for name in ("one", "two"):
        assert keeping.run("entail", few, "--output", tmp_path / name).code == 0
    assert runner.run("entail", few, "--output", tmp_path / "without").code == 0
    assert (keeping.home / "readings.db").stat().st_size > 0
    written = {(tmp_path / name).read_bytes() for name in ("one", "two", "without")}
    assert len(written) == 1


def _remove(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def _corrupt(folder: Path) -> None:
    path = folder / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[: len(content) // 2] = os.urandom(len(content) // 2)
    path.write_bytes(content)


def _truncate(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:1000])


def _pickle(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


@pytest.mark.long
@pytest.mark.parametrize("harm", [_remove, _corrupt, _truncate, _pickle])
def test_the_service_is_well_again_once_the_weights_are(
    settings: Settings, warm_parser: Parser, tiny: Path, tmp_path: Path, harm: Any
) -> None:
    folder = shutil.copytree(tiny, tmp_path / "model")
    harm(folder)
    broken = settings.model_copy(update={"model": folder})
    with run_application(broken, {"parser": warm_parser}) as client:
        document = client.put("/v1/documents", content=b"A man is playing a guitar.").json()
        answer = make_answer(
            document, span={"text": "A man is playing a guitar.", "char_start": 0, "char_end": 26}
        ) | {"answer": "A man is playing a guitar [1]."}
        for _ in range(2):
            with pytest.warns(EntailmentNotRunWarning):
                body = post_answer(client, answer).json()
            (verdict,) = body["verification"]["verdicts"]
            assert verdict["support"]["status"] == "NOT_RUN"
            assert verdict["support"]["reason"] == "model_unavailable"
            assert body["verification"]["result"] == "error"
        assert client.get("/healthz").status_code == 200
        shutil.rmtree(folder)
        shutil.copytree(tiny, folder)
        body = post_answer(client, answer).json()
        (verdict,) = body["verification"]["verdicts"]
        assert verdict["support"]["status"] != "NOT_RUN", verdict["support"]
