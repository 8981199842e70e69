from __future__ import annotations

import json
import signal
import socket
import subprocess
import urllib.request

import pytest

from tests.api.cli.program import SCRIPT, Program


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org"])  # noqa: S104
def test_serve_refuses_every_address_but_loopback(program: Program, host: str) -> None:
    done = program.run("serve", "--host", host)
    assert done.code == 3
    assert "loopback" in done.require_one_line("BAD_SETTING")


def test_serve_answers_on_loopback_until_it_is_interrupted(program: Program) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    child = subprocess.Popen(
        [SCRIPT, "serve", "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=program.environment,
        cwd=program.home.parent,
    )
    assert child.stderr is not None
    try:
        assert f"http://127.0.0.1:{port}/" in child.stderr.readline()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/version") as response:
            assert json.load(response)
    finally:
        child.send_signal(signal.SIGINT)
        stdout, stderr = child.communicate(timeout=30)
    assert stdout == ""
    assert "Traceback" not in stderr
    assert child.returncode in {0, 130}
