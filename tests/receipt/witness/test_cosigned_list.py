"""A witness's list of what it cosigned."""

from __future__ import annotations

import pytest

from spanproof.core.errors import MalformedNoteError
from spanproof.receipt.witness.cosigned_list import CosignedHead, parse_list, write_head


def make_head(size: int, time: int) -> CosignedHead:
    return CosignedHead(size, time.to_bytes(8, "big") + bytes([size]) * 64)


HEADS = tuple(make_head(size, time) for size, time in ((3, 10), (3, 11), (7, 11), (9, 20)))
RAW = b"log.example.com\n" + "".join(map(write_head, HEADS)).encode()


def test_a_list_reads_back_as_it_was_written() -> None:
    found = parse_list(RAW)
    assert (found.origin, found.heads) == ("log.example.com", HEADS)


def test_the_first_head_above_a_leaf_is_the_first_that_was_cosigned() -> None:
    found = parse_list(RAW)
    assert [found.find_first_above(index) for index in (0, 2, 3, 6, 7, 8, 9)] == [
        HEADS[0],
        HEADS[0],
        HEADS[2],
        HEADS[2],
        HEADS[3],
        HEADS[3],
        None,
    ]


@pytest.mark.parametrize(
    "lines",
    [
        [make_head(7, 10), make_head(3, 11)],
        [make_head(3, 11), make_head(7, 10)],
    ],
)
def test_a_list_out_of_order_is_none(lines: list[CosignedHead]) -> None:
    with pytest.raises(MalformedNoteError, match="only grow"):
        parse_list(b"log.example.com\n" + "".join(map(write_head, lines)).encode())


@pytest.mark.parametrize(
    "line", [b"", b"3", b"03 " + b"A" * 96, b"3 " + b"A" * 95, b"3 " + b"!" * 96, b"\xff"]
)
def test_a_line_that_is_none_is_refused(line: bytes) -> None:
    with pytest.raises(MalformedNoteError, match="Expected"):
        parse_list(RAW + line + b"\n")
