"""Two versions of an index compared: their chunks, and the citations that the change touches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.chunk_facts import to_frame, to_id, to_source
from spanproof.core.digest import Digest
from spanproof.ingest.manifest import open_manifest
from spanproof.monitor.drift import ChunkClass, ChunkCounts, count_changes, list_changes
from spanproof.monitor.impact import CITATION_FACTS, CitationClass, classify_citations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from spanproof.ingest.manifest import ManifestRow
    from spanproof.operations.context import Context
    from spanproof.store.indexes.index_rows import IndexedCitation, IndexVersion

#: Of each class a list shows so many.
LISTED = 1_000
_CITATIONS_AT_ONCE = 20_000
#: What the contract counts of citations; the rest is told beside them.
_COUNTED = (
    CitationClass.INTACT,
    CitationClass.REMAPPABLE,
    CitationClass.REASSIGNED,
    CitationClass.GONE,
    CitationClass.SOURCE_CHANGED,
)
#: What counts against a budget: citations that the newer version leads elsewhere, or nowhere.
_LOST = (CitationClass.REASSIGNED, CitationClass.GONE, CitationClass.SOURCE_CHANGED)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexDiff:
    """What became of the chunks and the citations of a version; ``lists`` only if asked for."""

    old: IndexVersion
    new: IndexVersion
    chunks: ChunkCounts
    citations: dict[CitationClass, int]
    lists: dict[str, Any] | None

    @property
    def chunk_share(self) -> float:
        """The share of the older version's chunks that are reassigned or gone."""
        lost = self.chunks.reassigned + self.chunks.gone
        return lost / self.old.rows if self.old.rows else 0.0

    @property
    def citation_share(self) -> float:
        """The share of its citations that are reassigned, gone, or of a changed document."""
        total = sum(self.citations[each] for each in _COUNTED)
        return sum(self.citations[each] for each in _LOST) / total if total else 0.0

    def to_json(self) -> dict[str, Any]:
        """The comparison as both doors show it."""
        shown: dict[str, Any] = {
            "index": self.old.name,
            "from": self.old.version,
            "to": self.new.version,
            "chunks": self.chunks.to_json(),
            "citations": {each.name.lower(): self.citations[each] for each in _COUNTED},
            "citations_unlocated": self.citations[CitationClass.UNLOCATED],
        }
        return shown if self.lists is None else shown | {"lists": self.lists}


def compare(
    context: Context, name: str, old_version: str, new_version: str, *, listed: bool = False
) -> IndexDiff:
    """What became of the older version's chunks, and of the kept citations of it."""
    indexes = context.store.indexes
    old, new = indexes.load(name, old_version), indexes.load(name, new_version)
    old_facts, new_facts = indexes.map_facts(old), indexes.map_facts(new)
    chunks = count_changes(old_facts, new_facts)
    citations = _to_facts(indexes.citations_of(old_version))
    classes = classify_citations(old_facts, new_facts, citations)
    lists = None
    if listed:
        keys = list_changes(old_facts, new_facts, most=LISTED)
        lists = {
            "chunks": _name_chunks(indexes.manifest_of(old), indexes.manifest_of(new), keys),
            "citations": _name_citations(indexes.citations_of(old_version), classes),
        }
    counts = np.bincount(classes, minlength=len(CitationClass))
    return IndexDiff(
        old=old,
        new=new,
        chunks=chunks,
        citations={each: int(counts[each]) for each in CitationClass},
        lists=lists,
    )


def find_affected(context: Context, name: str, old_version: str, new_version: str) -> list[str]:
    """The verifications, each once, with a citation that the newer version leads astray."""
    indexes = context.store.indexes
    old, new = indexes.load(name, old_version), indexes.load(name, new_version)
    citations = _to_facts(indexes.citations_of(old_version))
    classes = classify_citations(indexes.map_facts(old), indexes.map_facts(new), citations)
    lost = np.isin(classes, _LOST).tolist()
    again = indexes.citations_of(old_version)
    named = (each.verification_id for each, is_lost in zip(again, lost, strict=False) if is_lost)
    return list(dict.fromkeys(named))


