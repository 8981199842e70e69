"""Receipts that are not in the log, or in another, or at another place of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core import canonical_json
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import EMPTY_ROOT
from spanproof.receipt.check.report import CheckOutcome, Question
from spanproof.receipt.forms.bundle import bundle_to_json
from spanproof.receipt.forms.log_entry import KEY_DETAILS
from tests.receipt.attacks.register import Register, decode, logged, proof
from tests.receipt.samples import (
    Issuer,
    MemoryLog,
    cosign,
    make_cosigner,
    make_log_key,
)
from tests.receipt.statements import MOMENT, encode

if TYPE_CHECKING:
    from tests.receipt.attacks.register import Bundle
    from tests.receipt.attacks.scene import Scene

_REGISTER = Register()
ATTACKS = _REGISTER.attacks
_unlogged = _REGISTER.add(CheckOutcome.FAILED, Question.LOG)


def _sign_head(bundle: Bundle, head: Checkpoint, log: MemoryLog) -> None:
    """Put a head into the bundle, with all that is said twice, as this log signs it."""
    found = proof(bundle)
    found["checkpoint"] = {"envelope": log.key.sign(head)}
    found["rootHash"], found["treeSize"] = encode(head.root), str(head.size)


@_unlogged
def stolen_key_without_the_log(scene: Scene, bundle: Bundle) -> Bundle:
    """A thief has the signing key but not the log: what it signs stands nowhere."""
    del bundle
    sealed = scene.issuer.sign(canonical_json.dumps(scene.say()))
    found = bundle_to_json(scene.issuer.include(sealed))
    found["verificationMaterial"]["tlogEntries"] = []
    return found


@_unlogged
def stolen_key_and_an_own_log(scene: Scene, bundle: Bundle) -> Bundle:
    """A thief with the signing key runs a log of the same name, with a key of its own."""
    del bundle
    thief = Issuer(key=scene.issuer.key, log=scene.thief.log)
    return bundle_to_json(thief.issue())


@_unlogged
def stolen_key_and_the_proof_of_another(scene: Scene, bundle: Bundle) -> Bundle:
    """A thief with the signing key takes leaf and proof of a receipt that is in the log."""
    sealed = scene.issuer.sign(canonical_json.dumps(scene.say()))
    included = scene.receipt.included
    del bundle
    return bundle_to_json(scene.issuer.wrap(sealed, scene.receipt.entry, included))


@_unlogged
def entry_of_another_receipt(scene: Scene, bundle: Bundle) -> None:
    """Leaf, index and proof of another good receipt."""
    found = bundle_to_json(scene.other)["verificationMaterial"]["tlogEntries"]
    bundle["verificationMaterial"]["tlogEntries"] = found


@_unlogged
def proof_of_another_receipt(scene: Scene, bundle: Bundle) -> None:
    """The own leaf with the path and the index of another good receipt."""
    found = bundle_to_json(scene.other)
    logged(bundle)["inclusionProof"] = proof(found)
    logged(bundle)["logIndex"] = logged(found)["logIndex"]


@_unlogged
def hashes_swapped(scene: Scene, bundle: Bundle) -> None:
    """The right hashes in another order."""
    del scene
    hashes = proof(bundle)["hashes"]
    hashes[0], hashes[1] = hashes[1], hashes[0]


@_unlogged
def hash_left_out(scene: Scene, bundle: Bundle) -> None:
    """A path that ends below the root."""
    del scene
    proof(bundle)["hashes"].pop()


@_unlogged
def hash_too_many(scene: Scene, bundle: Bundle) -> None:
    """A path that goes on above the root."""
    del scene
    proof(bundle)["hashes"].append(proof(bundle)["hashes"][0])


@_unlogged
def no_hashes(scene: Scene, bundle: Bundle) -> None:
    """A tree of eight leaves has no path without hashes."""
    del scene
    proof(bundle)["hashes"] = []


@_unlogged
def hash_bit_flipped(scene: Scene, bundle: Bundle) -> None:
    """One bit of one hash."""
    del scene
    raw = bytearray(decode(proof(bundle)["hashes"][1]))
    raw[0] ^= 1
    proof(bundle)["hashes"][1] = encode(bytes(raw))


@_unlogged
def other_index(scene: Scene, bundle: Bundle) -> None:
    """The right path at a neighbour's index."""
    del scene
    index = str(int(logged(bundle)["logIndex"]) - 1)
    logged(bundle)["logIndex"] = proof(bundle)["logIndex"] = index


@_unlogged
def two_indexes(scene: Scene, bundle: Bundle) -> None:
    """The index is said twice, and not alike."""
    del scene
    logged(bundle)["logIndex"] = "0"


@_unlogged
def other_size(scene: Scene, bundle: Bundle) -> None:
    """The path is said to be of a larger tree than the head's."""
    del scene
    proof(bundle)["treeSize"] = str(int(proof(bundle)["treeSize"]) + 1)


