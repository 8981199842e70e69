"""What a new version of an index means for the citations of the one before.

A citation is looked for in the older version by the id of its chunk, else by its place in the text
that both count in. What became of that chunk, and whether the words appear in the newer version
elsewhere, is the citation's class. Nothing here reads a text:
``spanproof.verifier.quotes.reanchor`` does.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.chunk_facts import CHUNK_FACTS
from spanproof.monitor.drift import BLOCK_ROWS, find_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spanproof.monitor.drift import Facts, Numbers

#: A citation as it is looked for; ``source`` and ``frame`` as in ``CHUNK_FACTS``.
CITATION_FACTS = np.dtype(
    [
        ("has_id", "?"),
        ("has_place", "?"),
        *((name, "<u8") for name in ("id_high", "id_low", "source", "frame")),
        *((name, "<i8") for name in ("start", "end")),
    ]
)


class CitationClass(IntEnum):
    """What a new version of the index means for a citation of the old one."""

    #: Its chunk is the same.
    INTACT = 0
    #: Its words are in the newer version, in a chunk of another place or name.
    REMAPPABLE = 1
    #: Its chunk's id stands for other words now.
    REASSIGNED = 2
    #: Its words are in no chunk that could be found, though the document may be.
    GONE = 3
    #: The document of that name has other bytes now.
    SOURCE_CHANGED = 4
    #: Its document is in the older version; no chunk of it holds its place.
    UNLOCATED = 5
    #: Neither its chunk nor its document is in the older version: of another index.
    FOREIGN = 6


def classify_citations(
    old: Facts, new: Facts, citations: Facts, *, block_rows: int = BLOCK_ROWS
) -> NDArray[np.int8]:
    """The ``CitationClass`` of each of ``citations`` (records of ``CITATION_FACTS``)."""
    classes = np.full(len(citations), CitationClass.FOREIGN, dtype=np.int8)
    cited = _find_cited(old, citations, block_rows)
    missed = np.flatnonzero(cited < 0)
    sources = citations["source"][missed]
    is_known = _is_in(sources, _take(old, "source", sources, block_rows))
    classes[missed[is_known]] = CitationClass.UNLOCATED
    located = np.flatnonzero(cited >= 0)
    classes[located] = _classify(old[cited[located]], new, citations[located], block_rows)
    return classes


def _find_cited(old: Facts, citations: Facts, block_rows: int) -> NDArray[np.int64]:
    rows = np.where(
        citations["has_id"], find_rows(old, citations["id_high"], citations["id_low"]), -1
    )
    placed = np.flatnonzero((rows < 0) & citations["has_place"])
    at, chunks = _select(old, "frame", citations["frame"][placed], block_rows)
    reached = _reach(chunks, citations["frame"][placed], citations["start"][placed])
    found = reached >= 0
    # It may end behind the chunk: then it is the chunk in which it begins.
    found[found] = chunks["end"][reached[found]] > citations["start"][placed][found]
    rows[placed[found]] = at[reached[found]]
    return rows


def _classify(chunks: Facts, new: Facts, citations: Facts, block_rows: int) -> NDArray[np.int8]:
    classes = np.full(len(chunks), CitationClass.GONE, dtype=np.int8)
    at = find_rows(new, chunks["id_high"], chunks["id_low"])
    kept = np.flatnonzero(at >= 0)
    classes[kept] = _compare(chunks[kept], new[at[kept]])
    lost = np.flatnonzero(at < 0)
    classes[lost] = _look_for(chunks[lost], new, citations[lost], block_rows)
    return classes


def _compare(old: Facts, new: Facts) -> NDArray[np.int8]:
    is_text = (old["text_high"] == new["text_high"]) & (old["text_low"] == new["text_low"])
    is_given = (old["start"] >= 0) & (new["start"] >= 0)
    is_place = ~is_given | ((old["start"] == new["start"]) & (old["end"] == new["end"]))
    is_source = old["source"] == new["source"]
    return np.select(
        [~is_text, ~is_source, is_place & (old["name"] == new["name"])],
        [CitationClass.REASSIGNED, CitationClass.SOURCE_CHANGED, CitationClass.INTACT],
        CitationClass.REMAPPABLE,
    ).astype(np.int8)


def _look_for(chunks: Facts, new: Facts, citations: Facts, block_rows: int) -> NDArray[np.int8]:
    """Chunks whose id is gone: by their words, by the citation's place, by their document."""
    if not len(chunks):
        return np.empty(0, dtype=np.int8)
    _, alike = _select(new, "words_high", chunks["words_high"], block_rows)
    has_words = _is_among(chunks, alike, ("words_high", "words_low"))
    has_source_words = _is_among(chunks, alike, ("words_high", "words_low", "source"))
    _, around = _select(new, "frame", citations["frame"][citations["has_place"]], block_rows)
    reached = _reach(around, citations["frame"], citations["start"])
    holds = (reached >= 0) & citations["has_place"]
    holds[holds] = around["end"][reached[holds]] >= citations["end"][holds]
    sources = _take(new, "source", chunks["source"], block_rows)
    names = _take(new, "name", chunks["name"], block_rows)
    is_replaced = _is_in(chunks["name"], names) & ~_is_in(chunks["source"], sources)
    return np.select(
        [has_source_words | holds, has_words | is_replaced],
        [CitationClass.REMAPPABLE, CitationClass.SOURCE_CHANGED],
        CitationClass.GONE,
    ).astype(np.int8)


