"""An installation on each database, with blobs in a folder or a bucket, and answers in it."""

from __future__ import annotations

import shutil
import uuid
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from spanproof.operations.assembly import open_context
from spanproof.operations.backup.restore import restore_backup
from spanproof.operations.backup.save import save_backup
from tests.conftest import make_settings
from tests.object_store import BUCKET
from tests.operations.audited import fill

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.backup.restore import RestoreReport
    from spanproof.operations.backup.save import BackupReport
    from spanproof.operations.settings import Settings
    from tests.postgresql import PostgresqlServer


@dataclass(slots=True)
class Site:
    """An installation; ``new`` are the settings of an empty one beside it."""

    settings: Settings
    new: Settings
    folder: Path
    ids: list[str] = field(default_factory=list)

    def save(self, name: str = "backup") -> BackupReport:
        return save_backup(self.settings, self.folder / name, now=datetime.now(UTC))

    def restore(
        self, name: str = "backup", *, sample: int = 0, keys: Path | None = None
    ) -> RestoreReport:
        return restore_backup(self.new, self.folder / name, sample=sample, keys=keys)


def make_site(folder: Path, **changes: object) -> Site:
    """The settings of two homes in a folder."""
    pair = [
        make_settings(folder / name).model_copy(
            update={"log_mark": folder / f"mark-{name}", "database_url": None}
        )
        for name in ("old", "new")
    ]
    old, new = (each.model_copy(update=changes) for each in pair)
    return Site(settings=old, new=new, folder=folder)


@pytest.fixture(scope="session")
def filled(
    tmp_path_factory: pytest.TempPathFactory, migrated_home: Path, warm_parser: Parser
) -> Site:
    """SQLite and a folder of blobs, with a document and two answers, judged by the real model."""
    made = make_site(tmp_path_factory.mktemp("filled"))
    shutil.copytree(migrated_home, made.settings.home)
    with open_context(made.settings, parser=warm_parser) as context:
        made.ids = fill(context, 2)
    return made


@pytest.fixture
def site(tmp_path: Path, filled: Site) -> Site:
    """A copy of it."""
    shutil.copytree(filled.folder, tmp_path / "site")
    made = make_site(tmp_path / "site")
    made.ids = list(filled.ids)
    return made


@pytest.fixture
def fleet_site(
    tmp_path: Path,
    postgresql_server: PostgresqlServer,
    object_server: object,
    warm_parser: Parser,
) -> Iterator[Site]:
    """PostgreSQL and a bucket; the new installation has others."""
    del object_server
    made = make_site(tmp_path)
    with ExitStack() as stack:
        urls = [stack.enter_context(postgresql_server.database()) for _ in range(2)]
        made.settings, made.new = (
            each.model_copy(
                update={"database_url": url, "blobs": f"s3://{BUCKET}/{uuid.uuid4().hex}"}
            )
            for each, url in zip((made.settings, made.new), urls, strict=True)
        )
        with open_context(made.settings, parser=warm_parser) as context:
            made.ids = fill(context, 2)
        yield made
