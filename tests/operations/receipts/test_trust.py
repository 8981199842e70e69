"""The trust file as ``audit trust`` makes it, and the files that other tools take."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives import serialization

from spanproof.core.errors import KeyUnavailableError, MalformedTrustError, OutputError
from spanproof.operations.errors import UnreadableFileError
from spanproof.operations.receipts.trust import make_trust, write_file, write_for_sigstore
from spanproof.receipt.keys.key_ring import KeyRing
from spanproof.receipt.keys.signing_keys import LocalEntryKey
from spanproof.receipt.keys.trust_file import parse_trust, write_trust
from spanproof.receipt.keys.trusted_root import MEDIA_TYPE, ValidFor
from spanproof.receipt.keys.verifier_key import parse_log_key
from tests.receipt.authority import LocalAuthority
from tests.receipt.samples import ORIGIN
from tests.receipt.statements import MOMENT

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.receipt.keys.trust_file import TrustFile

DAY = timedelta(days=1)


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    """Keys of one log, the one for receipts rotated once."""
    ring = KeyRing(tmp_path / "keys")
    ring.prepare(ORIGIN, now=MOMENT)
    staged = ring.stage(LocalEntryKey.generate)
    ring.replace_entry_key(ring.find_entry_key().key_id, staged.key_id, now=MOMENT + DAY)
    return ring


def make(ring: KeyRing) -> TrustFile:
    return make_trust(ring, ORIGIN)


def test_the_same_keys_give_the_same_digest(ring: KeyRing) -> None:
    first = make_trust(ring, ORIGIN)
    assert make(ring).digest == first.digest
    assert parse_trust(write_trust(first)) == first
    assert (first.issued_at, first.expires_at) == (None, None)


def test_a_lifetime_is_written(ring: KeyRing) -> None:
    trust = make_trust(ring, ORIGIN, valid_for=ValidFor(start=MOMENT, end=MOMENT + DAY))
    assert (trust.issued_at, trust.expires_at) == (MOMENT, MOMENT + DAY)


def test_a_log_without_keys_has_no_trust_file(ring: KeyRing) -> None:
    with pytest.raises(KeyUnavailableError):
        make_trust(ring, "other.example.com")


def test_a_witness_policy_stands_in_it_if_it_is_one(ring: KeyRing, tmp_path: Path) -> None:
    path = tmp_path / "policy"
    path.write_text("quorum none\n")
    assert make_trust(ring, ORIGIN, policy=path).witness_policy == "quorum none\n"
    path.write_text("quorum\n")
    with pytest.raises(MalformedTrustError):
        make_trust(ring, ORIGIN, policy=path)
    with pytest.raises(UnreadableFileError, match="a witness policy at"):
        make_trust(ring, ORIGIN, policy=tmp_path / "none")
    path.write_bytes(b"#" * (1 << 24))
    with pytest.raises(MalformedTrustError, match="at most"):
        make_trust(ring, ORIGIN, policy=path)


def test_a_timestamp_authority_is_read_from_its_certificates(ring: KeyRing, tmp_path: Path) -> None:
    folder = tmp_path / "authority"
    folder.mkdir()
    authority = LocalAuthority(folder)
    given = [("https://tsa.example.com", authority.chain)]
    trust = make_trust(ring, ORIGIN, authorities=given)
    (found,) = trust.trusted_root.timestamp_authorities
    assert found.certificates == authority.trusted.certificates
    assert (found.uri, found.common_name) == ("https://tsa.example.com", "signer")
    assert found.valid_for.start == authority.start
    (tmp_path / "no.pem").write_text("none")
    with pytest.raises(MalformedTrustError, match="certificates"):
        make_trust(ring, ORIGIN, authorities=[("https://a", tmp_path / "no.pem")])


def test_other_tools_get_files_of_their_own(ring: KeyRing, tmp_path: Path) -> None:
    folder = tmp_path / "for" / "sigstore"
    trust = make(ring)
    paths = write_for_sigstore(trust, folder)
    assert sorted(paths) == sorted(folder.iterdir())
    root = json.loads((folder / "trusted_root.json").read_bytes())
    assert root["mediaType"] == MEDIA_TYPE
    assert root["tlogs"][0]["baseUrl"] == f"https://{ORIGIN}"
    assert {"certificateAuthorities", "ctlogs", "timestampAuthorities"} < root.keys()
    lines = (folder / "log.vkey").read_text().splitlines()
    assert [parse_log_key(line) for line in lines] == [log.key for log in trust.trusted_root.logs]
    pems = {path.name: path.read_bytes() for path in paths if b"PUBLIC KEY" in path.read_bytes()}
    assert len(pems) == 4
    current = serialization.load_pem_public_key(pems["cosign.pub"])
    spki = current.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert spki == ring.find_entry_key().public_key
    # A second run puts the same files in their place.
    assert write_for_sigstore(trust, folder) == paths


def test_a_file_that_cannot_be_written_is_told(ring: KeyRing, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No such file"):
        write_file(tmp_path / "none" / "T.json", b"")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="a folder"):
        write_for_sigstore(make(ring), tmp_path / "file")
