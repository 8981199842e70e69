"""What is sent to a witness and read of its answer, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import LogDamagedError, MalformedNoteError, NoteSignatureError
from spanproof.core.json_reader.base64_text import encode_base64
from spanproof.core.log.merkle import MAX_SIZE
from spanproof.receipt.forms.signed_note import Signature, parse_note, write_line, write_note
from spanproof.receipt.witness.cosignature import LocalCosigner
from spanproof.receipt.witness.cosigning import (
    MAX_PROOF_LINES,
    MAX_REQUEST_BYTES,
    CosignRequest,
    parse_request,
    read_answer,
    read_seen,
    write_request,
)
from tests.receipt.witnesses import COSIGNER, History, MemoryStore, ask, make_witness

GOOD = write_request(History().request(0, 3))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n",
        b"old 0\n",
        b"old 0\n\n",
        GOOD[1:],
        GOOD[:-1],
        GOOD.replace(b"old 0", b"old 00"),
        GOOD.replace(b"old 0", b"old -0"),
        GOOD.replace(b"old 0", b"old  0"),
        GOOD.replace(b"old 0", b"old 0\r"),
        GOOD.replace(b"old 0", b"new 0"),
        GOOD.replace(b"old 0", b"old \xd9\xa0"),
        GOOD.replace(b"old 0", b"old 0\n"),
        GOOD.replace(b"old 0", b"old 0\nAAAA"),
        GOOD.replace(b"old 0", b"old 0\n" + encode_base64(bytes(33)).encode()),
        GOOD.replace(b"old 0", b"old 0\n" + encode_base64(bytes(32)).encode()[:-2] + b"B="),
        GOOD.replace(
            b"old 0", b"old 0" + (b"\n" + encode_base64(bytes(32)).encode()) * (MAX_PROOF_LINES + 1)
        ),
        GOOD.replace(b"old 0", b"old %d" % (MAX_SIZE + 1)),
        GOOD.replace(b"\n3\n", b"\n03\n"),
        GOOD.replace(b"\n3\n", b"\nx\n"),
        GOOD.replace(b"log.example.com\n3", b"\xff\n3"),
        GOOD + b"x" * MAX_REQUEST_BYTES,
        # An old size above the head's, from the log's own key.
        GOOD.replace(b"old 0", b"old 4"),
    ],
)
def test_a_request_that_is_none_is_400(raw: bytes) -> None:
    store = MemoryStore()
    assert make_witness(store).add_checkpoint(raw).status == 400
    assert not store.heads


def test_a_request_is_as_long_as_it_may_be_and_no_longer() -> None:
    for lines, is_read in ((63, True), (64, False)):
        raw = write_request(CosignRequest(old_size=5, hashes=(bytes(32),) * lines, note="note"))
        if is_read:
            assert len(parse_request(raw).hashes) == lines
            continue
        with pytest.raises(MalformedNoteError, match="at most 63 hashes"):
            parse_request(raw)
    assert parse_request(b"old %d\n\nnote" % (2**63 - 1)).old_size == 2**63 - 1
    with pytest.raises(MalformedNoteError, match="Expected 'old SIZE'"):
        parse_request(b"old %d\n\nnote" % 2**63)
    whole = b"old 5\n\n".ljust(MAX_REQUEST_BYTES, b"x")
    assert len(parse_request(whole).note) == MAX_REQUEST_BYTES - 7
    with pytest.raises(MalformedNoteError, match=f"got {MAX_REQUEST_BYTES + 1}"):
        parse_request(whole + b"x")


@given(
    old_size=st.integers(0, MAX_SIZE),
    hashes=st.lists(st.binary(min_size=32, max_size=32), max_size=MAX_PROOF_LINES).map(tuple),
)
def test_requests_go_there_and_back(old_size: int, hashes: tuple[bytes, ...]) -> None:
    request = CosignRequest(old_size=old_size, hashes=hashes, note=History().head(3))
    assert parse_request(write_request(request)) == request


def test_the_request_is_that_of_the_specification() -> None:
    request = CosignRequest(old_size=20852014, hashes=(bytes(32),), note="a\n\n— a AAAAAAA=\n")
    assert write_request(request).decode() == (
        "old 20852014\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\na\n\n— a AAAAAAA=\n"
    )


@given(raw=st.binary())
def test_whatever_is_sent_is_answered(raw: bytes) -> None:
    assert make_witness().add_checkpoint(raw).status == 400


def test_an_answer_is_taken_from_the_witness_alone() -> None:
    request = History().request(0, 5)
    note = parse_note(request.note)
    body = ask(make_witness(), request).body
    other = LocalCosigner.generate("other")
    joined = write_line(other.cosign(note.text, 4)).encode() + body
    assert read_answer(joined, note, COSIGNER.verifier).name == COSIGNER.name
    with pytest.raises(NoteSignatureError, match="Expected a cosignature of 'third', got none"):
        read_answer(body, note, LocalCosigner.generate("third").verifier)
    with pytest.raises(NoteSignatureError, match="got one that is not"):
        read_answer(body, parse_note(History().head(6)), COSIGNER.verifier)
    for malformed in (b"", b"\xff", b"\n", body[:-1], body + b"\n", b"<html>"):
        with pytest.raises(MalformedNoteError):
            read_answer(malformed, note, COSIGNER.verifier)


def test_a_kept_head_that_is_not_ours_is_damage() -> None:
    with pytest.raises(LogDamagedError, match="got one without its line"):
        read_seen(History().head(5).encode(), COSIGNER.verifier)
    note = parse_note(History().head(5))
    false = Signature(name=COSIGNER.name, key_id=COSIGNER.verifier.key_id, content=bytes(72))
    for raw in (b"", b"\xff", write_note(note.text, [false]).encode()):
        with pytest.raises(
            LogDamagedError, match=r"Expected a head that 'witness\.example' cosigned"
        ):
            read_seen(raw, COSIGNER.verifier)
