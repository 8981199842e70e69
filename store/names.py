"""Names that a caller gives: which ones may be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.digest import PREFIX, Digest
from spanproof.core.errors import InputError
from spanproof.store.database.columns import escape_text

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The longest name as it is kept: an index of PostgreSQL refuses more than about 2,700 bytes.
MAX_NAME_BYTES = 512
#: How much of a free text (a model's name, say) is kept for filters; the payload has the whole.
MAX_LABEL_CHARACTERS = 256


def check_name(field: str, name: str) -> str:
    """The name; raise InputError for one that is empty or too long to be indexed."""
    stored = escape_text(name).encode("utf-8")
    if not name or len(stored) > MAX_NAME_BYTES:
        msg = f"Expected {field} of 1..{MAX_NAME_BYTES} bytes, got {len(stored)}."
        raise InputError(msg, hint=f"Give a shorter {field}, one that is not empty.")
    return name


def check_doc_id(doc_id: str | None, doc_hash: Digest) -> str | None:
    """The name to record; None where it is the default, the document's own hash.

    Any other name that looks like a hash is refused: it could pass one document off as another.
    """
    if doc_id is None or doc_id == str(doc_hash):
        return None
    check_name("doc_id", doc_id)
    hint = "Give a name of printable characters, or none: the doc_hash is the default."
    if doc_id.lower().startswith(PREFIX):
        msg = f"Expected a doc_id that is not the hash of another document, got {doc_id!r}."
        raise InputError(msg, hint=hint)
    if doc_id != doc_id.strip() or not doc_id.isprintable():
        msg = f"Expected a printable doc_id without white space around it, got {doc_id!r}."
        raise InputError(msg, hint=hint)
    return doc_id


def to_label(value: object) -> str | None:
    """A free text as filters see it, clipped; None for anything but text."""
    return value[:MAX_LABEL_CHARACTERS] if isinstance(value, str) else None


def find_digests(refs: Iterable[str]) -> tuple[Digest, ...]:
    """Those of the names that are whole digests."""
    found = []
    for ref in refs:
        try:
            found.append(Digest.parse(ref))
        except InputError:
            continue
    return tuple(found)
