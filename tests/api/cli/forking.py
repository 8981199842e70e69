"""Runs commands in forks of a process that has loaded the program's modules already.

A command is a process of its own with its own environment, folder and streams, as a user starts it;
what it does not do again is read modules from disk, which is most of a short command's time. What
depends on how the program starts is tested with a cold start (test_start_up.py).
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[3]
#: What most commands load. Not onnxruntime: it starts a thread, which a fork would not have.
MODULES = (
    "alembic.command",
    "spanproof.api.cli.program",
    "spanproof.operations.metrics.counters",
    "spanproof.operations.verification.attribute",
    "spanproof.operations.documents.chunks",
    "spanproof.operations.verification.diff",
    "spanproof.operations.doctor",
    "spanproof.operations.entailment.pair_file",
    "spanproof.operations.fsck.place",
    "spanproof.operations.log.opening",
    "spanproof.operations.receipts.stored",
    "spanproof.operations.replay.verification",
    "spanproof.operations.verification.verify",
    "spanproof.operations.metrics.verifier",
    "spanproof.operations.context",
    "spanproof.ingest.sandbox",
    "spanproof.monitor.evaluation",
    "opentelemetry.trace",
    "py3langid.langid",
    "spanproof.receipt.check.receipt",
    "rich.console",
    "sentencex",
    "sqlalchemy.dialects.sqlite",
    "spanproof.store.home",
    "spanproof.store.model_cache",
    "structlog",
    "tokenizers",
    "spanproof.verifier.entailment",
    "spanproof.verifier.entailment.runtimes",
    "spanproof.verifier.entailment.cache",
    "spanproof.verifier.entailment.models.graph_file",
    "spanproof.verifier.entailment.postponed",
    "spanproof.verifier.entailment.models.registered",
    "spanproof.verifier.formats.envelope",
    "spanproof.verifier.formats.registry",
)
_LENGTH = 8


def run_forked(
    arguments: list[str], *, environment: Mapping[str, str], folder: Path, stdin: bytes
) -> subprocess.CompletedProcess[bytes]:
    """Run one command to its end, as ``subprocess.run`` would."""
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection,
    ):
        given.write(stdin)
        given.seek(0)
        connection.connect(_start_server())
        asked = {"arguments": arguments, "environment": dict(environment), "folder": str(folder)}
        content = json.dumps(asked).encode()
        length = len(content).to_bytes(_LENGTH, "big")
        socket.send_fds(connection, [length], [given.fileno(), out.fileno(), err.fileno()])
        connection.sendall(content)
        code = int(_receive(connection, _LENGTH))
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read(), err.read())


@cache
def _start_server() -> str:
    """The address of this process's server, which ends with it."""
    address = f"\0spanproof-tests-{os.getpid()}"
    # The test that is the first to ask may stand in another folder, where 'tests' is not found.
    server = subprocess.Popen(
        [sys.executable, "-m", __name__, address[1:]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    atexit.register(server.kill)
    return address


def _serve(address: str) -> None:
    _load()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(address)
        listening.listen()
        # A child that answered is nobody's to wait for.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.write(1, b"ready\n")
        # The other end of our input is open for as long as the tests run.
        while listening in select.select([listening, sys.stdin], [], [])[0]:
            connection, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                _answer(connection)
            connection.close()


def _load() -> None:
    """Load what commands load, the commands, and the tables that the first judgement unpacks."""
    for name in MODULES:
        import_module(name)
    from spanproof import verify
    from spanproof.api.cli.program import get_command
    from spanproof.verifier.entailment.loading import embedded_folder
    from spanproof.verifier.entailment.models.folder import check_folder
    from spanproof.verifier.entailment.models.tokenizer import load_tokenizer
    from tests.builders import ScriptedModel

    get_command()
    tokenizer, _ = load_tokenizer(check_folder(embedded_folder()))
    tokenizer.encode("Any word.")
    verify("Water boils at 100 degrees [1].", ["Water boils at 99 degrees."], model=ScriptedModel())
    # What a collection does not look at stays shared with every command.
    gc.collect()
    gc.freeze()


def _answer(connection: socket.socket) -> None:
    """Fork the command, wait for it, send its exit code; never returns in this process."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    length, streams, _, _ = socket.recv_fds(connection, _LENGTH, 3)
    asked = json.loads(_receive(connection, int.from_bytes(length, "big")))
    child = os.fork()
    if child == 0:
        connection.close()
        _become_command(asked, streams)
        return
    _, status = os.waitpid(child, 0)
    connection.sendall(b"%8d" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become_command(asked: Any, streams: list[int]) -> None:
    from spanproof.api.cli import main

    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv = asked["arguments"]
    # The streams that this process was started with are another's.
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        for number, mode, errors in (
            (0, "r", "strict"),
            (1, "w", "strict"),
            (2, "w", "backslashreplace"),
        )
    )
    main()


def _receive(connection: socket.socket, count: int) -> bytes:
    content = b""
    while len(content) < count:
        part = connection.recv(count - len(content))
        assert part
        content += part
    return content


if __name__ == "__main__":
    _serve("\0" + sys.argv[1])
