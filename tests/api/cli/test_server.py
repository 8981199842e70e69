from __future__ import annotations

import json
import signal
import socket
import subprocess
import urllib.request
from typing import TYPE_CHECKING

import pytest

from tests.api.cli.program import SCRIPT, Program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org"])  # noqa: S104
def test_serve_refuses_every_address_but_loopback(program: Program, host: str) -> None:
    done = program.run("serve", "--host", host)
    assert done.code == 3
    assert "loopback" in done.require_one_line("BAD_SETTING")


@pytest.mark.long
def test_serve_answers_on_loopback_until_it_is_interrupted(program: Program) -> None:
    child = subprocess.Popen(
        [SCRIPT, "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=program.environment,
        cwd=program.home.parent,
    )
    assert child.stderr is not None
    try:
        address = child.stderr.readline().split()[3]
        assert address.startswith("http://127.0.0.1:")
        assert child.stderr.readline().startswith("No key exists: ")
        with urllib.request.urlopen(f"{address}version") as response:  # noqa: S310 - ours
            assert json.load(response)
    finally:
        child.send_signal(signal.SIGINT)
        stdout, stderr = child.communicate(timeout=60)
    assert stdout == ""
    assert stderr == "Stopped.\n"
    assert child.returncode == 0


def test_a_port_that_is_taken_is_one_line(program: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = program.run("serve", "--port", port)
    assert done.code == 3
    assert port in done.require_one_line("BAD_SETTING")


def test_a_home_that_cannot_be_made_stops_the_start_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    done = Program(home=tmp_path / "file" / "home", folder=tmp_path).run("serve", "--port", "0")
    assert done.code == 3
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr
