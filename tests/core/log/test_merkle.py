"""Merkle trees: every proof of every small tree, random proofs of big ones, and no forged one."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.log.merkle import (
    EMPTY_ROOT,
    HASH_SIZE,
    MAX_SIZE,
    ConsistencyProof,
    InclusionProof,
    check_consistency,
    check_inclusion,
    compute_inclusion_root,
    compute_root,
    hash_children,
    hash_leaf,
    list_steps,
    prove_consistency,
    prove_inclusion,
    read_root,
)
from tests.strategies import unhurried

if TYPE_CHECKING:
    from spanproof.core.log.merkle import ReadNode

#: Every size to here is proved whole: across the first border of a tile.
MOST = 300
LEAVES = tuple(hash_leaf(str(index).encode()) for index in range(MOST + 1))


def define_root(leaves: tuple[bytes, ...]) -> bytes:
    """RFC 6962, section 2.1, word for word: split at the largest power of two below the size."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256(b"").digest()
    middle = 1
    while middle * 2 < len(leaves):
        middle *= 2
    return hash_children(define_root(leaves[:middle]), define_root(leaves[middle:]))


def build_nodes(leaves: tuple[bytes, ...]) -> ReadNode:
    """The complete subtrees above these leaves."""
    rows = [list(leaves)]
    while len(rows[-1]) > 1:
        row = rows[-1]
        rows.append([hash_children(*row[at : at + 2]) for at in range(0, len(row) - 1, 2)])
    return lambda level, index: rows[level][index]


def make_node(level: int, index: int) -> bytes:
    """A tree of more leaves than anybody could make: all of them the same."""
    del index
    node = LEAVES[0]
    for _ in range(level):
        node = hash_children(node, node)
    return node


READ = build_nodes(LEAVES)
ROOTS = tuple(compute_root(LEAVES[:size]) for size in range(MOST + 1))


def flip(content: bytes, bit: int) -> bytes:
    """The same bytes with one bit changed."""
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_a_leaf_and_a_node_are_hashed_apart() -> None:
    assert hash_leaf(b"") == hashlib.sha256(b"\x00").digest()
    left, right = LEAVES[:2]
    assert hash_children(left, right) == hashlib.sha256(b"\x01" + left + right).digest()
    assert hash_leaf(left + right) != hash_children(left, right)


def test_roots_are_those_of_the_definition() -> None:
    assert EMPTY_ROOT == ROOTS[0] == hashlib.sha256(b"").digest()
    for size in range(MOST + 1):
        assert ROOTS[size] == define_root(LEAVES[:size]) == read_root(READ, size)


def test_every_leaf_of_every_size_is_proved() -> None:
    for size in range(1, MOST + 1):
        for index in range(size):
            proof = prove_inclusion(READ, index, size)
            assert (proof.index, proof.size) == (index, size)
            assert len(proof.hashes) <= (size - 1).bit_length()
            assert check_inclusion(proof, LEAVES[index], ROOTS[size])
            assert not check_inclusion(proof, LEAVES[index + 1], ROOTS[size])


@pytest.mark.long
def test_the_steps_of_a_proof_lead_from_the_leaf_to_the_root() -> None:
    for size in range(1, MOST + 1):
        for index in range(size):
            proof = prove_inclusion(READ, index, size)
            found = LEAVES[index]
            for (left, right, is_left), sibling in zip(
                list_steps(proof, LEAVES[index]), proof.hashes, strict=True
            ):
                assert (left, right) == ((sibling, found) if is_left else (found, sibling))
                found = hash_children(left, right)
            assert found == ROOTS[size]


def test_every_pair_of_sizes_is_proved() -> None:
    for new in range(1, MOST + 1):
        for old in range(1, new + 1):
            proof = prove_consistency(READ, old, new)
            assert check_consistency(proof, ROOTS[old], ROOTS[new])
            assert not check_consistency(proof, ROOTS[old - 1], ROOTS[new])


@unhurried
@given(data=st.data())
def test_big_trees_are_proved(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, MAX_SIZE))
    index = data.draw(st.integers(0, size - 1))
    old = data.draw(st.integers(1, size))
    root, old_root = read_root(make_node, size), read_root(make_node, old)
    inclusion = prove_inclusion(make_node, index, size)
    consistency = prove_consistency(make_node, old, size)
    assert max(len(inclusion.hashes), len(consistency.hashes) - 1) <= 63
    assert check_inclusion(inclusion, LEAVES[0], root)
    assert check_consistency(consistency, old_root, root)
    assert not check_inclusion(inclusion, LEAVES[1], root)
    assert old == size or not check_consistency(replace(consistency, new_size=old), old_root, root)


@unhurried
@given(data=st.data())
def test_a_flipped_bit_refuses_an_inclusion(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, MOST))
    index = data.draw(st.integers(0, size - 1))
    proof, leaf, root = prove_inclusion(READ, index, size), LEAVES[index], ROOTS[size]
    at = data.draw(st.integers(0, (len(proof.hashes) + 2) * HASH_SIZE * 8 - 1))
    changed = flip(b"".join([leaf, root, *proof.hashes]), at)
    hashes = tuple(changed[at : at + HASH_SIZE] for at in range(0, len(changed), HASH_SIZE))
    assert not check_inclusion(replace(proof, hashes=hashes[2:]), hashes[0], hashes[1])


