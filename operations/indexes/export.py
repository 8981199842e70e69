"""What a store holds → a manifest on disk, ready to be registered."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError, SpanproofError
from spanproof.ingest.manifest import ManifestHeader, write_manifest
from spanproof.operations.errors import StoreUnreachableError
from spanproof.operations.indexes.exporters.chunk import (
    FOREIGN_PIPELINE,
    Fields,
    is_address,
    to_rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanproof.operations.context import Context
    from spanproof.operations.indexes.exporters import StoreKind
    from spanproof.operations.indexes.exporters.chunk import StoredChunk

#: Fields of a row that a caller may find under other names.
MAPPED = ("doc_id", "doc_hash", "char_start", "char_end", "extraction_pipeline")
#: Of one store each, and needed only where the store's own client is.
_EXTRAS = {"qdrant": "qdrant", "chroma": "chroma"}


def export_index(  # noqa: PLR0913 - what tells one index from another
    context: Context,
    kind: StoreKind,
    url: str,
    collection: str | None,
    output: Path,
    *,
    names: Mapping[str, str],
    text: str | None = None,
    embedding_model: str | None = None,
    retrieval_method: str | None = None,
) -> ManifestHeader:
    """Write the manifest of every chunk of a store; returns its header.

    ``names`` are fields of the metadata by what they mean (``MAPPED``), ``text`` the name of the
    text's. Where only a document's name is known, its hash is that of the document kept here.
    Raises MalformedManifestError for a chunk that cannot be a row, StoreUnreachableError where the
    store does not answer; then nothing is written.
    """
    unknown = sorted(set(names) - set(MAPPED))
    if unknown:
        msg = f"Expected one of {', '.join(MAPPED)} to be mapped, got {unknown[0]!r}."
        raise InputError(msg, hint="Write --map doc_id=NAME.")

    def find_hash(doc_id: str) -> str | None:
        found = context.store.documents.find(doc_id)
        return None if found is None else str(found.document.doc_hash)

    fields = Fields(find_hash=find_hash).renamed(names)
    header = ManifestHeader(
        created_at=datetime.now(UTC),
        extraction_pipelines=(FOREIGN_PIPELINE,),
        name=collection,
        embedding_model=embedding_model,
        retrieval_method=retrieval_method,
    )
    try:
        return write_manifest(
            output, header, to_rows(list_chunks(kind, url, collection, text), fields)
        )
    except (SpanproofError, OSError):
        raise
    except ImportError as error:
        extra = _EXTRAS.get(kind, "exporters")
        msg = f"Expected the client of {kind} to be installed, got none ({error.name})."
        raise StoreUnreachableError(msg, hint=f"Install 'spanproof[{extra}]'.") from error
    # A store's client may raise any error; its message may hold an address with a password.
    except Exception as error:
        msg = f"Expected {kind} to list {collection!r}, got {type(error).__name__}."
        hint = "Check the address, the collection's name, the fields' names, and the key."
        raise StoreUnreachableError(msg, hint=hint) from error


def list_chunks(
    kind: StoreKind, url: str, collection: str | None, text: str | None
) -> Iterator[StoredChunk]:
    """The chunks of a store by its address; of a store in Python, by ``module:name``."""
    given: dict[str, Any] = {} if text is None else {"text": text}
    if given and kind == "chroma":
        msg = f"Expected no name of a text for chroma, which has one of its own, got {text!r}."
        raise InputError(msg, hint="Leave --text out: the documents are exported.")
    module = "elasticsearch" if kind == "opensearch" else kind
    exporter = import_module(f"spanproof.operations.indexes.exporters.{module}")
    found: Iterator[StoredChunk]
    if kind in {"langchain", "llamaindex"}:
        found = exporter.list_chunks(load_object(url))
    elif collection is None:
        msg = f"Expected the name of a collection of {kind}, got none."
        raise InputError(msg, hint="Give --collection: the table, the collection or the index.")
    elif module == "elasticsearch":
        import httpx

        with httpx.Client(base_url=url, timeout=60.0) as client:
            yield from exporter.list_chunks(client, collection, **given)
        return
    elif kind == "pgvector":
        found = exporter.list_chunks(url, collection, **given)
    else:
        _require_folder(kind, url)
        with closing(exporter.open_client(url)) as client:
            yield from exporter.list_chunks(client, collection, **given)
        return
    yield from found


def _require_folder(kind: StoreKind, url: str) -> None:
    """Raise InputError where an embedded store is not there: its client would make an empty one."""
    if not is_address(url) and not Path(url).is_dir():
        msg = f"Expected the folder of an embedded {kind}, got no folder at {url!r}."
        raise InputError(msg, hint="Give the folder, or the address of a server: http://HOST:PORT.")


def load_object(place: str) -> Any:  # noqa: ANN401 - any object
    """What ``module:name`` names, called where it is a function; raise InputError for others."""
    module, _, name = place.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        msg = f"Expected module:name of a store, got {place!r} ({type(error).__name__})."
        raise InputError(
            msg, hint="Name what can be imported, say 'app.stores:vectors'."
        ) from error
    is_function = callable(found) and not hasattr(found, "store") and not hasattr(found, "docs")
    return found() if is_function else found
