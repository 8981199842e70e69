"""What the auditor holds is another than what the receipt is about, or no longer good."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from spanproof.receipt.check.report import CheckOutcome, Question
from tests.receipt.attacks.register import Evidence, Register
from tests.receipt.samples import (
    VALID_FROM,
    cosign,
    make_cosigner,
    make_trust,
    to_bytes,
    to_trust_bytes,
)
from tests.receipt.statements import (
    ANSWER,
    CANONICAL,
    MOMENT,
    SENTENCE,
    SOURCE,
    digest,
    encode,
    make_document,
    make_verdict,
    sha256,
    to_text,
)

if TYPE_CHECKING:
    from tests.receipt.attacks.register import Bundle
    from tests.receipt.attacks.scene import Scene

_REGISTER = Register()
ATTACKS = _REGISTER.attacks
_add = _REGISTER.add
_SIGNATURE = (CheckOutcome.FAILED, Question.SIGNATURE)
_LOG = (CheckOutcome.FAILED, Question.LOG)
_TIME = (CheckOutcome.FAILED, Question.TIME)
_ANSWER = (CheckOutcome.FAILED, Question.ANSWER)
_DOCUMENT = (CheckOutcome.FAILED, Question.DOCUMENT)
_SPAN = (CheckOutcome.FAILED, Question.SPAN)
HOUR = timedelta(hours=1)
_ENDED = {"start": to_text(VALID_FROM), "end": to_text(MOMENT - HOUR)}


@_add(*_SIGNATURE)
def trust_file_of_another_issuer(scene: Scene, bundle: Bundle) -> Evidence:
    """A trust file that names neither this key nor this log."""
    del bundle
    return Evidence(trust=to_trust_bytes(scene.thief))


@_add(*_SIGNATURE)
def trust_file_expired(scene: Scene, bundle: Bundle) -> Evidence:
    """A trust file that was to be fetched anew: what was revoked since, it cannot say."""
    del bundle
    return Evidence(trust=to_trust_bytes(scene.issuer, expires_at=to_text(MOMENT - HOUR)))


@_add(*_SIGNATURE)
def key_expired(scene: Scene, bundle: Bundle) -> Evidence:
    """The key was out of use when the receipt says that it was issued."""
    del bundle
    trust = make_trust([scene.issuer.key], [scene.issuer.log.key])
    trust["signing_keys"][0]["valid_for"] = _ENDED
    return Evidence(trust=json.dumps(trust).encode())


@_add(*_LOG)
def log_key_expired(scene: Scene, bundle: Bundle) -> Evidence:
    """The log's key was out of use when the receipt says that it was issued."""
    del bundle
    trust = make_trust([scene.issuer.key], [scene.issuer.log.key])
    trust["trusted_root"]["tlogs"][0]["publicKey"]["validFor"] = _ENDED
    return Evidence(trust=json.dumps(trust).encode())


@_add(*_SIGNATURE)
def key_not_yet_in_use(scene: Scene, bundle: Bundle) -> Evidence:
    """The key came into use after the receipt says that it was issued."""
    del bundle
    trust = make_trust(
        [scene.issuer.key], [scene.issuer.log.key], start=MOMENT + HOUR, end=MOMENT + 2 * HOUR
    )
    return Evidence(trust=json.dumps(trust).encode())


@_add(*_SIGNATURE)
def key_revoked_below_the_leaf(scene: Scene, bundle: Bundle) -> Evidence:
    """The key was lost before a witness saw this leaf: whatever time it says, a thief may say."""
    del bundle
    return _revoke(scene, scene.issuer.key.key_id, scene.receipt.included.leaf.index)


@_add(*_LOG)
def log_key_revoked(scene: Scene, bundle: Bundle) -> Evidence:
    """The log's key was lost before this head."""
    del bundle
    log_id = encode(scene.issuer.log.key.verifier.log_id)
    return _revoke(scene, log_id, scene.receipt.included.checkpoint.size - 1)


@_add(CheckOutcome.MALFORMED)
def trust_file_with_a_key_twice(scene: Scene, bundle: Bundle) -> Evidence:
    """One key with two windows: which of them counts?"""
    del bundle
    trust = json.loads(scene.trust)
    trust["signing_keys"].append(trust["signing_keys"][0])
    return Evidence(trust=json.dumps(trust).encode())


