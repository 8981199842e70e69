"""Versions of indexes: their manifests as they came, and the records they are compared by."""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlmodel import col, func, select

from spanproof.core.chunk_facts import CHUNK_FACTS
from spanproof.core.documents.document import IndexFacts
from spanproof.core.errors import ConflictError, IndexNotFoundError, IntegrityError
from spanproof.store.database.columns import to_utc
from spanproof.store.database.copying import to_value
from spanproof.store.erasing.refusal import VERIFICATION, WORDS_KEY
from spanproof.store.erasing.tables import ErasureRow
from spanproof.store.indexes.index_rows import (
    IndexedCitation,
    IndexVersion,
    find_model,
    select_citations,
    to_reanchor,
    to_version,
)
from spanproof.store.names import check_name
from spanproof.store.tables import IndexManifestRow, ReanchorRow, VerdictRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from numpy.typing import NDArray
    from sqlalchemy import Select
    from sqlmodel import Session

    from spanproof.core.digest import Digest
    from spanproof.core.verdicts.reanchoring import Reanchored
    from spanproof.store.blobs.port import Blobs, StagedBlob
    from spanproof.store.database.session import Database
    from spanproof.store.indexes.index_rows import NewVersion

#: Sorting is done a part of the ids at a time: memory holds a 64th of the records.
_PARTS = 64
_PART_BUFFER = 1 << 16
_ROWS_AT_ONCE = 20_000


class DuplicateChunkError(Exception):
    """Two records of one id; ``key`` is its two halves. The caller knows the names."""

    def __init__(self, key: tuple[int, int]) -> None:
        super().__init__(key)
        self.key = key


