"""``spanproof serve`` in a process of its own: overloaded, then stopped while it is loaded."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import httpx
import pytest

from bench.service.load import find_missing, read_log, start_service, stop_under_load
from bench.service.load_clients import Clients
from spanproof.operations.assembly import open_context
from spanproof.operations.settings import Settings
from tests.api.cli.program import SCRIPT, Program
from tests.api.conftest import check_problem, make_answer
from tests.sources import make_pdf

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


_MOST_SECONDS = 60.0


def wait_until(is_so: Callable[[], bool]) -> None:
    """Return once it is so; fail where that takes too long."""
    deadline = time.monotonic() + _MOST_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.long
def test_an_overload_is_told_and_a_stop_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    home = tmp_path / "home"
    # Without a model an answer is verified in full but for its support, and at little cost.
    small = {"running": "1", "workers": "1", "waiting": "0", "job_threads": "0"}
    child, port = start_service(home, model=str(tmp_path / "none"), database_url="", **small)
    try:
        clients = Clients(port, most_wait=0.02)
        clients.prepare()
        address = f"http://127.0.0.1:{port}"
        body = json.dumps(make_answer({"doc_hash": f"sha256:{'3f' * 32}"})).encode()
        queued = httpx.post(f"{address}/v1/verifications?mode=async", content=body)
        with ThreadPoolExecutor(1) as pool:
            followed = pool.submit(_follow, f"{address}{queued.headers['location']}/events")
            drained = stop_under_load(child, clients, 8, after=2.0)
    finally:
        child.kill()
        child.wait()
    # Nobody runs the job, so that only the stop ended its stream: whole, not broken off.
    assert followed.result() == ["event: progress"]
    tally = clients.tally
    statuses = {status for _, status in tally.statuses}
    assert tally.faults == []
    assert statuses == {200, 201, 429}
    assert tally.mute_refusals == 0
    assert len(tally.verified) > 1
    # The drain answered with whole answers, and told each connection to close.
    assert drained.answered >= 1
    assert (drained.lost, drained.cut) == (0, 0)
    assert drained.exit_code == 0
    assert read_log(home).splitlines()[-1] == "Stopped."
    assert "Traceback" not in read_log(home)
    assert find_missing(home, tally.verified) == []


def _follow(url: str) -> list[str]:
    with httpx.stream("GET", url, timeout=_MOST_SECONDS) as stream:
        return [line for line in stream.iter_lines() if line.startswith("event: ")]


@pytest.mark.slow
def test_a_model_that_never_answers_does_not_hold_up_the_end(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hanging = {
            "model_url": f"http://127.0.0.1:{silent.getsockname()[1]}",
            "database_url": "",
            "drain_seconds": "1",
            "workers": "1",
        }
        child, port = start_service(home, job_threads="1", **hanging)
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                client.put("/v1/documents", content=make_pdf(), params={"doc_id": "a"})
                answer = json.dumps(make_answer(client.get("/v1/documents/a").json())).encode()
                queued = client.post("/v1/verifications", params={"mode": "async"}, content=answer)
                job = f"/v1/jobs/{queued.json()['job_id']}"
                wait_until(lambda: client.get(job).json()["state"] == "running")
                with ThreadPoolExecutor(1) as pool:
                    waiting = pool.submit(client.post, "/v1/verifications", content=answer)
                    time.sleep(1)
                    child.send_signal(signal.SIGTERM)
                    assert child.wait(timeout=60) == 0
                    check_problem(waiting.result(), 503, "SERVICE_STOPPING")
        finally:
            child.kill()
            child.wait()
        assert read_log(home).splitlines()[-1] == "Stopped."
        assert _find_state(home, queued.json()["job_id"]) == "queued"
        program = Program(home=home).with_settings(**hanging)
        worker = subprocess.Popen([SCRIPT, "worker"], env=program.environment, cwd=tmp_path)
        try:
            wait_until(lambda: _find_state(home, queued.json()["job_id"]) == "running")
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(timeout=60) == 0
        finally:
            worker.kill()
            worker.wait()
        assert _find_state(home, queued.json()["job_id"]) == "queued"


def _find_state(home: Path, job_id: str) -> str:
    with open_context(Settings(home=home, database_url=None)) as context:
        return context.jobs.find(job_id).state.value