@_add(CheckOutcome.MALFORMED)
def trust_file_without_signing_keys(scene: Scene, bundle: Bundle) -> Evidence:
    """A bare TrustedRoot has no place for the keys that sign statements."""
    del bundle
    return Evidence(trust=json.dumps(json.loads(scene.trust)["trusted_root"]).encode())


@_add(CheckOutcome.MALFORMED)
def trust_file_with_a_broken_witness_policy(scene: Scene, bundle: Bundle) -> Evidence:
    """A quorum of witnesses that the policy does not name: nobody could ever meet it."""
    del bundle
    return Evidence(trust=to_trust_bytes(scene.issuer, witness_policy="quorum nobody\n"))


@_add(*_DOCUMENT)
def source_of_another_version(scene: Scene, bundle: Bundle) -> Evidence:
    """The document, with one digit changed."""
    del scene, bundle
    return Evidence(files={"source.txt": SOURCE.replace(b"four", b"five")})


@_add(*_DOCUMENT)
def source_with_other_line_ends(scene: Scene, bundle: Bundle) -> Evidence:
    """The document as a mail gateway delivers it."""
    del scene, bundle
    return Evidence(files={"source.txt": SOURCE.replace(b"\n", b"\r\n")})


@_add(CheckOutcome.NOT_CHECKED, Question.DOCUMENT)
def source_supplied_and_not_cited(scene: Scene, bundle: Bundle) -> Evidence:
    """A document that came with the answer: no citation and no verdict is about it."""
    del bundle
    other = b"Terms that nothing cites.\n"
    listed = make_document() | {
        "doc_hash": digest(other),
        "doc_ids": [],
        "byte_length": len(other),
        "canonical_texts": [],
    }
    receipt = scene.issue(documents=[make_document(), listed])
    return Evidence(
        receipt=to_bytes(receipt),
        files={"source.txt": other, "witness-head.txt": scene.cosign_head().encode()},
    )


@_add(*_ANSWER)
def answer_of_another_receipt(scene: Scene, bundle: Bundle) -> Evidence:
    """A good receipt beside an answer that it is not of: one word is another."""
    del scene, bundle
    return Evidence(files={"answer.txt": ANSWER.replace("four", "five").encode()})


@_add(*_SPAN)
def text_of_another_document(scene: Scene, bundle: Bundle) -> Evidence:
    """A canonical text that the receipt does not name."""
    del scene, bundle
    return Evidence(files={"canonical.txt": f"{CANONICAL}.".encode()})


@_add(*_SPAN)
def text_in_another_encoding(scene: Scene, bundle: Bundle) -> Evidence:
    """The canonical text in UTF-16."""
    del scene, bundle
    return Evidence(files={"canonical.txt": CANONICAL.encode("utf-16-le")})


@_add(*_SPAN)
def span_moved_by_one(scene: Scene, bundle: Bundle) -> Evidence:
    """The issuer signed offsets at which its own text says other words than it signed."""
    verdict = make_verdict()
    verdict["existence"]["char_start"] -= 1
    verdict["existence"]["char_end"] -= 1
    return _signed(scene, bundle, verdict)


@_add(*_SPAN)
def span_counted_in_utf16(scene: Scene, bundle: Bundle) -> Evidence:
    """The issuer counted UTF-16 units where the receipt says code points."""
    verdict = make_verdict()
    start = len(CANONICAL[: CANONICAL.index(SENTENCE)].encode("utf-16-le")) // 2
    verdict["existence"]["char_start"] = start
    verdict["existence"]["char_end"] = start + len(SENTENCE)
    return _signed(scene, bundle, verdict)


@_add(*_SPAN)
def span_of_other_words(scene: Scene, bundle: Bundle) -> Evidence:
    """The issuer signed the digest of what its source does not say."""
    verdict = make_verdict()
    words = sha256(SENTENCE.replace("four", "five"))
    verdict["existence"]["span_sha256"] = words
    return _signed(scene, bundle, verdict)


@_add(*_TIME)
def back_dated(scene: Scene, bundle: Bundle) -> Evidence:
    """Witnesses saw the log without this leaf two hours after it says that it was issued."""
    del bundle
    log = scene.issuer.log
    size = len(log.entries)
    early = cosign(log.note(), make_cosigner(), MOMENT + 2 * HOUR)
    receipt = scene.issue()
    return Evidence(
        receipt=to_bytes(receipt),
        files={
            "witness-head.txt": early.encode(),
            "witness-proof.txt": log.prove_growth(size).encode(),
        },
    )


