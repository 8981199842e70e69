"""Receipts of one log and of two histories of it, held against each other."""

from __future__ import annotations

import pytest

from spanproof.core.log.merkle import hash_leaf, list_complete_nodes
from spanproof.receipt.check.forks import ForkCheck
from tests.receipt.samples import MemoryLog, make_log_key

SIZES = 20


def make_log(count: int, *, changed_from: int = SIZES) -> MemoryLog:
    """A log of these leaves, which is another from an index on."""
    entries = [b"%d%s" % (at, b" another" * (at >= changed_from)) for at in range(count)]
    return MemoryLog(entries=entries)


def test_one_history_has_no_fork_at_any_size() -> None:
    check = ForkCheck()
    for size in range(1, SIZES + 1):
        log = make_log(size)
        for index in range(size):
            check.add(f"{size}/{index}", log.prove(index))
    assert check.forked == {}


@pytest.mark.parametrize("index", range(SIZES))
def test_the_complete_subtrees_of_a_proof_are_those_of_the_log(index: int) -> None:
    for size in range(index + 1, SIZES + 1):
        log = make_log(size)
        included = log.prove(index)
        nodes = list_complete_nodes(included.proof, included.leaf.leaf_hash)
        assert nodes[0, index] == hash_leaf(log.entries[index])
        for (level, number), found in nodes.items():
            assert (number + 1) << level <= size
            part = MemoryLog(entries=log.entries[number << level : (number + 1) << level])
            assert part.checkpoint().root == found


def test_two_roots_of_one_size_are_a_fork() -> None:
    check = ForkCheck()
    check.add("a", make_log(6).prove(0))
    check.add("b", make_log(6, changed_from=5).prove(1))
    assert check.forked.keys() == {"a", "b"}
    assert check.forked["b"] == "another history of 6 leaves of log.example.com than in a"


def test_heads_of_two_sizes_above_another_subtree_are_a_fork() -> None:
    check = ForkCheck()
    check.add("a", make_log(8).prove(1))
    check.add("b", make_log(11, changed_from=6).prove(10))
    assert check.forked.keys() == {"a", "b"}
    assert "the leaves [0, 8)" in check.forked["a"]


def test_logs_of_two_names_are_two_logs() -> None:
    check = ForkCheck()
    check.add("a", make_log(6).prove(0))
    other = make_log(6, changed_from=0)
    other.key = make_log_key(1, "other.example.com")
    check.add("b", other.prove(0))
    assert check.forked == {}
