"""A receipt with an RFC 3161 timestamp: @sigstore/verify checks it though it asks for none."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from spanproof.receipt.check.timestamp import make_request
from spanproof.receipt.keys.trusted_root import TrustedRoot, trusted_root_to_json
from tests.oracles.conftest import require_verifier
from tests.oracles.tamperings.scene import trust_in
from tests.oracles.verifiers import Case, ask_sigstore
from tests.receipt.authority import LocalAuthority
from tests.receipt.samples import Issuer, to_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from tests.oracles.verifiers import Trust


@pytest.fixture
def authority(tmp_path: Path) -> LocalAuthority:
    """An authority of this test's own."""
    require_verifier("sigstore")
    (tmp_path / "authority").mkdir()
    return LocalAuthority(tmp_path / "authority")


def test_a_timestamp_is_accepted_where_its_authority_is_trusted(
    authority: LocalAuthority, tmp_path: Path
) -> None:
    issuer = Issuer()
    receipt = issuer.issue()
    signature = receipt.envelope.signature
    stamps = {"right": signature, "over_other_bytes": signature + b"\x00"}
    tokens = {
        name: authority.answer(make_request(message).content) for name, message in stamps.items()
    }
    trusting = add_authority(trust_in(issuer), authority)
    cases = {
        name: Case(name=name, raw=to_bytes(replace(receipt, timestamps=(token,))), trust=trusting)
        for name, token in tokens.items()
    }
    cases["untrusted"] = replace(cases["right"], name="untrusted", trust=trust_in(issuer))
    cases["none"] = Case(name="none", raw=to_bytes(receipt), trust=trusting)
    cases["twice"] = Case(
        name="twice",
        raw=to_bytes(replace(receipt, timestamps=(tokens["right"], tokens["right"]))),
        trust=trusting,
    )

    said = ask_sigstore(cases, tmp_path)
    assert {name for name, each in said.items() if each.accepted} == {"right", "none"}, said


def add_authority(trust: Trust, authority: LocalAuthority) -> Trust:
    """The same trust, and an authority beside it, as our trust files write it."""
    root = json.loads(trust.trusted_root)
    both = TrustedRoot(logs=(), timestamp_authorities=(authority.trusted,))
    root["timestampAuthorities"] = trusted_root_to_json(both)["timestampAuthorities"]
    return replace(trust, trusted_root=json.dumps(root))
