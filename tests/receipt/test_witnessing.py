"""The witness's rules: every answer of tlog-witness, and that no two histories are cosigned."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.checkpoint import Checkpoint
from core.errors import LogDamagedError, LogStoppedError, MalformedNoteError, NoteSignatureError
from core.merkle import (
    EMPTY_ROOT,
    MAX_SIZE,
    compute_root,
    hash_leaf,
    prove_consistency,
    read_root,
)
from receipt.base64_text import encode_base64
from receipt.cosignature import LocalCosigner, find_cosignatures
from receipt.keys import LocalLogKey
from receipt.note import Signature, parse_note, write_line, write_note
from receipt.witnessing import (
    MAX_PROOF_LINES,
    MAX_REQUEST_BYTES,
    SIZE_TYPE,
    CosignRequest,
    SeenHead,
    Witness,
    WitnessAnswer,
    parse_request,
    read_answer,
    read_seen,
    write_request,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOG = LocalLogKey.generate("log.example.com")
COSIGNER = LocalCosigner.generate("witness.example")
MOST = 80
NOW = 1_700_000_000


@dataclass(eq=False)
class MemoryStore:
    """The last heads in memory; ``fail`` stands for a disk that is full."""

    heads: dict[str, SeenHead] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    fail: bool = False

    @contextmanager
    def hold(self, origin: str) -> Iterator[MemoryHeld]:
        with self.lock:
            yield MemoryHeld(self, origin)


@dataclass(frozen=True, eq=False)
class MemoryHeld:
    store: MemoryStore
    origin: str

    @property
    def seen(self) -> SeenHead | None:
        return self.store.heads.get(self.origin)

    def keep(self, head: SeenHead) -> None:
        if self.store.fail:
            raise LogStoppedError("Expected to keep it, got ENOSPC.", hint="Mend it.")
        self.store.heads[self.origin] = head


class History:
    """A log's leaves, its heads and its proofs."""

    def __init__(self, name: str = "leaf", *, like: int = 0, key: LocalLogKey = LOG) -> None:
        # The first ``like`` leaves are those of every history.
        words = [("leaf" if at < like else name, at) for at in range(MOST)]
        self.leaves = [hash_leaf(f"{word} {at}".encode()) for word, at in words]
        self.key = key
        self._nodes: dict[tuple[int, int], bytes] = {}

    def head(self, size: int) -> str:
        root = read_root(self._read, size)
        return self.key.sign(Checkpoint(origin=self.key.origin, size=size, root=root))

    def request(self, old: int, new: int) -> CosignRequest:
        hashes = prove_consistency(self._read, old, new).hashes if 0 < old <= new else ()
        return CosignRequest(old_size=old, hashes=hashes, note=self.head(new))

    def _read(self, level: int, at: int) -> bytes:
        if (level, at) not in self._nodes:
            self._nodes[level, at] = compute_root(self.leaves[at << level : (at + 1) << level])
        return self._nodes[level, at]


def make_witness(
    store: MemoryStore | None = None, clock: Callable[[], int] = lambda: NOW
) -> Witness:
    return Witness(
        cosigner=COSIGNER,
        logs={LOG.origin: [LOG.verifier]},
        store=store or MemoryStore(),
        clock=clock,
    )


def ask(witness: Witness, request: CosignRequest) -> WitnessAnswer:
    return witness.add_checkpoint(write_request(request))


def make_witness_at(size: int, store: MemoryStore | None = None) -> Witness:
    """A witness that has cosigned the first ``size`` leaves of the usual history."""
    witness = make_witness(store)
    if size:
        assert ask(witness, History().request(0, size)).status == 200
    return witness


def test_a_log_that_only_grows_is_cosigned() -> None:
    witness, old = make_witness(), 0
    for new in (0, 0, 1, 1, 2, 3, 7, 8, 8, 64, MOST):
        request = History().request(old, new)
        answer = ask(witness, request)
        assert answer.status == 200
        assert answer.media_type == "text/plain; charset=utf-8"
        line = read_answer(answer.body, parse_note(request.note), COSIGNER.verifier)
        assert line.content[:8] == NOW.to_bytes(8, "big")
        old = new


def test_what_is_kept_is_the_head_with_both_signatures() -> None:
    store = MemoryStore()
    make_witness_at(5, store)
    kept = store.heads[LOG.origin]
    note = parse_note(kept.note)
    assert [each.name for each in note.signatures] == [LOG.origin, COSIGNER.name]
    assert find_cosignatures(note, [COSIGNER.verifier])[0].timestamp == kept.timestamp == NOW
    assert read_seen(kept.note.encode(), COSIGNER.verifier) == kept