@unhurried
@given(data=st.data())
def test_a_flipped_bit_refuses_a_consistency(data: st.DataObject) -> None:
    new = data.draw(st.integers(2, MOST))
    old = data.draw(st.integers(1, new))
    proof = prove_consistency(READ, old, new)
    at = data.draw(st.integers(0, (len(proof.hashes) + 2) * HASH_SIZE * 8 - 1))
    changed = flip(b"".join([ROOTS[old], ROOTS[new], *proof.hashes]), at)
    hashes = tuple(changed[at : at + HASH_SIZE] for at in range(0, len(changed), HASH_SIZE))
    assert not check_consistency(replace(proof, hashes=hashes[2:]), hashes[0], hashes[1])


def test_another_index_refuses() -> None:
    for size in range(1, 65):
        for index in range(size):
            proof = prove_inclusion(READ, index, size)
            for other in range(-1, size + 1):
                is_same = other == index
                found = check_inclusion(replace(proof, index=other), LEAVES[index], ROOTS[size])
                assert found is is_same


def test_another_size_never_shows_another_root() -> None:
    # The size stands in the signed checkpoint beside the root. A proof alone does not bind it: the
    # same path may be right in shape for a neighbouring size, but leads to the same root only.
    for size in range(1, 65):
        for index in range(size):
            proof = prove_inclusion(READ, index, size)
            for other in range(1, 70):
                claimed = compute_inclusion_root(replace(proof, size=other), LEAVES[index])
                assert other == size or claimed != ROOTS[other]


def test_other_sizes_refuse_a_consistency() -> None:
    for new in range(1, 40):
        for old in range(1, new + 1):
            proof = prove_consistency(READ, old, new)
            for other in range(1, 45):
                swapped = replace(proof, old_size=other)
                assert other == old or not check_consistency(swapped, ROOTS[other], ROOTS[new])
                swapped = replace(proof, new_size=other)
                assert other == new or not check_consistency(swapped, ROOTS[old], ROOTS[other])


@pytest.mark.parametrize("garbage", [b"", bytes(31), bytes(33), bytes(64)])
def test_what_is_no_hash_refuses(garbage: bytes) -> None:
    inclusion, consistency = prove_inclusion(READ, 5, 11), prove_consistency(READ, 5, 11)
    for at in range(len(inclusion.hashes)):
        hashes = (*inclusion.hashes[:at], garbage, *inclusion.hashes[at + 1 :])
        assert compute_inclusion_root(replace(inclusion, hashes=hashes), LEAVES[5]) is None
    for at in range(len(consistency.hashes)):
        hashes = (*consistency.hashes[:at], garbage, *consistency.hashes[at + 1 :])
        assert not check_consistency(replace(consistency, hashes=hashes), ROOTS[5], ROOTS[11])
    assert not check_inclusion(inclusion, garbage, ROOTS[11])
    assert not check_inclusion(inclusion, LEAVES[5], garbage)
    assert not check_consistency(consistency, garbage, ROOTS[11])
    assert not check_consistency(consistency, ROOTS[5], garbage)
    same = ConsistencyProof(old_size=5, new_size=5, hashes=())
    assert not check_consistency(same, garbage, ROOTS[5])


def test_one_hash_more_or_less_refuses() -> None:
    for new in range(1, 34):
        for old in range(1, new + 1):
            proof = prove_consistency(READ, old, new)
            longer = (*proof.hashes, ROOTS[1]), (ROOTS[1], *proof.hashes)
            shorter = (proof.hashes[1:], proof.hashes[:-1]) if proof.hashes else ()
            for hashes in (*longer, *shorter):
                changed = replace(proof, hashes=hashes)
                assert not check_consistency(changed, ROOTS[old], ROOTS[new])
        for index in range(new):
            inclusion = prove_inclusion(READ, index, new)
            hashes = inclusion.hashes
            for others in ((*hashes, ROOTS[1]), (ROOTS[1], *hashes), hashes[1:], hashes[:-1]):
                changed_proof = replace(inclusion, hashes=others)
                is_same = others == hashes
                assert check_inclusion(changed_proof, LEAVES[index], ROOTS[new]) is is_same


@pytest.mark.parametrize(
    ("index", "size"), [(0, 0), (-1, 1), (1, 1), (5, 4), (0, -1), (0, MAX_SIZE + 1)]
)
def test_an_index_outside_of_the_tree_is_no_proof(index: int, size: int) -> None:
    proof = InclusionProof(index=index, size=size, hashes=())
    assert compute_inclusion_root(proof, LEAVES[0]) is None
    with pytest.raises(ValueError, match="Expected an index in"):
        prove_inclusion(make_node, index, size)


@pytest.mark.parametrize(
    ("old", "new"), [(0, 0), (0, 5), (6, 5), (-1, 5), (1, MAX_SIZE + 1), (-2, -1)]
)
def test_sizes_out_of_order_are_no_proof(old: int, new: int) -> None:
    proof = ConsistencyProof(old_size=old, new_size=new, hashes=())
    assert not check_consistency(proof, EMPTY_ROOT, EMPTY_ROOT)
    with pytest.raises(ValueError, match="Expected sizes 0 < old <= new"):
        prove_consistency(make_node, old, new)


def test_a_size_that_no_tree_has_has_no_root() -> None:
    for size in (-1, MAX_SIZE + 1):
        with pytest.raises(ValueError, match="Expected a size in"):
            read_root(make_node, size)


def test_two_histories_of_every_size_are_told_apart() -> None:
    for size in range(1, 65):
        forked = build_nodes((*LEAVES[: size - 1], hash_leaf(b"another"), *LEAVES[size : size + 9]))
        for new in range(size, size + 9):
            proof = prove_consistency(forked, size, new)
            assert check_consistency(proof, read_root(forked, size), read_root(forked, new))
            assert not check_consistency(proof, ROOTS[size], read_root(forked, new))
            honest = prove_consistency(READ, size, new)
            assert not check_consistency(honest, ROOTS[size], read_root(forked, new))
