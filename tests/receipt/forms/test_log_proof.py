"""Log proofs: the text of tlog-proof, read as it was written and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedNoteError
from spanproof.core.log.checkpoint import Checkpoint, IncludedLeaf, LoggedLeaf
from spanproof.core.log.merkle import MAX_SIZE, compute_root, hash_leaf, prove_inclusion
from spanproof.receipt.forms.log_proof import (
    MAX_EXTRA_BYTES,
    MAX_HASHES,
    MAX_PROOF_BYTES,
    LogProof,
    make_log_proof,
    parse_log_proof,
    write_log_proof,
)
from spanproof.receipt.forms.signed_note import parse_note, write_note
from spanproof.receipt.keys.signing_keys import LocalLogKey
from spanproof.receipt.witness.cosignature import LocalCosigner

KEY = LocalLogKey.generate("log.example.com")
LEAVES = [hash_leaf(bytes([index])) for index in range(40)]


def prove(index: int, size: int, key: LocalLogKey = KEY) -> LogProof:
    def read(level: int, at: int) -> bytes:
        return compute_root(LEAVES[at << level : (at + 1) << level])

    checkpoint = Checkpoint(origin=key.origin, size=size, root=compute_root(LEAVES[:size]))
    included = IncludedLeaf(
        leaf=LoggedLeaf(origin=key.origin, index=index, leaf_hash=LEAVES[index]),
        checkpoint=checkpoint,
        note=key.sign(checkpoint),
        proof=prove_inclusion(read, index, size),
    )
    return make_log_proof(included)


@given(data=st.data())
def test_what_is_written_is_read_again(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(LEAVES)))
    index = data.draw(st.integers(0, size - 1))
    proof = replace(prove(index, size), extra=data.draw(st.binary(max_size=40)))
    text = write_log_proof(proof)
    assert parse_log_proof(text) == parse_log_proof(text.encode()) == proof


def test_a_proof_is_as_long_as_it_may_be_and_no_longer() -> None:
    proof = prove(2, 3)
    most = replace(proof, hashes=(bytes(32),) * MAX_HASHES)
    assert parse_log_proof(write_log_proof(most)) == most
    with pytest.raises(ValueError, match="at most 63 hashes"):
        write_log_proof(replace(proof, hashes=(bytes(32),) * 64))
    # Lines of keys that nobody knows make a note longer: the proof ends where its note does.
    head = write_log_proof(proof).partition("\n\n")[0]
    over = f"{head}\n\n{'x' * MAX_PROOF_BYTES}"
    for size in (MAX_PROOF_BYTES, MAX_PROOF_BYTES + 1):
        with pytest.raises(MalformedNoteError) as caught:
            parse_log_proof(over[:size])
        said = caught.value.message.startswith("Expected a log proof of at most")
        assert said == (size > MAX_PROOF_BYTES)


def test_the_text_is_that_of_the_specification() -> None:
    proof = replace(prove(2, 3), extra=b"extra!")
    lines = write_log_proof(proof).split("\n")
    assert lines[:3] == ["c2sp.org/tlog-proof@v1", "extra ZXh0cmEh", "index 2"]
    assert len(lines[3]) == 44
    assert lines[4:7] == ["", "log.example.com", "3"]
    assert lines[8] == ""
    assert lines[9].startswith("— log.example.com ")
    assert lines[10:] == [""]
    assert write_log_proof(prove(0, 1)).startswith("c2sp.org/tlog-proof@v1\nindex 0\n\nlog.ex")


def test_a_cosigned_head_stands_in_a_proof() -> None:
    proof = prove(3, 9)
    note = parse_note(proof.note)
    line = LocalCosigner.generate("w").cosign(note.text, 10)
    cosigned = replace(proof, note=write_note(note.text, [*note.signatures, line]))
    assert parse_log_proof(write_log_proof(cosigned)) == cosigned


NOTE = prove(0, 1).note
HASH = "gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ="


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "c2sp.org/tlog-proof@v1",
        "c2sp.org/tlog-proof@v1\n\n",
        f"c2sp.org/tlog-proof@v1\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v2\nindex 0\n\n{NOTE}",
        f"\nc2sp.org/tlog-proof@v1\nindex 0\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\r\nindex 0\r\n\r\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nextra AAAA\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nextra \nindex 0\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nextra\nindex 0\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nextra AAAB=\nindex 0\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nextra AAAA\nextra AAAA\nindex 0\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex 0\nextra AAAA\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex 00\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex -1\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex  1\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex ١\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex {MAX_SIZE}\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex 0\nindex 0\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex 0\n{HASH[:-2]}R=\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex 0\n{HASH}AAAA\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex 0\nAAAA\n\n{NOTE}",
        "c2sp.org/tlog-proof@v1\nindex 0\n" + f"{HASH}\n" * (MAX_HASHES + 1) + f"\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex 0\n\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex 0\n{NOTE}",
        f"c2sp.org/tlog-proof@v1\nindex 0\n\n{NOTE[:-1]}",
        f"c2sp.org/tlog-proof@v1\nindex 0\n\n{NOTE}\n",
        "c2sp.org/tlog-proof@v1\nindex 0\n\nno head\n\n— a AAAAAAA=\n",
        b"c2sp.org/tlog-proof@v1\nindex 0\n\n\xff" + NOTE.encode(),
        "x" * (MAX_PROOF_BYTES + 1),
    ],
)
def test_nothing_else_is_a_proof(raw: str | bytes) -> None:
    with pytest.raises(MalformedNoteError, match="Expected") as caught:
        parse_log_proof(raw)
    assert caught.value.hint


def test_an_extra_that_is_too_long_is_malformed() -> None:
    proof = prove(0, 1)
    assert parse_log_proof(write_log_proof(replace(proof, extra=bytes(MAX_EXTRA_BYTES)))).extra
    with pytest.raises(MalformedNoteError, match="1 to 65536 bytes"):
        parse_log_proof(write_log_proof(replace(proof, extra=bytes(MAX_EXTRA_BYTES + 1))))


@given(
    raw=st.one_of(st.text(), st.binary(), st.text("c2sp.org/tlog-proof@v1\nindex 0—", max_size=60))
)
def test_whatever_is_given_is_a_proof_or_malformed(raw: str | bytes) -> None:
    with pytest.raises(MalformedNoteError):
        parse_log_proof(raw)


def test_a_proof_that_nobody_could_read_is_not_written() -> None:
    proof = prove(0, 1)
    with pytest.raises(ValueError, match="Expected an index below"):
        write_log_proof(replace(proof, index=MAX_SIZE))
    with pytest.raises(ValueError, match="Expected an index below"):
        write_log_proof(replace(proof, index=-1))
    with pytest.raises(ValueError, match="at most 63 hashes"):
        write_log_proof(replace(proof, hashes=(bytes(32),) * (MAX_HASHES + 1)))
