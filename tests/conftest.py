"""Fixtures for every package: real documents, a throw-away PostgreSQL, a store on each database."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
import pytest_randomly

from tests.databases import HOMES, IS_POSTGRESQL
from tests.engines import choose_engine, skip_without_mupdf
from tests.one_name import refuse_bare_names
from tests.postgresql import PostgresqlServer, find_memory, find_postgresql, run_server
from tests.spread import put_longest_first, spare_the_collector

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.context import Context
    from spanproof.operations.settings import Settings
    from spanproof.store import Store
    from tests.object_store import ObjectServer

refuse_bare_names()
# Before any test module is imported: some import PyMuPDF, or start processes that would.
choose_engine()
# What is imported and collected stays to the end: going through a million objects of it again and
# again would take a quarter of the collection, and seconds of a test now and then.
gc.disable()

# A busy machine stops for longer than hypothesis's 200 ms; what must be fast counts CPU time.
hypothesis.settings.register_profile("tests", deadline=None)
hypothesis.settings.load_profile("tests")

# Else pytest-randomly loads whatever package offers it a seed: thinc does, and imports torch.
pytest_randomly.entrypoint_reseeds = []

DATABASES = ("sqlite", "postgresql")


@pytest.fixture(autouse=True)
def _forget_logging() -> Iterator[None]:
    """A command that ran in this process leaves its log's stream behind, which is closed then."""
    yield
    import structlog

    structlog.reset_defaults()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Keep what tests write in memory: they sync thousands of files, which no test may depend on.

    Where memory has no room, or somebody names a folder with --basetemp to look into it
    afterwards, it is as pytest has it. The processes of one run share the folder of the first.
    """
    if config.option.basetemp is None and (memory := find_memory()):
        folder = Path(tempfile.mkdtemp(prefix="spanproof-tests-", dir=memory))
        config.option.basetemp = folder / "tests"
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector."""
    with spare_the_collector():
        return (yield)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what a run with one engine cannot show; begin with what takes longest."""
    skip_without_mupdf(items)
    put_longest_first(items)


def pytest_collection_finish() -> None:
    """From here on garbage is looked for, rarely, and only in what the tests make.

    At the usual rate the collector takes a sixth of the whole run.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePlace:
    """Where a store stands; SQLite in the home when there is no address."""

    home: Path
    database_url: str | None

    def open(self) -> Store:
        """Open the store there, as any process would."""
        from spanproof.store import open_store

        return open_store(self.home, self.database_url)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the published vectors that came out as they should (tests/conformance)."""
    passed = terminalreporter.stats.get("passed", ())
    lines = [
        str(value)
        for report in passed
        for name, value in report.user_properties
        if name == "vectors"
    ]
    if lines:
        terminalreporter.section("published vectors through our own code")
        for line in sorted(lines, key=lambda line: line.split(maxsplit=1)[1]):
            terminalreporter.write_line(line)
        total = sum(int(line.split()[0]) for line in lines)
        terminalreporter.write_line(f"{total:5} in all")


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of real documents and pairs that SPANPROOF_TEST_DATA names."""
    named = os.environ.get("SPANPROOF_TEST_DATA")
    if not named:
        pytest.skip(
            "SPANPROOF_TEST_DATA is not set: it names a folder with documents/, nli/, vectors/"
        )
    folder = Path(named)
    assert (folder / "documents").is_dir(), f"SPANPROOF_TEST_DATA={named} holds no documents/"
    return folder


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresqlServer]:
    """A real cluster for this run; skipped by name without PostgreSQL, failed where it must be."""
    binaries = find_postgresql()
    if binaries is None:
        reason = "PostgreSQL's initdb is not installed (Debian: apt-get install postgresql)"
        if os.environ.get("CI") or os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)
    # Not pytest's own folder: the server's user must be able to reach it. Short, for the socket.
    folder = Path(tempfile.mkdtemp(prefix="spanproof-pg-", dir=find_memory()))
    try:
        with run_server(binaries, folder) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgresql_url(postgresql_server: PostgresqlServer) -> Iterator[str]:
    """The address of a fresh database."""
    with postgresql_server.database() as url:
        yield url


@pytest.fixture(scope="session")
def object_server() -> Iterator[ObjectServer]:
    """An object store that speaks S3, with a bucket."""
    from tests.object_store import run_object_server

    with run_object_server() as server:
        yield server


