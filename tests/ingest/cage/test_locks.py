from __future__ import annotations

import os
import socket
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import SandboxUnavailableError
from spanproof.ingest.cage.preload import PRELOADS
from spanproof.ingest.cage.zygote_process import Child
from spanproof.ingest.sandbox import Parser
from tests.ingest.cage.probes import ALLOWED, PROBES, ProbingParser
from tests.spread import thin_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.cage.preload import Preload

VARIABLE = "SPANPROOF_PROBE_CANARY"
#: What each lock must stop without the other's help.
BY_LANDLOCK = (
    "read_canary",
    "list_folder",
    "read_passwords",
    "read_parent_environment",
    "read_parent_memory",
    "read_own_memory",
    "write_file",
    "write_unnamed_file",
    "write_shared_memory",
    "delete_canary",
    "make_folder",
    "make_link",
    "connect_tcp",
    "connect_abstract",
    "bind_tcp",
    "execute",
    "signal_parent",
    "trace_parent",
)
BY_SECCOMP = (
    "write_file",
    "write_unnamed_file",
    "write_shared_memory",
    "delete_canary",
    "make_folder",
    "make_link",
    "connect_tcp",
    "connect_abstract",
    "bind_tcp",
    "execute",
    "fork",
    "start_thread",
    "signal_parent",
    "signal_zygote",
    "trace_parent",
    "new_namespace",
    "mount",
    "memory_file",
    "own_a_file",
    "raise_limit",
    "io_uring",
    "open_process",
)


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """What a probe may reach for: a file, a folder, a listening server, this process."""
    canary = tmp_path / "canary"
    canary.write_bytes(b"secret")
    monkeypatch.setenv(VARIABLE, "secret")
    abstract = f"\0spanproof-{uuid.uuid4().hex}"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(abstract)
        unix.listen()
        yield {
            "canary": str(canary),
            "target": str(tmp_path / "made"),
            "parent": os.getpid(),
            "port": tcp.getsockname()[1],
            "abstract": abstract,
            "variable": VARIABLE,
        }
    assert canary.read_bytes() == b"secret"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["canary"]


def _probe(parser: Parser, name: str, surroundings: dict[str, Any]) -> str:
    answer = parser.ask({"do": "probe", "probe": name} | surroundings, b"")
    return answer.parts[0].decode()


@pytest.mark.parametrize("name", PROBES)
def test_a_child_that_was_taken_over_gets_nothing(
    probing_parser: Parser, name: str, surroundings: dict[str, Any]
) -> None:
    assert _probe(probing_parser, name, surroundings).startswith("denied")


@pytest.mark.parametrize("name", ALLOWED)
def test_what_the_libraries_read_is_left_to_them(
    probing_parser: Parser, name: str, surroundings: dict[str, Any]
) -> None:
    assert _probe(probing_parser, name, surroundings) == "done"


@pytest.mark.long
@pytest.mark.usefixtures("locks")
@pytest.mark.parametrize(
    ("without", "names", "level"),
    [("seccomp", BY_LANDLOCK, "landlock"), ("landlock", BY_SECCOMP, "limits")],
)
def test_each_lock_holds_without_the_other(
    without: Any, names: tuple[str, ...], level: str, surroundings: dict[str, Any]
) -> None:
    with ProbingParser(without=[without]) as parser:
        assert parser.check_cage() == level
        open_ = [n for n in names if not _probe(parser, n, surroundings).startswith("denied")]
    assert open_ == []


def test_without_locks_the_probes_succeed(surroundings: dict[str, Any]) -> None:
    with ProbingParser(cage="off") as parser:
        assert parser.check_cage() == "limits"
        for name in ("read_canary", "connect_tcp", "connect_abstract", "signal_parent"):
            assert _probe(parser, name, surroundings) == "done", name
        # What the limits and the zygote's own care stop is stopped everywhere.
        for name in ("read_environment_canary", "write_file"):
            assert _probe(parser, name, surroundings).startswith("denied"), name
        Path(surroundings["target"]).unlink()


@pytest.mark.parametrize("lacking", ["landlock", "seccomp"])
def test_a_required_cage_refuses_to_read_when_a_lock_is_missing(lacking: Any) -> None:
    with Parser(cage="required", without=[lacking]) as parser:
        with pytest.raises(SandboxUnavailableError, match=f"{lacking}: left out"):
            parser.extract(b"text", filename="a.txt")
        with pytest.raises(SandboxUnavailableError, match=lacking):
            parser.check_cage()


@pytest.mark.long
@pytest.mark.usefixtures("locks")
def test_the_level_stands_in_the_extraction(probing_parser: Parser) -> None:
    assert probing_parser.extract(b"text", filename="a.txt").sandbox == "landlock+seccomp"
    with Parser(cage="off") as parser:
        assert parser.extract(b"text", filename="a.txt").sandbox == "limits"
    with Parser(without=["seccomp"]) as parser:
        assert parser.extract(b"text", filename="a.txt").sandbox == "landlock"


def test_a_module_in_the_working_folder_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = tmp_path / "witness"
    (tmp_path / "json.py").write_text(f"open({str(witness)!r}, 'w')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with Parser() as parser:
        parser.extract(b"text", filename="a.txt")
    assert not witness.exists()


@pytest.mark.long
def test_as_many_children_work_at_once_as_there_are_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most, now, lock = 0, 0, threading.Lock()
    hear = Child.receive_answer

    def counted(self: Child, *, until: float) -> Any:
        nonlocal most, now
        with lock:
            now += 1
            most = max(most, now)
        try:
            return hear(self, until=until)
        finally:
            with lock:
                now -= 1

    monkeypatch.setattr(Child, "receive_answer", counted)
    pause = {"do": "probe", "probe": "pause"}
    with ProbingParser(workers=2) as parser:
        parser.check_cage()
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda _: parser.ask(pause, b""), range(6)))
    assert [answer.parts for answer in answers] == [[b"done"]] * 6
    assert most == 2


@pytest.mark.parametrize("preload", thin_out(PRELOADS, every=2))
def test_a_zygote_has_one_thread_and_no_secret(
    preload: Preload, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "secret")
    with Parser() as parser:
        parser._cage.check(preload)
        (zygote,) = parser.zygotes
        process = Path(f"/proc/{zygote}")
        assert len([*(process / "task").iterdir()]) == 1
        assert b"secret" not in (process / "environ").read_bytes()