def list_lost(
    context: Context, name: str, old_version: str, new_version: str
) -> dict[str, list[dict[str, Any]]]:
    """The citations that the newer version leads elsewhere or nowhere, LISTED of each class."""
    indexes = context.store.indexes
    old, new = indexes.load(name, old_version), indexes.load(name, new_version)
    citations = _to_facts(indexes.citations_of(old_version))
    classes = classify_citations(indexes.map_facts(old), indexes.map_facts(new), citations)
    named = _name_citations(indexes.citations_of(old_version), classes)
    return {each.name.lower(): named[each.name.lower()] for each in _LOST}


def _to_facts(citations: Iterator[IndexedCitation]) -> NDArray[np.void]:
    parts = [np.empty(0, dtype=CITATION_FACTS)]
    while rows := [_to_fact(each) for each in islice(citations, _CITATIONS_AT_ONCE)]:
        parts.append(np.array(rows, dtype=CITATION_FACTS))
    return np.concatenate(parts)


def _to_fact(citation: IndexedCitation) -> tuple[bool, bool, int, int, int, int, int, int]:
    high, low = (0, 0) if citation.chunk_id is None else to_id(citation.chunk_id)
    source, frame = _to_place(citation.doc_hash, citation.pipeline)
    return (
        citation.chunk_id is not None,
        citation.pipeline is not None and citation.doc_hash is not None,
        high,
        low,
        source,
        frame,
        citation.start,
        citation.end,
    )


@lru_cache(maxsize=1 << 16)
def _to_place(doc_hash: str | None, pipeline: str | None) -> tuple[int, int]:
    if doc_hash is None:
        return 0, 0
    digest = Digest.parse(doc_hash)
    return to_source(digest), 0 if pipeline is None else to_frame(digest, pipeline)


def _name_chunks(
    old: Path, new: Path, keys: dict[ChunkClass, list[tuple[int, int]]]
) -> dict[str, list[dict[str, Any]]]:
    """The rows behind the keys: of the older manifest, but of NEW ones of the newer."""
    named: dict[str, list[dict[str, Any]]] = {each.name.lower(): [] for each in keys}
    for path, classes in ((old, set(keys) - {ChunkClass.NEW}), (new, {ChunkClass.NEW})):
        wanted = {key: each for each in classes for key in keys[each]}
        for row, each in _find_rows(path, wanted):
            named[each.name.lower()].append(
                {
                    "chunk_id": row.chunk_id,
                    "doc_id": row.doc_id,
                    "char_start": row.char_start,
                    "char_end": row.char_end,
                }
            )
    return named


def _find_rows(
    path: Path, wanted: dict[tuple[int, int], ChunkClass]
) -> Iterator[tuple[ManifestRow, ChunkClass]]:
    left = len(wanted)
    if not left:
        return
    with open_manifest(path) as manifest:
        for row in manifest.rows:
            each = wanted.get(to_id(row.chunk_id))
            if each is not None:
                yield row, each
                left -= 1
                if not left:
                    return


def _name_citations(
    citations: Iterable[IndexedCitation], classes: NDArray[np.int8]
) -> dict[str, list[dict[str, Any]]]:
    kept = (*_COUNTED[1:], CitationClass.UNLOCATED)
    named: dict[CitationClass, list[dict[str, Any]]] = {each: [] for each in kept}
    for citation, number in zip(citations, classes.tolist(), strict=False):
        each = CitationClass(number)
        if each in named and len(named[each]) < LISTED:
            named[each].append(
                {
                    "verification_id": citation.verification_id,
                    "citation": citation.citation,
                    "chunk_id": citation.chunk_id,
                    "doc_hash": citation.doc_hash,
                    "char_start": citation.start,
                    "char_end": citation.end,
                }
            )
    return {each.name.lower(): found for each, found in named.items()}
