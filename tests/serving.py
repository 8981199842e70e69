"""The service behind a real socket of this machine, for as long as a test needs it."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn

from tests.api.cli.program import SCRIPT, Program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START_SECONDS = 20
#: A program reads its modules and makes its home before it answers.
PROGRAM_START_SECONDS = 90


@contextmanager
def serve(app: Any) -> Iterator[str]:
    """The address of an application in a thread, which has ended when this returns."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", ws="none")
    with run_server(config) as (host, port):
        yield f"http://{host}:{port}"


@contextmanager
def run_server(config: uvicorn.Config) -> Iterator[tuple[str, int]]:
    """Host and port of a server in a thread, which has ended when this returns."""
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        deadline = time.monotonic() + START_SECONDS
        while not server.started:
            assert thread.is_alive()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        host, port = server.servers[0].sockets[0].getsockname()
        yield host, port
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def serve_program(folder: Path, **settings: str) -> Iterator[str]:
    """``spanproof serve`` on a free port, with its home in the folder: its address."""
    log = folder / "serve.log"
    with log.open("wb") as output:
        child = subprocess.Popen(
            [SCRIPT, "serve", "--port", "0"],
            stdout=output,
            stderr=output,
            # All of its clients come from one address.
            env=Program(home=folder / "home")
            .with_settings(**{"connections": "0"} | settings)
            .environment,
            cwd=folder,
        )
    try:
        yield _wait_until_up(child, log)
    finally:
        child.send_signal(signal.SIGINT)
        child.wait(timeout=30)


def _wait_until_up(child: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + PROGRAM_START_SECONDS
    while child.poll() is None and time.monotonic() < deadline:
        # "Spanproof listens on http://127.0.0.1:PORT/": the first line that it writes.
        first, ended, _ = log.read_text(errors="replace").partition("\n")
        if ended:
            address = first.split()[3].rstrip("/")
            try:
                urllib.request.urlopen(f"{address}/healthz").close()  # noqa: S310 - ours
            except urllib.error.URLError:
                pass
            else:
                return address
        time.sleep(0.1)
    raise RuntimeError(f"Expected a running service, got: {log.read_text(errors='replace')}")
