"""A real PostgreSQL of our own: in memory where there is room, reached by a Unix socket only."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import time
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

START_SECONDS = 30.0
#: Where Linux keeps files in memory, and what a server and the tests' own files may need of it.
MEMORY = Path("/dev/shm")  # noqa: S108 - a folder is made in it that is nobody else's
MEMORY_BYTES = 4 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresqlServer:
    """A running server of our own, reached by a Unix socket only."""

    folder: Path

    def url(self, database: str) -> str:
        """The address of one of its databases."""
        return f"postgresql://spanproof@/{database}?host={self.folder}"

    @contextmanager
    def database(self, *, options: str = "") -> Iterator[str]:
        """A fresh database, gone afterwards."""
        name = f"spanproof_{uuid.uuid4().hex}"
        self.execute(f"CREATE DATABASE {name} {options}")
        try:
            yield self.url(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, statement: str, *, database: str = "postgres") -> None:
        """Run one statement outside of any transaction."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement.encode())


def find_memory() -> Path | None:
    """A disk in memory, where there is one with room: a database is made and gone in a tenth."""
    has_room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= MEMORY_BYTES
    return MEMORY if has_room and os.access(MEMORY, os.W_OK) else None


def find_postgresql() -> Path | None:
    """The folder of its programs; None where they are not installed."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_to_version)
    found = debian[-1] if debian else shutil.which("initdb")
    return None if found is None else Path(found).resolve().parent


def _to_version(initdb: Path) -> float:
    return float(initdb.parents[1].name)


@contextmanager
def run_server(
    binaries: Path, folder: Path, changes: Mapping[str, str] | None = None
) -> Iterator[PostgresqlServer]:
    """A cluster in this folder, stopped afterwards; one that is there goes on.

    ``changes`` are settings of PostgreSQL.
    """
    user: int | None = None
    group: int | None = None
    if os.geteuid() == 0:
        # The server refuses to run as root; Debian's package brings a user for it.
        account = pwd.getpwnam("postgres")
        user, group = account.pw_uid, account.pw_gid
        os.chown(folder, user, group)
    groups = None if user is None else ()
    data, log = folder / "data", folder / "log"
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
    initdb = f"{binaries}/initdb -U spanproof --auth=trust --no-sync --encoding=UTF8 --locale=C"
    if not data.exists():
        subprocess.run(
            [*initdb.split(), "-D", str(data)],
            check=True,
            capture_output=True,
            cwd=folder,
            env=environment,
            user=user,
            group=group,
            extra_groups=groups,
        )
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(folder),
        # No test cuts the server's power, and none of its databases lives long.
        "fsync": "off",
        "full_page_writes": "off",
        "autovacuum": "off",
        "max_wal_size": "128MB",
    } | dict(changes or {})
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [f"{binaries}/postgres", "-D", str(data), *options],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment,
            user=user,
            group=group,
            extra_groups=groups,
        )
        server = PostgresqlServer(folder=folder)
        try:
            _wait_until_ready(server, process, log)
            yield server
        finally:
            process.send_signal(signal.SIGQUIT)
            process.wait(timeout=START_SECONDS)


def _wait_until_ready(
    server: PostgresqlServer, process: subprocess.Popen[bytes], log: Path
) -> None:
    import psycopg

    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            server.execute("SELECT 1")
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"PostgreSQL did not start: {log.read_text(errors='replace')}")
            time.sleep(0.05)
        else:
            return
