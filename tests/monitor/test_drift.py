"""What became of chunks, against a comparison that goes one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.chunk_facts import CHUNK_FACTS, to_id
from spanproof.monitor.drift import ChunkClass, count_changes, find_rows, list_changes
from tests.monitor.chunks import Chunk, to_facts

CHUNKS = st.lists(
    st.builds(
        Chunk,
        id=st.sampled_from("abcdefghij"),
        text=st.sampled_from(["one", "two", "three"]),
        doc=st.sampled_from(["d", "e"]),
        start=st.sampled_from([None, 0, 7]),
    ),
    max_size=10,
    unique_by=lambda chunk: chunk.id,
)


def count_one_by_one(old: list[Chunk], new: list[Chunk]) -> dict[str, int]:
    theirs = {chunk.id: chunk for chunk in new}
    counts = dict.fromkeys(("same", "moved", "reassigned", "gone", "new"), 0)
    for chunk in old:
        other = theirs.get(chunk.id)
        if other is None:
            continue
        place = None in (chunk.start, other.start) or chunk.start == other.start
        if chunk.text != other.text:
            counts["reassigned"] += 1
        else:
            counts["same" if place and chunk.doc == other.doc else "moved"] += 1
    ids = {chunk.id for chunk in old}
    lost = Counter((chunk.doc, chunk.text) for chunk in old if chunk.id not in theirs)
    found = Counter((chunk.doc, chunk.text) for chunk in new if chunk.id not in ids)
    renamed = (lost & found).total()
    counts["moved"] += renamed
    counts["gone"], counts["new"] = lost.total() - renamed, found.total() - renamed
    return counts


@given(old=CHUNKS, new=CHUNKS, block_rows=st.integers(1, 5))
def test_the_counts_are_those_of_a_comparison_one_by_one(
    old: list[Chunk], new: list[Chunk], block_rows: int
) -> None:
    found = count_changes(to_facts(old), to_facts(new), block_rows=block_rows)
    assert found.to_json() == count_one_by_one(old, new)
    assert found.same + found.moved + found.reassigned + found.gone == len(old)
    assert found.same + found.moved + found.reassigned + found.new == len(new)


@given(old=CHUNKS, new=CHUNKS, block_rows=st.integers(1, 5))
def test_the_lists_are_as_long_as_the_counts(
    old: list[Chunk], new: list[Chunk], block_rows: int
) -> None:
    counts = count_changes(to_facts(old), to_facts(new)).to_json()
    listed = list_changes(to_facts(old), to_facts(new), most=10, block_rows=block_rows)
    assert {each.name.lower(): len(keys) for each, keys in listed.items()} == {
        name: count for name, count in counts.items() if name != "same"
    }
    ids = {to_id(chunk.id) for chunk in old}
    assert not ids & set(listed[ChunkClass.NEW])
    assert all(key in ids for each in listed if each is not ChunkClass.NEW for key in listed[each])


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (Chunk(id="a", text="one"), "same"),
        (Chunk(id="a", text="one", start=None), "same"),
        (Chunk(id="a", text="one", source="other bytes"), "same"),
        (Chunk(id="a", text="one", start=4), "moved"),
        (Chunk(id="a", text="one", doc="e"), "moved"),
        (Chunk(id="b", text="one", start=4), "moved"),
        (Chunk(id="a", text="two"), "reassigned"),
    ],
)
def test_one_chunk_is_of_one_class(new: Chunk, expected: str) -> None:
    counts = count_changes(to_facts([Chunk(id="a", text="one")]), to_facts([new])).to_json()
    assert counts == dict.fromkeys(counts, 0) | {expected: 1}


def test_the_same_words_of_another_document_are_another_chunk() -> None:
    old, new = [Chunk(id="a", text="one")], [Chunk(id="b", text="one", doc="e")]
    counts = count_changes(to_facts(old), to_facts(new))
    assert (counts.gone, counts.new, counts.moved) == (1, 1, 0)


def test_ids_that_share_their_first_half_are_told_apart() -> None:
    facts = np.zeros(4, dtype=CHUNK_FACTS)
    facts["id_high"], facts["id_low"] = [5, 5, 5, 9], [1, 2, 3, 0]
    other = facts[[1, 2, 3]].copy()
    other["text_low"][0] = 1
    for block_rows in (1, 2, 8):
        counts = count_changes(facts, other, block_rows=block_rows)
        assert counts.to_json() == {"same": 2, "moved": 0, "reassigned": 1, "gone": 1, "new": 0}
    wanted = np.array([3, 4], dtype=np.uint64)
    assert find_rows(facts, np.array([5, 5], dtype=np.uint64), wanted).tolist() == [2, -1]


def test_a_list_ends_where_it_is_told_to() -> None:
    old = [Chunk(id=f"{number}", text="one") for number in range(9)]
    new = [Chunk(id=f"{number}", text="two") for number in range(9)]
    listed = list_changes(to_facts(old), to_facts(new), most=4, block_rows=2)
    assert len(listed[ChunkClass.REASSIGNED]) == 4
