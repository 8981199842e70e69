"""The witness's rules: every answer of tlog-witness, and that no two histories are cosigned."""

from __future__ import annotations

import threading

import pytest

from spanproof.core.errors import LogStoppedError
from spanproof.core.json_reader.base64_text import encode_base64
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import EMPTY_ROOT, compute_root, hash_leaf
from spanproof.receipt.forms.signed_note import Signature, parse_note, write_note
from spanproof.receipt.keys.signing_keys import LocalLogKey
from spanproof.receipt.witness.cosignature import LocalCosigner, find_cosignatures
from spanproof.receipt.witness.cosigning import (
    SIZE_TYPE,
    CosignRequest,
    Witness,
    read_answer,
    read_seen,
)
from tests.receipt.witnesses import (
    COSIGNER,
    LOG,
    MOST,
    NOW,
    History,
    MemoryStore,
    ask,
    make_witness,
    make_witness_at,
)


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
