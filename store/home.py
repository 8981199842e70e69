"""The store of one home folder: its database, its blobs, and their content."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from spanproof.core.errors import SettingsError
from spanproof.store.accesses.accesses import Accesses
from spanproof.store.accounts.access_keys import AccessKeys
from spanproof.store.accounts.requests import Requests
from spanproof.store.answers.answers import Answers
from spanproof.store.blobs.folder_blobs import FolderBlobs
from spanproof.store.configuration import Configuration
from spanproof.store.database.session import Database, to_url
from spanproof.store.deliveries.deliveries import Deliveries
from spanproof.store.documents.documents import Documents
from spanproof.store.documents.text_index import TextIndex
from spanproof.store.erasing.document_blobs import list_erased_blobs
from spanproof.store.erasing.erasures import Erasures
from spanproof.store.facts.reading import AnswerFacts
from spanproof.store.indexes.indexes import Indexes
from spanproof.store.migration import migrate
from spanproof.store.receipts import Receipts
from spanproof.store.samples.alarms import Alarms
from spanproof.store.samples.answers import SubmittedAnswers
from spanproof.store.samples.counts import SampleFilter, count_samples, count_traces
from spanproof.store.samples.draws import Draws
from spanproof.store.samples.epochs import Epochs
from spanproof.store.samples.outcomes import Outcomes
from spanproof.store.samples.reviews import Reviews
from spanproof.store.sealing.content_keys import FILE_NAME as _CONTENT_KEYS
from spanproof.store.sealing.content_keys import ContentKeys
from spanproof.store.sealing.document_blobs import DocumentBlobs

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from spanproof.store.blobs.object_place import ObjectPlace
    from spanproof.store.blobs.port import Blobs
    from spanproof.store.samples.records import SampleCount
    from spanproof.store.sealing.sealed import KeyWrapper


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Store:
    """An open store; close it, or use it in a ``with`` statement. Safe for several threads."""

    home: Path
    database: Database
    blobs: Blobs
    documents: Documents
    texts: TextIndex
    answers: Answers
    receipts: Receipts
    indexes: Indexes
    deliveries: Deliveries
    access_keys: AccessKeys
    requests: Requests
    erasures: Erasures
    configuration: Configuration
    samples: Samples
    accesses: Accesses
    facts: AnswerFacts
    content_keys: ContentKeys

    def close(self) -> None:
        """Close the connections to the database and to the blobs."""
        self.blobs.close()
        self.content_keys.close()
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def open_store(
    home: Path,
    database_url: str | None = None,
    *,
    objects: ObjectPlace | None = None,
    wrapper: KeyWrapper | None = None,
) -> Store:
    """Open, and make or migrate where needed; see ``store.open_store``."""
    home = home.absolute()
    url = to_url(home, database_url)
    try:
        keep_private(home, has_database=not database_url)
        database = Database(url)
        try:
            migrate(database, home)
            blobs = _open_blobs(home, database, objects)
        except BaseException:
            database.close()
            raise
    except OSError as error:
        msg = f"Expected a folder that can be written, got {str(home)!r} ({error.strerror})."
        raise SettingsError(msg, hint="Set SPANPROOF_HOME to a folder of yours.") from error
    keys = ContentKeys(database, home, wrapper)
    of_documents = DocumentBlobs(database, blobs, keys)
    return Store(
        home=home,
        content_keys=keys,
        database=database,
        blobs=blobs,
        documents=Documents(database, of_documents),
        texts=TextIndex(database, of_documents),
        answers=Answers(database, keys),
        receipts=Receipts(database),
        indexes=Indexes(database, blobs),
        deliveries=Deliveries(database),
        access_keys=AccessKeys(database),
        requests=Requests(database),
        samples=Samples(database, home, keys),
        erasures=Erasures(database, of_documents, home, keys),
        configuration=Configuration(database),
        accesses=Accesses(database),
        facts=AnswerFacts(database),
    )


def _open_blobs(home: Path, database: Database, objects: ObjectPlace | None) -> Blobs:
    if objects is None:
        return FolderBlobs(home / "blobs")
    from spanproof.store.blobs.object_blobs import ObjectBlobs

    return ObjectBlobs(
        objects,
        home / "blob-copies",
        find_erased=lambda: list_erased_blobs(database),
    )


class Samples:
    """Epochs, answers, outcomes, alarms and reviews of one store."""

    def __init__(self, database: Database, home: Path, keys: ContentKeys) -> None:
        self._database = database
        self.epochs = Epochs(database, home)
        self.answers = SubmittedAnswers(database, keys)
        self.draws = Draws(database)
        self.outcomes = Outcomes(database)
        self.alarms = Alarms(database)
        self.reviews = Reviews(database)

    def count(self, wanted: SampleFilter) -> list[SampleCount]:
        """How many answers came in, were chosen and verified, by what tells them apart."""
        return count_samples(self._database, wanted)

    def count_traces(self, wanted: SampleFilter, by: str | None) -> dict[str | None, int]:
        """How many traces the verified answers are of, by one column; None: all, under None."""
        return count_traces(self._database, wanted, by)


_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_OTHERS = 0o077
#: SQLite gives the files beside a database the mode of the database.
_DATABASE = "spanproof.db"
_BESIDE = ("-wal", "-shm")


def keep_private(home: Path, *, has_database: bool) -> None:
    """Make the home, and SQLite's file in it; take from others what they may do there.

    A folder that belongs to somebody else stays as it is: what we write in it is still ours alone.
    """
    home.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
    paths = [home, home / "blobs", home / _CONTENT_KEYS]
    if has_database:
        path = home / _DATABASE
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE))
        paths += [path, *(home / f"{_DATABASE}{end}" for end in _BESIDE)]
    narrowed = [path.name for path in paths if _narrow(path)]
    if narrowed:
        import structlog

        structlog.get_logger().warning("home_was_readable_by_others", narrowed=narrowed)


def _narrow(path: Path) -> bool:
    """Whether others could do something there, and can no longer."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    mode = stat.S_IMODE(found.st_mode)
    if not mode & _OTHERS or found.st_uid != os.geteuid():
        return False
    path.chmod(mode & ~_OTHERS)
    return True