@pytest.fixture(params=DATABASES)
def fresh_place(request: pytest.FixtureRequest, tmp_path: Path) -> StorePlace:
    """A place where no store has ever been, once on each database."""
    url = request.getfixturevalue("postgresql_url") if request.param == "postgresql" else None
    return StorePlace(home=tmp_path / "home", database_url=url)


@pytest.fixture(scope="session")
def migrated_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home to copy: migrating anew for every test would take most of the run."""
    place = StorePlace(home=tmp_path_factory.mktemp("migrated") / "home", database_url=None)
    place.open().close()
    return place.home


def copy_home(migrated: Path, home: Path) -> Path:
    """Make a home of the copy of another."""
    shutil.copytree(migrated, home)
    return home


@pytest.fixture(scope="session")
def migrated_database(
    postgresql_server: PostgresqlServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The name of a database to copy."""
    with postgresql_server.database() as url:
        home = tmp_path_factory.mktemp("migrated") / "home"
        StorePlace(home=home, database_url=url).open().close()
        yield url.rpartition("?")[0].rpartition("/")[2]


@pytest.fixture(params=DATABASES)
def store_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StorePlace]:
    """An empty store that is open nowhere, once on each database."""
    with copy_migrated(request, tmp_path / "home") as place:
        yield place


@contextmanager
def copy_migrated(request: pytest.FixtureRequest, home: Path) -> Iterator[StorePlace]:
    """An empty store on the database that a fixture's parameter names."""
    if request.param == "sqlite":
        shutil.copytree(request.getfixturevalue("migrated_home"), home)
        yield StorePlace(home=home, database_url=None)
        return
    server = request.getfixturevalue("postgresql_server")
    template = request.getfixturevalue("migrated_database")
    with server.database(options=f"TEMPLATE {template}") as url:
        yield StorePlace(home=home, database_url=url)


@pytest.fixture
def store(store_place: StorePlace) -> Iterator[Store]:
    """A fresh store, once on each database."""
    with store_place.open() as opened:
        yield opened


@pytest.fixture(scope="session", autouse=True)
def _databases_of_homes(request: pytest.FixtureRequest) -> None:
    """Where the run is on PostgreSQL, every home has a database there."""
    if IS_POSTGRESQL:
        server = request.getfixturevalue("postgresql_server")
        HOMES.open(server, request.getfixturevalue("migrated_database"))


@pytest.fixture(autouse=True)
def _drop_databases() -> Iterator[None]:
    """The databases of a test's homes end with it; those of a module's stay."""
    known = HOMES.known()
    yield
    HOMES.drop_all_but(known)


@pytest.fixture
def settings(tmp_path: Path, migrated_home: Path) -> Settings:
    """Settings of a home that was started and holds nothing, whatever the environment says."""
    return make_settings(copy_home(migrated_home, tmp_path / "home"))


def make_settings(home: Path) -> Settings:
    """Settings of this home."""
    from spanproof.operations.settings import Settings

    # A test that wants the second engine asks for it: else a draw would decide what is answered.
    return Settings(
        home=home,
        database_url=HOMES.find(home),
        model=None,
        test_data=None,
        cross_check_rate=0.0,
    )


@pytest.fixture(scope="session")
def warm_parser() -> Iterator[Parser]:
    """A parser whose child outlives a test: starting one takes seconds."""
    from spanproof.ingest.sandbox import Parser

    with Parser() as parser:
        yield parser


@pytest.fixture
def context(settings: Settings, warm_parser: Parser) -> Iterator[Context]:
    """Context of a fresh home; a scripted model judges, everything else is real."""
    from spanproof.operations.assembly import open_context
    from tests.builders import ScriptedModel

    with open_context(settings, parser=warm_parser, model=ScriptedModel()) as opened:
        yield opened


@pytest.fixture
def kept_context(store_place: StorePlace, warm_parser: Parser) -> Iterator[Context]:
    """The same context, once on each database."""
    from spanproof.operations.assembly import open_context
    from tests.builders import ScriptedModel

    settings = make_settings(store_place.home)
    settings = settings.model_copy(update={"database_url": store_place.database_url})
    with open_context(settings, parser=warm_parser, model=ScriptedModel()) as opened:
        yield opened