def test_lines_of_others_are_ignored_and_not_kept() -> None:
    store = MemoryStore()
    request = History().request(0, 5)
    note = parse_note(request.note)
    other = LocalCosigner.generate("other").cosign(note.text, 5)
    joined = write_note(note.text, [other, *note.signatures, other])
    answer = ask(make_witness(store), CosignRequest(old_size=0, hashes=(), note=joined))
    assert answer.status == 200
    names = [each.name for each in parse_note(store.heads[LOG.origin].note).signatures]
    assert names == [LOG.origin, COSIGNER.name]


def test_extension_lines_are_signed_too() -> None:
    root = encode_base64(compute_root(History().leaves[:3]))
    text = f"{LOG.origin}\n3\n{root}\nan extension\n"
    line = Signature(
        name=LOG.origin,
        key_id=LOG.verifier.key_id,
        content=LOG.private.sign(text.encode()),
    )
    note = write_note(text, [line])
    answer = ask(make_witness(), CosignRequest(old_size=0, hashes=(), note=note))
    assert answer.status == 200
    assert read_answer(answer.body, parse_note(note), COSIGNER.verifier).name == COSIGNER.name


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


def test_an_unknown_log_is_404() -> None:
    stranger = LocalLogKey.generate("else.example.com")
    answer = ask(make_witness(), History(key=stranger).request(0, 3))
    assert answer.status == 404


def test_a_head_that_its_log_did_not_sign_is_403() -> None:
    impostor = LocalLogKey.generate(LOG.origin)
    assert ask(make_witness(), History(key=impostor).request(0, 3)).status == 403
    note = parse_note(History().head(3))
    false = Signature(name=LOG.origin, key_id=LOG.verifier.key_id, content=bytes(64))
    for lines in ([false], [*note.signatures, false]):
        raw = write_note(note.text, lines)
        answer = ask(make_witness(), CosignRequest(old_size=0, hashes=(), note=raw))
        assert answer.status == 403
    # The signature is judged before the sizes: nobody learns what an unsigned head would get.
    request = CosignRequest(old_size=9, hashes=(), note=write_note(note.text, [false]))
    assert ask(make_witness(), request).status == 403


def test_another_old_size_is_409_with_the_one_that_is_known() -> None:
    for old in (1, 3):
        answer = ask(make_witness(), History().request(old, 3))
        assert (answer.status, answer.media_type, answer.body) == (409, SIZE_TYPE, b"0\n")
    witness = make_witness_at(5)
    for old, new in ((0, 5), (0, 9), (4, 9), (6, 9), (4, 4), (0, 0), (1, 5)):
        answer = ask(witness, History().request(old, new))
        assert (answer.status, answer.media_type, answer.body) == (409, SIZE_TYPE, b"5\n")


def test_the_empty_tree_has_one_root() -> None:
    root = hash_leaf(b"")
    note = LOG.sign(Checkpoint(origin=LOG.origin, size=0, root=root))
    assert ask(make_witness(), CosignRequest(old_size=0, hashes=(), note=note)).status == 422
    note = LOG.sign(Checkpoint(origin=LOG.origin, size=0, root=EMPTY_ROOT))
    assert ask(make_witness(), CosignRequest(old_size=0, hashes=(), note=note)).status == 200


def test_a_refusal_says_why_in_one_line() -> None:
    witness = make_witness_at(5)
    strange = History(key=LocalLogKey.generate("other.example.com"))
    empty = LOG.sign(Checkpoint(origin=LOG.origin, size=0, root=bytes(32)))
    proofless = CosignRequest(old_size=5, hashes=(), note=History().head(7))
    for asked, request, words in (
        (
            make_witness(),
            strange.request(0, 3),
            b"Expected the head of a log that this witness knows.\n",
        ),
        (
            make_witness(),
            CosignRequest(old_size=0, hashes=(), note=empty),
            b"Expected the root of the empty tree above no leaves, got another.\n",
        ),
        (
            make_witness(),
            CosignRequest(old_size=0, hashes=(bytes(32),), note=History().head(3)),
            b"Expected no proof from an empty tree, got one.\n",
        ),
        (
            witness,
            History("fork").request(5, 5),
            b"Expected the root that was cosigned for 5 leaves, got another.\n",
        ),
        (witness, proofless, b"Expected a proof from 5 leaves to 7, got none.\n"),
        (
            witness,
            CosignRequest(old_size=5, hashes=(bytes(32),), note=History().head(5)),
            b"Expected a proof from 5 leaves to 5, got none.\n",
        ),
    ):
        assert ask(asked, request).body == words


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


def test_a_proof_from_nothing_is_422() -> None:
    for size in (0, 1, 3):
        request = CosignRequest(old_size=0, hashes=(bytes(32),), note=History().head(size))
        assert ask(make_witness(), request).status == 422


