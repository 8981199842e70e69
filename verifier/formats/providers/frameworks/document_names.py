"""The names that a framework's metadata have for a document, and its hash, where they have one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedDigestError
from spanproof.verifier.formats.envelope import SuppliedDocument

if TYPE_CHECKING:
    from spanproof.verifier.formats.providers.either_case import EitherCaseReader

#: Under these keys loaders and splitters leave a document's name, the surest first.
_KEYS = (
    *("doc_id", "source", "url", "URL", "file_path", "file_name", "filename", "file_id"),
    *("document_id", "ref_doc_id"),
)


def read_names(metadata: EitherCaseReader | None, *others: str | None) -> tuple[str, ...]:
    """The names in the order in which they are tried, then ``others``."""
    fields = {} if metadata is None else metadata.fields
    names = [*map(fields.get, _KEYS), *others]
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str) and name))


def find_by_hash(metadata: EitherCaseReader | None) -> SuppliedDocument | None:
    """The document whose ``doc_hash`` the metadata have; None where they have none that can be."""
    given = None if metadata is None else metadata.fields.get("doc_hash")
    if not isinstance(given, str):
        return None
    try:
        return SuppliedDocument(doc_hash=Digest.parse(given))
    except MalformedDigestError:
        return None
