"""PostgreSQL's own archive brings a store back as it was at a moment; its log then waits."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from spanproof.core.errors import LogRolledBackError
from spanproof.operations.assembly import open_context
from spanproof.operations.fsck.store import check_store
from tests.builders import ScriptedModel
from tests.conftest import make_settings
from tests.operations.audited import codes, fill, verify_answer
from tests.postgresql import find_memory, find_postgresql, run_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.sandbox import Parser
    from tests.postgresql import PostgresqlServer

_SECONDS = 60.0


@pytest.fixture
def place(postgresql_server: PostgresqlServer) -> Iterator[Path]:
    """A folder that the server's user reaches, with room for two clusters and an archive."""
    del postgresql_server  # Skips, or fails, where PostgreSQL is not installed.
    folder = Path(tempfile.mkdtemp(prefix="spanproof-pit-", dir=find_memory()))
    try:
        folder.chmod(0o755)
        for name in ("first", "second", "archive"):
            (folder / name).mkdir()
        (folder / "archive").chmod(0o777)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.long
def test_a_store_comes_back_as_it_was_at_a_moment(
    place: Path, tmp_path: Path, warm_parser: Parser
) -> None:
    binaries = find_postgresql()
    assert binaries is not None
    archive = {
        "wal_level": "replica",
        "archive_mode": "on",
        "archive_command": f"cp %p {place}/archive/%f",
    }
    settings = make_settings(tmp_path / "home")
    with run_server(binaries, place / "first", archive) as server:
        server.execute("CREATE DATABASE spanproof")
        url = server.url("spanproof")
        settings = settings.model_copy(update={"database_url": url})
        with open_context(settings, parser=warm_parser, model=ScriptedModel()) as context:
            ids = fill(context, 1)
            doc_hash = context.store.documents.list().items[0].document.doc_hash
            _copy_cluster(binaries, server, place / "second" / "data")
            ids.append(verify_answer(context, doc_hash))
            moment = _ask(server, "SELECT clock_timestamp()::text")
            time.sleep(0.1)
            later = verify_answer(context, doc_hash)
        _archive_all(server)
    recovery = {
        "restore_command": f"cp {place}/archive/%f %p",
        "recovery_target_time": moment,
        "recovery_target_action": "promote",
    }
    (place / "second" / "data" / "recovery.signal").touch()
    with run_server(binaries, place / "second", recovery) as server:
        _wait_for(server, "SELECT (NOT pg_is_in_recovery())::text")
        url = server.url("spanproof")
        settings = settings.model_copy(update={"database_url": url})
        with open_context(settings, parser=warm_parser, model=ScriptedModel()) as context:
            assert sorted(context.store.answers.list_ids()) == sorted(ids)
            assert later not in context.store.answers.list_ids()
            assert codes(check_store(context, None, with_log=False)) == ["LOG_SHRUNK"]
            # The mark knows of the later answer: what was signed is not signed a second time.
            with pytest.raises(LogRolledBackError):
                verify_answer(context, doc_hash)
        # Without the mark, as a new host has it: all that came back is sound.
        unmarked = settings.model_copy(update={"log_mark": tmp_path / "no-mark"})
        with open_context(unmarked, parser=warm_parser, model=ScriptedModel()) as context:
            assert codes(check_store(context, None, with_log=False)) == []


def _copy_cluster(binaries: Path, server: PostgresqlServer, target: Path) -> None:
    chosen = ["--wal-method=none", "--checkpoint=fast", "--no-sync", "--no-manifest"]
    address = ["-h", str(server.folder), "-U", "spanproof"]
    command = [f"{binaries}/pg_basebackup", *address, "-D", str(target), *chosen]
    subprocess.run(command, check=True, capture_output=True)
    # The server refuses a folder that is not its own.
    owner = server.folder.stat()
    for path in (target.parent, target, *target.rglob("*")):
        shutil.chown(path, owner.st_uid, owner.st_gid)


def _archive_all(server: PostgresqlServer) -> None:
    name = _ask(server, "SELECT pg_walfile_name(pg_switch_wal())")
    _wait_for(server, f"SELECT (last_archived_wal >= '{name}')::text FROM pg_stat_archiver")  # noqa: S608 - its own answer


def _ask(server: PostgresqlServer, query: str) -> str:
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return str(row[0])


def _wait_for(server: PostgresqlServer, query: str) -> None:
    until = time.monotonic() + _SECONDS
    while _ask(server, query) != "true":
        assert time.monotonic() < until, query
        time.sleep(0.05)
