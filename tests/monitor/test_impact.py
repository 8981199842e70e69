"""What a new version of an index means for a citation of the old one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.chunk_facts import to_frame, to_id, to_source
from spanproof.core.digest import Digest
from spanproof.monitor.impact import CITATION_FACTS, CitationClass, classify_citations
from tests.monitor.chunks import Chunk, to_facts

if TYPE_CHECKING:
    from spanproof.monitor.drift import Facts

FIRST = Chunk(id="a", text="0123456789")
SECOND = Chunk(id="b", text="abcdefghij", start=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    id: str | None = "a"
    source: str = "bytes"
    pipeline: str | None = "p"
    start: int = 2
    end: int = 5


def to_citations(*citations: Citation) -> Facts:
    rows = []
    for each in citations:
        high, low = (0, 0) if each.id is None else to_id(each.id)
        source = Digest.of(each.source.encode())
        frame = 0 if each.pipeline is None else to_frame(source, each.pipeline)
        rows.append(
            (
                each.id is not None,
                each.pipeline is not None,
                high,
                low,
                to_source(source),
                frame,
                each.start,
                each.end,
            )
        )
    return np.array(rows, dtype=CITATION_FACTS)


def classify(old: list[Chunk], new: list[Chunk], citation: Citation) -> CitationClass:
    facts = to_facts(old), to_facts(new)
    (found,) = classify_citations(*facts, to_citations(citation), block_rows=1)
    (again,) = classify_citations(*facts, to_citations(citation))
    assert found == again
    return CitationClass(found)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ([FIRST, SECOND], CitationClass.INTACT),
        ([replace(FIRST, start=40)], CitationClass.REMAPPABLE),
        ([replace(FIRST, id="z")], CitationClass.REMAPPABLE),
        # Cut otherwise: another chunk of the same text holds the place.
        ([Chunk(id="z", text="0123456789abc")], CitationClass.REMAPPABLE),
        ([Chunk(id="z", text="0123")], CitationClass.GONE),
        ([Chunk(id="z", text="0123456789abc", pipeline="q")], CitationClass.GONE),
        ([replace(FIRST, text="9876543210")], CitationClass.REASSIGNED),
        # The id leads to other words, though the old words stand under another.
        ([replace(FIRST, text="9876543210"), replace(FIRST, id="z")], CitationClass.REASSIGNED),
        ([replace(FIRST, source="new bytes")], CitationClass.SOURCE_CHANGED),
        ([replace(FIRST, id="z", source="new bytes")], CitationClass.SOURCE_CHANGED),
        ([Chunk(id="z", text="other", source="new bytes")], CitationClass.SOURCE_CHANGED),
        ([SECOND], CitationClass.GONE),
        ([], CitationClass.GONE),
    ],
)
@pytest.mark.parametrize("by", ["a", None])
def test_a_citation_by_its_chunk_or_its_place(
    new: list[Chunk], expected: CitationClass, by: str | None
) -> None:
    assert classify([FIRST, SECOND], new, Citation(id=by)) is expected


@pytest.mark.parametrize(
    ("citation", "expected"),
    [
        # An id that the version does not have, and a place that it does.
        (Citation(id="nobody"), CitationClass.INTACT),
        # Over the edge of two chunks: of the one in which it begins.
        (Citation(id=None, start=8, end=14), CitationClass.INTACT),
        (Citation(id=None, start=20, end=24), CitationClass.UNLOCATED),
        (Citation(id=None, pipeline="q"), CitationClass.UNLOCATED),
        (Citation(id=None, pipeline=None), CitationClass.UNLOCATED),
        (Citation(id=None, source="never seen"), CitationClass.FOREIGN),
        (Citation(id="nobody", source="never seen"), CitationClass.FOREIGN),
    ],
)
def test_how_a_citation_finds_its_chunk(citation: Citation, expected: CitationClass) -> None:
    assert classify([FIRST, SECOND], [FIRST, SECOND], citation) is expected


def test_the_chunk_that_reaches_farthest_is_taken() -> None:
    whole = Chunk(id="whole", text="x" * 40)
    old = [whole, Chunk(id="part", text="part", start=3)]
    # The part begins later and ends earlier: the words at 20 are the whole's.
    assert classify(old, [old[1]], Citation(id=None, start=20, end=24)) is CitationClass.GONE
    assert classify(old, [whole], Citation(id=None, start=20, end=24)) is CitationClass.INTACT


def test_chunks_without_offsets_are_found_by_their_ids_alone() -> None:
    chunk = replace(FIRST, start=None)
    assert classify([chunk], [chunk], Citation()) is CitationClass.INTACT
    assert classify([chunk], [chunk], Citation(id=None)) is CitationClass.UNLOCATED


def test_no_citations_and_no_chunks_are_none() -> None:
    empty = to_facts([])
    assert classify_citations(empty, empty, to_citations()).tolist() == []
    assert classify([], [FIRST], Citation()) is CitationClass.FOREIGN


SPANS = st.tuples(st.integers(0, 30), st.integers(1, 12))


@given(spans=st.lists(SPANS, max_size=8), start=st.integers(0, 45), length=st.integers(1, 9))
def test_a_place_is_found_exactly_where_a_chunk_holds_its_beginning(
    spans: list[tuple[int, int]], start: int, length: int
) -> None:
    chunks = [
        Chunk(id=f"{number}", text="x" * size, start=first, source="s")
        for number, (first, size) in enumerate(spans)
    ]
    begins = any(first <= start < first + size for first, size in spans)
    citation = Citation(id=None, source="s", start=start, end=start + length)
    expected = CitationClass.INTACT if begins else CitationClass.UNLOCATED
    assert classify(chunks, chunks, citation) is (expected if spans else CitationClass.FOREIGN)