def _is_among(chunks: Facts, others: Facts, fields: tuple[str, ...]) -> NDArray[np.bool_]:
    wanted = set(zip(*(others[name].tolist() for name in fields), strict=True))
    rows = zip(*(chunks[name].tolist() for name in fields), strict=True)
    return np.fromiter((row in wanted for row in rows), dtype=bool, count=len(chunks))


def _reach(chunks: Facts, frame: Numbers, start: NDArray[np.int64]) -> NDArray[np.int64]:
    """The chunk that ends last of a frame's chunks from ``start`` or before; -1: no chunk."""
    count = len(chunks)
    _, group = np.unique(np.append(chunks["frame"], frame), return_inverse=True)
    ends, rank = np.unique(chunks["end"], return_inverse=True)
    # Chunks before citations of the same start, all in one order; then the greatest end so far.
    order = np.lexsort(
        (
            np.append(np.zeros(count), np.ones(len(frame))),
            np.append(chunks["start"], start),
            group,
        )
    )
    width = len(ends) + 1
    keys = group * width
    keys[:count] += rank + 1
    best = np.maximum.accumulate(keys[order]) if len(order) else keys
    row_of_key = dict(zip(keys[:count].tolist(), range(count), strict=True))
    reached = np.full(count + len(frame), -1, dtype=np.int64)
    asked = order >= count
    is_own = (best % width > 0) & (best // width == group[order])
    reached[order[asked & is_own]] = [row_of_key[key] for key in best[asked & is_own].tolist()]
    return reached[count:]


def _select(
    facts: Facts, field: str, values: Numbers, block_rows: int
) -> tuple[NDArray[np.int64], Facts]:
    """The rows, and their numbers, whose field has one of these values; frames need offsets."""
    wanted = np.unique(values)
    numbers: list[NDArray[np.int64]] = []
    rows: list[Facts] = []
    for first in range(0, len(facts) if len(wanted) else 0, block_rows):
        block = facts[first : first + block_rows]
        chosen = _is_in(block[field], wanted)
        if field == "frame":
            chosen &= block["start"] >= 0
        numbers.append(first + np.flatnonzero(chosen))
        rows.append(np.array(block[chosen]))
    if not rows:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=CHUNK_FACTS)
    return np.concatenate(numbers), np.concatenate(rows)


def _take(facts: Facts, field: str, values: Numbers, block_rows: int) -> Numbers:
    """Those of the values that the field has in some row, in order."""
    wanted = np.unique(values)
    found = np.zeros(len(wanted), dtype=bool)
    for first in range(0, len(facts) if len(wanted) else 0, block_rows):
        here = facts[field][first : first + block_rows]
        found[np.searchsorted(wanted, here[_is_in(here, wanted)])] = True
    return wanted[found]


def _is_in(values: Numbers, wanted: Numbers) -> NDArray[np.bool_]:
    if not len(wanted):
        return np.zeros(len(values), dtype=bool)
    at = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    return np.equal(wanted[at], values)
