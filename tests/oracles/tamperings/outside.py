"""The bundle around all of it, and what the auditor was given."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.oracles.tamperings.register import (
    CHECKPOINT,
    ENVELOPE,
    EVERYBODY,
    NOBODY,
    SIGSTORE,
    Register,
    encode,
)
from tests.oracles.tamperings.scene import Bundle, Scene, trust_in

if TYPE_CHECKING:
    from tests.oracles.verifiers import Trust

_REGISTER = Register()
TAMPERINGS = _REGISTER.tamperings


@_REGISTER.refused_by(SIGSTORE)
def media_type_other(_: Scene, bundle: Bundle) -> None:
    """The bundle is said to be something else."""
    bundle["mediaType"] = "application/json"


@_REGISTER.refused_by(frozenset({"sigstore", "securesystemslib"}))
def certificate_in_place_of_key(scene: Scene, bundle: Bundle) -> None:
    """The key itself as a certificate, no hint."""
    del bundle["verificationMaterial"]["publicKey"]
    raw = encode(scene.issuer.key.public_key)
    bundle["verificationMaterial"]["certificate"] = {"rawBytes": raw}


@_REGISTER.refused_by(EVERYBODY)
def file_cut_short(_: Scene, bundle: Bundle) -> bytes:
    """The file ends early."""
    return json.dumps(bundle).encode()[:-2]


@_REGISTER.refused_by(EVERYBODY)
def file_is_an_array(_: Scene, bundle: Bundle) -> bytes:
    """The bundle in an array."""
    return json.dumps([bundle]).encode()


@_REGISTER.refused_by(NOBODY)
def payload_given_twice(_: Scene, bundle: Bundle) -> bytes:
    """Two payloads under one name."""
    raw = json.dumps(bundle)
    assert raw.count('"payload": ') == 1
    return raw.replace('"payload": ', '"payload": "e30=", "payload": ').encode()


@_REGISTER.refused_by(NOBODY)
def field_unknown(_: Scene, bundle: Bundle) -> None:
    """A field that no version of the format has."""
    bundle["verified"] = True


@_REGISTER.refused_by(CHECKPOINT)
def trust_in_another_log(scene: Scene, _: Bundle) -> Trust:
    """The auditor trusts a log of another name."""
    return replace(trust_in(scene.elsewhere), keys=scene.trust.keys)


@_REGISTER.refused_by(CHECKPOINT)
def trust_in_another_key_of_the_log(scene: Scene, _: Bundle) -> Trust:
    """The auditor trusts another key under the log's name."""
    return replace(trust_in(scene.stranger), keys=scene.trust.keys)


@_REGISTER.refused_by(ENVELOPE)
def trust_in_another_issuer(scene: Scene, _: Bundle) -> Trust:
    """The auditor trusts another issuer's key."""
    return replace(scene.trust, keys=(scene.stranger.key.public_key,))
