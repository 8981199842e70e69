from __future__ import annotations

import random
import socket
import struct
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.documents.extraction_record import to_record
from spanproof.core.errors import IntegrityError
from spanproof.ingest import extract
from spanproof.ingest.cage.exchange import Channel
from spanproof.ingest.cage.extraction_parts import from_parts, to_parts
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = [PageSpec(content=text_at(72, 700, f"Page {number}")) for number in range(1, 4)]
READ = extract(build_pdf(*PAGES))


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    """A channel and the bare other end."""
    ours, theirs = socket.socketpair()
    with theirs:
        channel = Channel(ours)
        yield channel, theirs
        channel.close()


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1))
def test_a_text_crosses_unchanged(text: str) -> None:
    read = extract(text.encode(), filename="x.txt", media_type="text/plain; charset=utf-8")
    assert to_record(from_parts(to_parts(read))) == to_record(read)


def test_what_is_stored_is_the_same_whether_it_crossed_or_not() -> None:
    assert to_record(from_parts(to_parts(READ))) == to_record(READ)


def test_parts_that_were_tampered_with_are_refused_or_whole() -> None:
    parts = to_parts(READ)
    rng = random.Random(7)  # noqa: S311 - the same damage every time
    for _ in range(300):
        forged = list(parts)
        which = rng.randrange(len(forged))
        part = bytearray(forged[which])
        if rng.random() < 0.5:
            part[rng.randrange(len(part))] ^= 1 << rng.randrange(8)
        else:
            del part[rng.randrange(len(part)) :]
        forged[which] = bytes(part)
        try:
            to_record(from_parts(forged))
        except (IntegrityError, ValueError):
            continue


def test_a_missing_column_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        from_parts(to_parts(READ)[:-1])


@pytest.mark.parametrize(
    "wire",
    [
        struct.pack("!I", 2) + b"[]",
        struct.pack("!I", 2) + b"{}",
        struct.pack("!I", 13) + b'{"sizes":[-1]}'[:13],
        struct.pack("!I", 14) + b'{"sizes":[-1]}',
        struct.pack("!I", 16) + b'{"sizes":[true]}',
        struct.pack("!I", 18) + b'{"sizes":[999999]}',
        struct.pack("!I", 0xFFFFFFFF),
        struct.pack("!I", 100_000) + b"[" * 100_000,
        struct.pack("!I", 4) + b"\xff\xff\xff\xff",
    ],
)
def test_a_forged_head_is_refused(ends: tuple[Channel, socket.socket], wire: bytes) -> None:
    channel, theirs = ends
    theirs.sendall(wire)
    with pytest.raises(ValueError, match=r"."):
        channel.receive(most=1000, until=time.monotonic() + 5)


def test_a_claimed_length_alone_takes_no_memory_and_no_longer_than_allowed(
    ends: tuple[Channel, socket.socket],
) -> None:
    channel, theirs = ends
    head = b'{"sizes":[1073741824]}'
    theirs.sendall(struct.pack("!I", len(head)) + head + b"x")
    # The kernel's own peak is set back: what came before in this process says nothing.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before, began = _peak_kib(), time.monotonic()
    with pytest.raises(TimeoutError):
        channel.receive(most=1 << 30, until=began + 0.2)
    assert time.monotonic() - began < 2
    assert _peak_kib() - before < 64 * 1024


def _peak_kib() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1])


def test_an_end_in_the_middle_is_told(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    theirs.sendall(struct.pack("!I", 100) + b"{")
    theirs.close()
    with pytest.raises(EOFError):
        channel.receive(most=0, until=time.monotonic() + 5)