class Indexes:
    """What is stored about indexes and the citations that depend on them."""

    def __init__(self, database: Database, blobs: Blobs) -> None:
        self._database = database
        self._blobs = blobs

    def sort_records(self, records: Iterable[bytes], folder: Path) -> StagedBlob:
        """The records of ``CHUNK_FACTS`` in the order of their ids, as a blob to be committed.

        Raises DuplicateChunkError where two have one id. The parts are in nameless files of
        ``folder`` meanwhile.
        """
        with ExitStack() as opened:
            parts = [
                opened.enter_context(tempfile.TemporaryFile(dir=folder, buffering=_PART_BUFFER))
                for _ in range(_PARTS)
            ]
            for record in records:
                # The highest byte of a little-endian first half.
                parts[record[7] * _PARTS >> 8].write(record)
            staged = self._blobs.stage()
            try:
                for part in parts:
                    part.seek(0)
                    staged.write(_sort(np.frombuffer(part.read(), dtype=CHUNK_FACTS)))
            except BaseException:
                staged.close()
                raise
        return staged

    def add(
        self,
        new: NewVersion,
        manifest: StagedBlob,
        facts: StagedBlob,
        *,
        rows_with_offsets: int,
        header: dict[str, Any] | None,
    ) -> tuple[IndexVersion, bool]:
        """Keep a version; the same manifest again changes nothing, another one conflicts.

        Returns the version as it is kept, and whether it is new.
        """
        name, version = new.name, new.version
        check_name("name", name)
        check_name("version", version)
        moment = to_utc(new.registered_at)
        known = self.find(name, version)
        if known is not None:
            return _check_same(known, manifest.digest), False
        manifest.commit()
        facts.commit()
        with self._database.writing(f"index {name}") as session:
            row = session.get(IndexManifestRow, (name, version))
            if row is not None:
                return _check_same(to_version(row), manifest.digest), False
            count = select(func.count()).select_from(IndexManifestRow)
            before = session.exec(count.where(col(IndexManifestRow.index_name) == name)).one()
            row = IndexManifestRow(
                index_name=name,
                version=version,
                position=before + 1,
                manifest_sha256=str(manifest.digest),
                byte_length=manifest.size,
                facts_sha256=str(facts.digest),
                rows=facts.size // CHUNK_FACTS.itemsize,
                rows_with_offsets=rows_with_offsets,
                header_json=None if header is None else json.dumps(header, ensure_ascii=True),
                registered_at=moment,
            )
            session.add(row)
            session.flush()
            return to_version(row), True

    def find(self, name: str, version: str) -> IndexVersion | None:
        """A version, or None."""
        with self._database.reading() as session:
            row = session.get(IndexManifestRow, (name, version))
            return None if row is None else to_version(row)

    def load(self, name: str, version: str) -> IndexVersion:
        """A version; raise IndexNotFoundError if it is missing."""
        found = self.find(name, version)
        if found is None:
            known = ", ".join(repr(each.version) for each in self.list(name)[:5])
            got = f"versions {known}" if known else "no index of that name"
            msg = f"Expected a registered version {version!r} of index {name!r}, got {got}."
            raise IndexNotFoundError(msg, hint="Register its manifest with 'index register'.")
        return found

    def list(self, name: str | None = None) -> list[IndexVersion]:
        """The versions of an index, or of all by name, newest first."""
        query = select(IndexManifestRow)
        if name is not None:
            query = query.where(col(IndexManifestRow.index_name) == name)
        order = (col(IndexManifestRow.index_name), col(IndexManifestRow.position).desc())
        with self._database.reading() as session:
            return [to_version(row) for row in session.exec(query.order_by(*order)).all()]

    def facts_of(
        self, versions: Iterable[str], *, until: datetime | None = None
    ) -> tuple[IndexFacts, ...] | None:
        """The versions of these names, of any index, and their embedding models.

        None where no version of any index is registered. With ``until``, as it was at that moment.
        """
        query = select(IndexManifestRow)
        if until is not None:
            query = query.where(col(IndexManifestRow.registered_at) <= to_utc(until))
        named = query.where(col(IndexManifestRow.version).in_(list(versions)))
        with self._database.reading() as session:
            rows = session.exec(named).all()
            if not rows and session.exec(query.limit(1)).first() is None:
                return None
        return tuple(
            IndexFacts(version=row.version, embedding_model=find_model(row)) for row in rows
        )

    def map_facts(self, version: IndexVersion) -> NDArray[np.void]:
        """The records of a version, digested again, as a mapped file."""
        path = self._blobs.check(version.facts_sha256)
        if path.stat().st_size != version.rows * CHUNK_FACTS.itemsize:
            msg = f"Expected {version.rows} records of {version.name!r}, got another number."
            raise IntegrityError(msg, hint="Restore the store from a backup.")
        if not version.rows:
            return np.empty(0, dtype=CHUNK_FACTS)
        return np.memmap(path, dtype=CHUNK_FACTS, mode="r")

    def manifest_of(self, version: IndexVersion) -> Path:
        """The manifest's file, digested again."""
        return self._blobs.check(version.manifest_sha256)

    def citations_of(self, version: str) -> Iterator[IndexedCitation]:
        """Citations whose words were found, each once: of this index version, or without one.

        Which index they are of, no citation says: its chunk or its document does.
        """
        stated = col(VerdictRow.index_version)
        return self._read(select_citations().where(stated.is_(None) | (stated == version)))

    def citations_in(self, extraction_id: Digest) -> Iterator[IndexedCitation]:
        """Citations whose words were found in this extraction, each once."""
        query = select_citations().where(col(VerdictRow.extraction_id) == str(extraction_id))
        return self._read(query)

    def add_reanchored(
        self,
        found: Sequence[tuple[IndexedCitation, Reanchored]],
        *,
        source: Digest,
        target: Digest,
        added_at: datetime,
        is_repeated: bool = False,
    ) -> int:
        """Keep the new places of citations' spans; earlier ones stay. Returns the new ones.

        With ``is_repeated`` what is kept of that very moment counts as new: an earlier run of the
        same work has kept it, and died. What was erased since it was read gets none: its words
        would come back.
        """
        moment, added = to_utc(added_at), 0
        for first in range(0, len(found), _ROWS_AT_ONCE):
            # An erasure that is recorded meanwhile waits to remove words until these are there.
            with self._database.writing(f"reanchor {target}", WORDS_KEY) as session:
                some = found[first : first + _ROWS_AT_ONCE]
                erased = _find_erased(session, {each.verification_id for each, _ in some})
                for citation, result in some:
                    if citation.verification_id in erased:
                        continue
                    key = (citation.verification_id, citation.position, str(target))
                    known = session.get(ReanchorRow, (*key, result.algorithm))
                    if known is None:
                        session.add(to_reanchor(citation, result, source, target, moment))
                    added += known is None or (is_repeated and known.added_at == moment)
        return added

    def _read(self, query: Select[Any]) -> Iterator[IndexedCitation]:
        last: str | None = None
        seen: set[int] = set()
        with self._database.reading() as session:
            rows = session.connection().execution_options(yield_per=_ROWS_AT_ONCE).execute(query)
            for row in rows:
                if row.verification_id != last:
                    last, seen = row.verification_id, set()
                # A citation has a verdict for each claim that it is cited for.
                if row.citation not in seen:
                    seen.add(row.citation)
                    yield to_value(
                        IndexedCitation,
                        row,
                        pipeline=row.pipeline_name,
                        start=row.char_start,
                        end=row.char_end,
                    )


def _find_erased(session: Session, verification_ids: set[str]) -> frozenset[str]:
    subject = col(ErasureRow.subject)
    query = select(ErasureRow.subject).where(col(ErasureRow.kind) == VERIFICATION)
    return frozenset(session.exec(query.where(subject.in_(verification_ids))))


def _sort(part: NDArray[np.void]) -> bytes:
    ordered = part[np.lexsort((part["id_low"], part["id_high"]))]
    highs, lows = ordered["id_high"], ordered["id_low"]
    twice = np.flatnonzero((highs[1:] == highs[:-1]) & (lows[1:] == lows[:-1]))
    if len(twice):
        raise DuplicateChunkError((int(highs[twice[0]]), int(lows[twice[0]])))
    return ordered.tobytes()


def _check_same(known: IndexVersion, manifest: Digest) -> IndexVersion:
    if known.manifest_sha256 != manifest:
        msg = (
            f"Expected a new version of index {known.name!r}, got {known.version!r},"
            f" which is recorded with manifest {known.manifest_sha256}."
        )
        raise ConflictError(msg, hint="Register it under a version of its own.")
    return known