@_add(*_TIME)
def forward_dated(scene: Scene, bundle: Bundle) -> Evidence:
    """Witnesses saw the leaf an hour before it says that it was issued."""
    del bundle
    note = cosign(scene.issuer.log.note(), make_cosigner(), MOMENT - HOUR)
    return Evidence(files={"witness-head.txt": note.encode()})


@_add(*_TIME)
def cosignature_of_another_time(scene: Scene, bundle: Bundle) -> Evidence:
    """The witness's line says another time than it signed."""
    del bundle
    note = scene.issuer.log.note()
    early, late = (cosign(note, make_cosigner(), each) for each in (MOMENT - HOUR, MOMENT))
    first, second = (each.removeprefix(note).strip() for each in (early, late))
    kept = len("— witness1.example.net ") + 16
    return Evidence(files={"witness-head.txt": f"{note}{second[:kept]}{first[kept:]}\n".encode()})


@_add(*_LOG)
def log_forked(scene: Scene, bundle: Bundle) -> Evidence:
    """A witness holds a head of the same size, by the log's own key, with another root."""
    del bundle
    log = scene.issuer.log
    fork = type(log)(key=log.key, entries=[*log.entries[:-1], b"another leaf"])
    note = cosign(fork.note(), make_cosigner(), MOMENT)
    return Evidence(files={"witness-head.txt": note.encode()})


@_add(*_LOG)
def second_receipt_under_another_root(scene: Scene, bundle: Bundle) -> Evidence:
    """Two receipts, each good by itself, under two roots of one size: the log forked."""
    del bundle
    other = scene.fork(len(scene.issuer.log.entries) - 2).issue(nonce="f" * 32)
    return Evidence(files={"second.sigstore.json": to_bytes(other)})


@_add(*_LOG)
def second_receipt_under_a_longer_fork(scene: Scene, bundle: Bundle) -> Evidence:
    """Two receipts under heads of two sizes: a subtree that both proofs cover has two hashes."""
    del bundle
    fork = scene.fork(len(scene.issuer.log.entries) - 2)
    fork.issue(nonce="e" * 32)
    other = fork.issue(nonce="f" * 32)
    return Evidence(files={"second.sigstore.json": to_bytes(other)})


@_add(CheckOutcome.NOT_CHECKED, Question.TIME)
def quorum_without_a_cosignature(scene: Scene, bundle: Bundle) -> Evidence:
    """The trust file demands a witness, and nobody shows that one has seen the log."""
    del scene, bundle
    return Evidence()


@_add(CheckOutcome.NOT_CHECKED, Question.TIME)
def witness_without_a_link(scene: Scene, bundle: Bundle) -> Evidence:
    """A later head that witnesses saw, and nothing to show that the receipt is below it."""
    del bundle
    scene.issuer.issue()
    note = cosign(scene.issuer.log.note(), make_cosigner(), MOMENT)
    return Evidence(files={"witness-head.txt": note.encode()})


@_add(CheckOutcome.NOT_CHECKED, Question.TIME)
def witness_of_a_stranger(scene: Scene, bundle: Bundle) -> Evidence:
    """A head that a witness cosigned of whom the trust file knows nothing."""
    del bundle
    note = cosign(scene.issuer.log.note(), make_cosigner(2), MOMENT)
    return Evidence(files={"witness-head.txt": note.encode()})


@_add(CheckOutcome.POLICY_UNMET, Question.POLICY)
def other_policy_of_the_same_name(scene: Scene, bundle: Bundle) -> Evidence:
    """A pass under 'balanced', which was not our 'balanced': a name is only a name."""
    del scene, bundle
    return Evidence(policy="balanced")


def _revoke(scene: Scene, key_id: str, log_size: int) -> Evidence:
    revocation = {
        "key_id": key_id,
        "origin": scene.issuer.log.origin,
        "log_size": log_size,
        "revoked_at": to_text(MOMENT + HOUR),
        "reason": "lost",
    }
    return Evidence(trust=to_trust_bytes(scene.issuer, revocations=[revocation]))


def _signed(scene: Scene, bundle: Bundle, verdict: Bundle) -> Evidence:
    """A receipt of the issuer with this verdict, and its canonical text."""
    del bundle
    receipt = scene.issue(verdicts=[verdict])
    return Evidence(receipt=to_bytes(receipt), files={"canonical.txt": CANONICAL.encode()})
