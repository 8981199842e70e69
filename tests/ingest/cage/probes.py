"""More tasks for a caged child: what code that took over a child would try, and crashes.

Everything else (zygote, forking, locks, exchange) is the product's.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import gc
import json
import mmap
import os
import re
import resource
import socket
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.ingest.cage import tasks
from spanproof.ingest.limits import listen_to_pages
from spanproof.ingest.sandbox import Parser

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.ingest.limits import Limits

_LIBC = ctypes.CDLL(None, use_errno=True)
_PTRACE_ATTACH, _CLONE_NEWUSER, _O_TMPFILE = 16, 0x10000000, 0o20200000


def _call(name: str, *arguments: Any) -> None:
    if getattr(_LIBC, name)(*arguments) == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _system_call(number: int) -> Callable[[dict[str, Any]], None]:
    return lambda _: _call("syscall", number, 0, 0, 0, 0)


def _connect(head: dict[str, Any]) -> None:
    with socket.socket() as one:
        one.connect(("127.0.0.1", head["port"]))


def _connect_unix(head: dict[str, Any]) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(head["abstract"])


def _bind(_: dict[str, Any]) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))


def _fork(_: dict[str, Any]) -> None:
    if os.fork() == 0:
        os._exit(0)


def _start_thread(_: dict[str, Any]) -> None:
    one = threading.Thread(target=int)
    one.start()
    one.join()


def _read_environment(head: dict[str, Any]) -> None:
    if head["variable"] not in os.environ:
        raise PermissionError(errno.EPERM, "not in the environment")


def _use_inherited_file(_: dict[str, Any]) -> None:
    found = [number for number in range(3, 64) if _is_open(number)]
    if len(found) <= 1:
        raise PermissionError(errno.EPERM, "only the socket to the parent")


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _use_siblings_memory(_: dict[str, Any]) -> None:
    found = [one for one in gc.get_objects() if isinstance(one, mmap.mmap) and not one.closed]
    if len(found) <= 1:
        raise PermissionError(errno.EPERM, "only what it writes to itself")


def _own_a_file(head: dict[str, Any]) -> None:
    # A file's owner is sent its signal: another way to a kill.
    fcntl.fcntl(0, fcntl.F_SETOWN, head["parent"])


def _raise_limit(_: dict[str, Any]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (10_000, 10_000))


PROBES: dict[str, Callable[[dict[str, Any]], object]] = {
    "read_canary": lambda head: Path(head["canary"]).read_bytes(),
    "list_folder": lambda head: [*Path(head["canary"]).parent.iterdir()],
    "read_passwords": lambda _: Path("/etc/passwd").read_bytes(),
    "read_parent_environment": lambda head: Path(f"/proc/{head['parent']}/environ").read_bytes(),
    "read_parent_memory": lambda head: Path(f"/proc/{head['parent']}/mem").read_bytes(),
    "read_own_memory": lambda _: Path("/proc/self/maps").read_bytes(),
    "read_environment_canary": _read_environment,
    "write_file": lambda head: Path(head["target"]).write_bytes(b"x"),
    "write_unnamed_file": lambda head: os.open(Path(head["target"]).parent, os.O_RDWR | _O_TMPFILE),
    "write_shared_memory": lambda _: Path("/dev/shm/spanproof-probe").write_bytes(b"x"),  # noqa: S108
    "delete_canary": lambda head: Path(head["canary"]).unlink(),
    "make_folder": lambda head: Path(head["target"]).mkdir(),
    "make_link": lambda head: Path(head["target"]).symlink_to("/"),
    "connect_tcp": _connect,
    "connect_abstract": _connect_unix,
    "bind_tcp": _bind,
    "execute": lambda _: os.execv("/bin/true", ["true"]),  # noqa: S606
    "fork": _fork,
    "start_thread": _start_thread,
    "signal_parent": lambda head: os.kill(head["parent"], 0),
    "signal_zygote": lambda _: os.kill(os.getppid(), 0),
    "trace_parent": lambda head: _call("ptrace", _PTRACE_ATTACH, head["parent"], 0, 0),
    "new_namespace": lambda _: _call("unshare", _CLONE_NEWUSER),
    "mount": lambda head: _call("mount", b"none", os.fsencode(head["target"]), b"tmpfs", 0, 0),
    "memory_file": lambda _: os.memfd_create("probe"),
    "use_inherited_file": _use_inherited_file,
    "use_siblings_memory": _use_siblings_memory,
    "own_a_file": _own_a_file,
    "raise_limit": _raise_limit,
    # The numbers are the same on every architecture.
    "io_uring": _system_call(425),
    "open_process": _system_call(434),
}
#: A control: what the libraries need must stay possible.
ALLOWED: dict[str, Callable[[dict[str, Any]], object]] = {
    "read_library": lambda _: Path(json.__file__).read_bytes(),
    "pause": lambda _: time.sleep(0.3),
    "import_module": lambda _: __import__("xml.dom.minidom"),
}


def _probe(head: dict[str, Any], data: bytes, limits: Limits) -> list[bytes]:
    del data, limits
    try:
        (PROBES | ALLOWED)[head["probe"]](head)
    except (OSError, RuntimeError, ValueError) as error:
        return [f"denied: {error}".encode()]
    return [b"done"]


def _extract(head: dict[str, Any], data: bytes, limits: Limits) -> list[bytes]:
    found = re.search(rb"%CRASH-AT ([\d ]+)", data)
    pages = set(map(int, found.group(1).split())) if found else set()

    def crash(page: int) -> None:
        if page in pages:
            ctypes.string_at(0)

    listen_to_pages(crash)
    return tasks.TASKS["extract"](head, data, limits)


#: Read by the zygote; ``extract`` stands in place of the product's.
TASKS = {"extract": _extract, "probe": _probe}


class ProbingParser(Parser):
    """A parser whose children probe and crash."""

    extra_tasks = (__name__,)