@pytest.mark.parametrize("change", ["missing", "longer", "flipped", "swapped"])
def test_a_proof_that_does_not_lead_there_is_422(change: str) -> None:
    store = MemoryStore()
    witness = make_witness_at(5, store)
    good = History().request(5, 11)
    hashes = {
        "missing": good.hashes[1:],
        "longer": (*good.hashes, bytes(32)),
        "flipped": (bytes(32), *good.hashes[1:]),
        "swapped": good.hashes[::-1],
    }[change]
    answer = ask(witness, CosignRequest(old_size=5, hashes=hashes, note=good.note))
    assert answer.status == 422
    assert store.heads[LOG.origin].checkpoint.size == 5
    assert ask(witness, good).status == 200


def test_the_same_size_needs_the_same_root_and_no_proof() -> None:
    witness = make_witness_at(5)
    assert ask(witness, History("fork").request(5, 5)).status == 422
    request = CosignRequest(old_size=5, hashes=(bytes(32),), note=History().head(5))
    assert ask(witness, request).status == 422
    assert ask(witness, History().request(5, 5)).status == 200


@pytest.mark.parametrize("size", range(1, 65))
def test_a_fork_at_every_size_is_409_or_422(size: int) -> None:
    """THREATS 3: two histories that part at this leaf; whichever comes second is refused."""
    store = MemoryStore()
    witness = make_witness_at(size, store)
    kept = store.heads[LOG.origin]
    fork, usual = History("fork", like=size - 1), History()
    for new in (max(size - 2, 0), size, size + 1, size + 8):
        for old in {0, 1, size - 1, size}:
            answer = ask(witness, fork.request(old, new))
            if old > new:
                assert answer.status == 400
                continue
            assert answer.status == (422 if old == size else 409)
            assert COSIGNER.name.encode() not in answer.body
            # With the honest proof below the forked head, too.
            honest = usual.request(old, new).hashes
            mixed = CosignRequest(old_size=old, hashes=honest, note=fork.head(new))
            assert ask(witness, mixed).status == (422 if old == size else 409)
    assert store.heads[LOG.origin] == kept


def test_a_truncated_log_is_never_cosigned_again() -> None:
    witness = make_witness_at(40)
    for new in range(40):
        answer = ask(witness, History().request(new, new))
        assert (answer.status, answer.body) == (409, b"40\n")
        assert (
            ask(witness, CosignRequest(old_size=40, hashes=(), note=History().head(new))).status
            == 400
        )


def test_a_clock_that_went_back_cosigns_nothing() -> None:
    moments = iter([NOW, NOW - 1, NOW])
    store = MemoryStore()
    witness = make_witness(store, clock=lambda: next(moments))
    assert ask(witness, History().request(0, 3)).status == 200
    assert ask(witness, History().request(3, 5)).status == 503
    assert store.heads[LOG.origin].checkpoint.size == 3
    assert ask(witness, History().request(3, 5)).status == 200


def test_what_could_not_be_kept_is_not_answered() -> None:
    store = MemoryStore()
    witness = make_witness_at(3, store)
    store.fail = True
    with pytest.raises(LogStoppedError):
        ask(witness, History().request(3, 5))
    assert store.heads[LOG.origin].checkpoint.size == 3


def test_logs_are_watched_apart_and_a_changed_key_goes_on() -> None:
    other, renewed = LocalLogKey.generate("other.example.com"), LocalLogKey.generate(LOG.origin)
    store = MemoryStore()
    witness = Witness(
        cosigner=COSIGNER,
        logs={LOG.origin: [LOG.verifier, renewed.verifier], other.origin: [other.verifier]},
        store=store,
        clock=lambda: NOW,
    )
    assert ask(witness, History().request(0, 7)).status == 200
    assert ask(witness, History(key=other).request(0, 3)).status == 200
    assert ask(witness, History(key=renewed).request(7, 9)).status == 200
    assert {each.checkpoint.size for each in store.heads.values()} == {3, 9}


def test_of_many_at_once_each_head_extends_the_one_before() -> None:
    store = MemoryStore()
    witness = make_witness(store)
    answers: list[tuple[int, int]] = []

    def climb(start: int) -> None:
        known = 0
        while known < 60:
            new = min(known + start, 60)
            answer = ask(witness, History().request(known, new))
            if answer.status == 200:
                answers.append((known, new))
                known = new
            else:
                assert answer.status == 409
                known = int(answer.body)

    threads = [threading.Thread(target=climb, args=(step,)) for step in (1, 2, 3, 5, 7, 11)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.heads[LOG.origin].checkpoint.size == 60
    # Each cosigned step starts where another ended: the sizes are one chain, never two.
    starts = [old for old, new in answers if new > old]
    assert len(starts) == len(set(starts))


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
