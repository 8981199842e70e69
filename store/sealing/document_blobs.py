"""The blobs of documents: readable, or each sealed with a key of its own that erasing destroys.

A sealed blob lies among the others under the digest of its sealed bytes; a row says what it holds.
Callers know it by the digest of what it holds, which is computed again whenever it is read. What
is kept already, sealed or readable, stays as it is. While bytes are staged they are readable.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, Text, bindparam, select
from sqlmodel import Field

from spanproof.core.digest import Digest
from spanproof.core.errors import BlobDigestMismatchError, IntegrityError
from spanproof.store.database.columns import WITHOUT_ROWID, Row
from spanproof.store.database.prepared import Prepared
from spanproof.store.mapping import from_stored_digest

if TYPE_CHECKING:
    from spanproof.store.blobs.port import Blobs, StagedBlob
    from spanproof.store.database.session import Database
    from spanproof.store.sealing.content_keys import ContentKeys, SealedKind

BLOB: SealedKind = "blob"


class SealedBlobRow(Row, table=True):
    """Where the sealed bytes of a blob lie, and the name of their key; the last position counts."""

    __tablename__ = "sealed_blob"
    __table_args__ = WITHOUT_ROWID

    digest: str = Field(primary_key=True, sa_type=Text)
    position: int = Field(primary_key=True, sa_type=BigInteger)
    sealed_digest: str = Field(sa_type=Text)
    key_name: str = Field(sa_type=Text)


_ROWS = SealedBlobRow.__table__  # type: ignore[attr-defined]
#: Every read of a blob asks it first.
_NEWEST = Prepared(
    select(_ROWS.c.position, _ROWS.c.sealed_digest, _ROWS.c.key_name)
    .where(_ROWS.c.digest == bindparam("digest"))
    .order_by(_ROWS.c.position.desc())
    .limit(1)
)


class DocumentBlobs:
    """Sources, texts and layouts of documents. Safe for several threads and processes."""

    def __init__(self, database: Database, blobs: Blobs, keys: ContentKeys) -> None:
        self._database = database
        self._blobs = blobs
        self._keys = keys

    def keep(self, staged: StagedBlob, *, seals: bool) -> None:
        """Make staged bytes a blob that survives a power cut; ``seals`` where it is a new one."""
        if self._is_to_seal(staged.digest, seals=seals):
            self._seal(staged.digest, staged.path.read_bytes())
        else:
            staged.commit()

    def put(self, content: bytes, *, seals: bool) -> Digest:
        """As ``keep``, of bytes at hand."""
        digest = Digest.of(content)
        if not self._is_to_seal(digest, seals=seals):
            return self._blobs.put(content)
        self._seal(digest, content)
        return digest

    def has(self, digest: Digest) -> bool:
        """Whether the blob is there, sealed or not; its key and its bytes are not looked at."""
        found = self._find(digest)
        return self._blobs.has(digest if found is None else Digest.parse(found[1]))

    def is_sealed(self, digest: Digest) -> bool:
        """Whether it was sealed when it was kept."""
        return self._find(digest) is not None

    def read(self, digest: Digest) -> bytes:
        """The bytes, digested again; ContentKeyMissingError where their key is not here.

        Raises IntegrityError if there are none, BlobDigestMismatchError where they are others.
        """
        found = self._find(digest)
        if found is None:
            return self._blobs.read(digest)
        _, sealed_digest, key_name = found
        content = self._keys.open(BLOB, key_name, self._blobs.read(Digest.parse(sealed_digest)))
        if Digest.of(content) != digest:
            msg = f"Expected a blob {digest}, got {len(content)} bytes of {Digest.of(content)}."
            hint = "Restore the blob from a backup, or ingest the document again."
            raise BlobDigestMismatchError(msg, hint=hint)
        return content

    def remove(self, digest: Digest) -> bool:
        """Destroy its keys, then remove it for ever; whether it was here."""
        query = select(_ROWS.c.sealed_digest, _ROWS.c.key_name).where(_ROWS.c.digest == str(digest))
        with self._database.read_connection() as connection:
            rows = connection.execute(query).all()
        self._keys.destroy(BLOB, [key_name for _, key_name in rows])
        places = [digest, *(from_stored_digest(sealed) for sealed, _ in rows)]
        return sum(map(self._blobs.remove, places)) > 0

    def _is_to_seal(self, digest: Digest, *, seals: bool) -> bool:
        # Once sealed, always sealed: a readable copy would outlive the key.
        return self.is_sealed(digest) or (seals and not self._blobs.has(digest))

    def _seal(self, digest: Digest, content: bytes) -> None:
        """Seal and keep, unless that is done; a blob that went bad or lost its key is made anew.

        The key comes first, then the row, then the bytes: whatever is there can be erased.
        """
        try:
            if self.is_sealed(digest) and self.read(digest) == content:
                return
        except IntegrityError:
            pass
        name = secrets.token_hex(16)
        key = self._keys.make_all(BLOB, [name])[name]
        sealed = self._keys.seal(BLOB, name, key, content)
        with self._database.writing(f"sealed blob {digest}") as session:
            newest = self._find(digest)
            session.add(
                SealedBlobRow(
                    digest=str(digest),
                    position=1 if newest is None else newest[0] + 1,
                    sealed_digest=str(Digest.of(sealed)),
                    key_name=name,
                )
            )
        self._blobs.put(sealed)

    def _find(self, digest: Digest) -> tuple[int, str, str] | None:
        with self._database.read_connection() as connection:
            found = _NEWEST.find(connection, {"digest": str(digest)})
        return None if found is None else (int(found[0]), str(found[1]), str(found[2]))
