"""The head of the log, and who signed it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from spanproof.receipt.forms.bundle import bundle_to_json
from tests.oracles.tamperings.register import (
    CHECKPOINT,
    LEAF,
    SIGSTORE,
    Register,
    change_line,
    change_note,
    copy_log,
    encode,
    entry_of,
    flip,
    proof_of,
)
from tests.receipt.samples import Issuer

if TYPE_CHECKING:
    from tests.oracles.tamperings.scene import Bundle, Scene

_REGISTER = Register()
TAMPERINGS = _REGISTER.tamperings


@_REGISTER.refused_by(CHECKPOINT)
def checkpoint_size_changed(_: Scene, bundle: Bundle) -> None:
    """The checkpoint names another size."""
    size = proof_of(bundle)["treeSize"]
    change_note(bundle, lambda note: note.replace(f"\n{size}\n", f"\n{int(size) + 1}\n", 1))


@_REGISTER.refused_by(CHECKPOINT)
def checkpoint_root_changed(scene: Scene, bundle: Bundle) -> None:
    """The checkpoint names the root of an earlier tree."""
    earlier = encode(scene.other.included.checkpoint.root)
    change_note(bundle, lambda note: note.replace(proof_of(bundle)["rootHash"], earlier, 1))


@_REGISTER.refused_by(CHECKPOINT)
def checkpoint_origin_changed(scene: Scene, bundle: Bundle) -> None:
    """The checkpoint's first line names another log."""
    origin = scene.issuer.log.origin
    change_note(bundle, lambda note: note.replace(origin, "log.example.net", 1))


@_REGISTER.refused_by(CHECKPOINT)
def checkpoint_line_added(_: Scene, bundle: Bundle) -> None:
    """An unsigned line below the root."""
    change_note(bundle, lambda note: note.replace("\n\n", "\nmore\n\n", 1))


@_REGISTER.refused_by(CHECKPOINT)
def checkpoint_signature_flipped(_: Scene, bundle: Bundle) -> None:
    """One changed bit of the log's signature."""
    change_line(bundle, lambda name, content: (name, content[:20] + b"\x00" + content[21:]))


@_REGISTER.refused_by(CHECKPOINT)
def checkpoint_key_number_changed(_: Scene, bundle: Bundle) -> None:
    """The log's signature under another key."""
    change_line(bundle, lambda name, content: (name, b"\x00\x01\x02\x03" + content[4:]))


@_REGISTER.refused_by(CHECKPOINT)
def checkpoint_signer_renamed(_: Scene, bundle: Bundle) -> None:
    """The log's signature under another name."""
    change_line(bundle, lambda _, content: ("log.example.net", content))


@_REGISTER.refused_by(frozenset({"sumdb", "openssl"}))
def checkpoint_signer_shortened(_: Scene, bundle: Bundle) -> None:
    """The log's signature under a part of its name."""
    change_line(bundle, lambda name, content: (name.partition(".")[2], content))


@_REGISTER.refused_by(CHECKPOINT)
def checkpoint_without_signature(_: Scene, bundle: Bundle) -> None:
    """Nobody signed the checkpoint."""
    change_note(bundle, lambda note: note.rpartition("— ")[0])


@_REGISTER.refused_by(CHECKPOINT)
def checkpoint_missing(_: Scene, bundle: Bundle) -> None:
    """No checkpoint."""
    del proof_of(bundle)["checkpoint"]


@_REGISTER.refused_by(CHECKPOINT)
def checkpoint_by_a_stranger(scene: Scene, bundle: Bundle) -> None:
    """The same checkpoint, signed by a stranger in the log's name."""
    proof_of(bundle)["checkpoint"]["envelope"] = scene.stranger.log.key.sign(
        scene.receipt.included.checkpoint
    )


@_REGISTER.refused_by(CHECKPOINT)
def checkpoint_of_another_log(scene: Scene, _: Bundle) -> bytes:
    """A good receipt of a log that the auditor was not given."""
    elsewhere = Issuer(key=scene.issuer.key, log=copy_log(scene.elsewhere.log))
    return json.dumps(bundle_to_json(elsewhere.issue())).encode()


@_REGISTER.refused_by(LEAF)
def checkpoint_before_the_leaf(scene: Scene, bundle: Bundle) -> None:
    """An honest checkpoint from before the leaf was logged."""
    head = scene.issuer.log.note(scene.receipt.included.leaf.index)
    proof_of(bundle)["checkpoint"]["envelope"] = head


@_REGISTER.refused_by(LEAF)
def checkpoint_later_than_the_proof(scene: Scene, bundle: Bundle) -> None:
    """An honest checkpoint of a larger tree than the proof's."""
    log = copy_log(scene.issuer.log)
    log.append(b"another")
    proof_of(bundle)["checkpoint"]["envelope"] = log.note()


@_REGISTER.refused_by(SIGSTORE)
def log_id_other(_: Scene, bundle: Bundle) -> None:
    """The entry names another log than its checkpoint."""
    flip(entry_of(bundle)["logId"], "keyId")