@_unlogged
def other_root(scene: Scene, bundle: Bundle) -> None:
    """The root beside the head is not the head's."""
    del scene
    proof(bundle)["rootHash"] = encode(EMPTY_ROOT)


@_unlogged
def index_beyond_the_head(scene: Scene, bundle: Bundle) -> None:
    """A head from before the leaf was there: nothing is in it yet."""
    index = scene.receipt.included.leaf.index
    _sign_head(bundle, scene.issuer.log.checkpoint(index), scene.issuer.log)


@_unlogged
def head_of_the_empty_tree(scene: Scene, bundle: Bundle) -> None:
    """A head of no leaves, truly signed, and a path of no hashes."""
    empty = Checkpoint(origin=scene.issuer.log.origin, size=0, root=EMPTY_ROOT)
    _sign_head(bundle, empty, scene.issuer.log)
    proof(bundle)["hashes"] = []


@_unlogged
def head_signed_by_a_stranger(scene: Scene, bundle: Bundle) -> None:
    """The right head under the log's name, by another key."""
    _sign_head(bundle, scene.issuer.log.checkpoint(), scene.thief.log)


@_unlogged
def head_text_changed(scene: Scene, bundle: Bundle) -> None:
    """A larger size in the head, its signature as before."""
    del scene
    note, size = proof(bundle)["checkpoint"], proof(bundle)["treeSize"]
    larger = str(int(size) + 1)
    note["envelope"] = note["envelope"].replace(f"\n{size}\n", f"\n{larger}\n", 1)
    proof(bundle)["treeSize"] = larger


@_unlogged
def head_of_another_log(scene: Scene, bundle: Bundle) -> Bundle:
    """The issuer's key, a good proof and a good head: of a log that nobody was told of."""
    del bundle
    log = MemoryLog(key=make_log_key(1, "elsewhere.example.org"))
    return bundle_to_json(Issuer(key=scene.issuer.key, log=log).issue())


@_unlogged
def head_under_another_name(scene: Scene, bundle: Bundle) -> None:
    """The log's own key signed the same tree under another origin."""
    other = MemoryLog(key=make_log_key(1, "log.example.org"))
    head = scene.issuer.log.checkpoint()
    renamed = Checkpoint(origin=other.origin, size=head.size, root=head.root)
    _sign_head(bundle, renamed, other)


@_unlogged
def head_that_only_a_witness_signed(scene: Scene, bundle: Bundle) -> None:
    """A witness vouches that a head was seen, not that it is the log's."""
    del scene
    note = proof(bundle)["checkpoint"]
    text = note["envelope"].rpartition("\n\n")[0] + "\n"
    note["envelope"] = cosign(note["envelope"], make_cosigner(), MOMENT)
    own = note["envelope"].removeprefix(text + "\n").splitlines(keepends=True)
    note["envelope"] = f"{text}\n{own[1]}"


@_unlogged
def other_log_id(scene: Scene, bundle: Bundle) -> None:
    """The log is named by the id of another key."""
    logged(bundle)["logId"]["keyId"] = encode(scene.thief.log.key.verifier.log_id)


@_unlogged
def entry_with_another_algorithm(scene: Scene, bundle: Bundle) -> Bundle:
    """The leaf says that the key is an Ed25519 key: who reads it there uses the wrong algorithm."""
    del bundle
    return _log_entry(scene, KEY_DETAILS.encode(), b"PKIX_ED25519")


@_unlogged
def entry_with_another_key(scene: Scene, bundle: Bundle) -> Bundle:
    """The leaf gives the signature to another key of the trust file."""
    del bundle
    mine, other = scene.issuer.key.public_key, scene.second.key.public_key
    return _log_entry(scene, encode(mine).encode(), encode(other).encode())


@_unlogged
def entry_with_blanks(scene: Scene, bundle: Bundle) -> Bundle:
    """The leaf in another form of JSON: two leaves would say the same."""
    del bundle
    return _log_entry(scene, b'","kind"', b'", "kind"')


@_unlogged
def entry_of_another_digest(scene: Scene, bundle: Bundle) -> Bundle:
    """The leaf commits to other bytes than the envelope's."""
    del bundle
    digest = decode_digest(scene.receipt.entry)
    return _log_entry(scene, digest, decode_digest(scene.other.entry))


def decode_digest(entry: bytes) -> bytes:
    """The digest in a leaf, as it is written."""
    return entry.partition(b'"digest":"')[2].partition(b'"')[0]


def _log_entry(scene: Scene, old: bytes, new: bytes) -> Bundle:
    """The good receipt, with a leaf that was logged with some bytes replaced."""
    assert old in scene.receipt.entry
    entry = scene.receipt.entry.replace(old, new, 1)
    included = scene.issuer.log.include(entry)
    return bundle_to_json(scene.issuer.wrap(scene.receipt.envelope, entry, included))
