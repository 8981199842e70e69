"""A checkpoint has a size that proofs can have, and a whole root."""

from __future__ import annotations

import pytest

from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import EMPTY_ROOT, HASH_SIZE, MAX_SIZE


@pytest.mark.parametrize("size", [0, 1, MAX_SIZE])
def test_every_size_that_proofs_have_is_taken(size: int) -> None:
    assert Checkpoint(origin="log.example.com", size=size, root=EMPTY_ROOT).size == size


@pytest.mark.parametrize("size", [-1, MAX_SIZE + 1])
def test_another_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="Expected a size and a root of 32 bytes"):
        Checkpoint(origin="log.example.com", size=size, root=EMPTY_ROOT)


@pytest.mark.parametrize("length", [0, HASH_SIZE - 1, HASH_SIZE + 1])
def test_a_root_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="Expected a size and a root of 32 bytes"):
        Checkpoint(origin="log.example.com", size=1, root=bytes(length))
