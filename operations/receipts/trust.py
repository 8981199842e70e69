"""``audit trust``: the trust file of the keys that are kept here, and its forms for other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedTrustError, OutputError
from spanproof.operations.errors import UnreadableFileError
from spanproof.operations.small_file import read_small_file
from spanproof.receipt.keys.key_files import replace_file
from spanproof.receipt.keys.trust_file import MAX_TRUST_BYTES, parse_trust, write_trust
from spanproof.receipt.keys.trusted_root import (
    MAX_CERTIFICATE_BYTES,
    MAX_CERTIFICATES,
    TimestampAuthority,
    ValidFor,
    trusted_root_to_json,
)
from spanproof.receipt.keys.verifier_key import format_log_key
from spanproof.receipt.witness.policy import MAX_POLICY_BYTES, parse_policy

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from spanproof.receipt.keys.key_ring import KeyRing
    from spanproof.receipt.keys.trust_file import TrustFile

#: What cosign is given: the key that signs receipts now.
CURRENT_KEY = "cosign.pub"
TRUSTED_ROOT = "trusted_root.json"
VERIFIER_KEYS = "log.vkey"
_NAME_DIGITS = 16


def make_trust(
    keys: KeyRing,
    origin: str,
    *,
    valid_for: ValidFor | None = None,
    policy: Path | None = None,
    authorities: Iterable[tuple[str, Path]] = (),
) -> TrustFile:
    """The trust file of every key that was ever in use here.

    Without ``valid_for`` it names no moment, so that the same keys give the same digest. ``policy``
    is a witness policy that auditors are to go by; ``authorities`` are time-stamping ones, each
    with the file of its certificates (PEM). Returns the values parsed from the written text.
    """
    text = None if policy is None else _read_policy(policy)
    trust = keys.keys.to_trust(
        origin,
        timestamp_authorities=tuple(_read_authority(uri, chain) for uri, chain in authorities),
        issued_at=None if valid_for is None else valid_for.start,
        expires_at=None if valid_for is None else valid_for.end,
        witness_policy=text,
    )
    return parse_trust(write_trust(trust))


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole, durable when this returns; OutputError where that is not possible."""
    try:
        replace_file(path, content, mode=0o644)
    except OSError as error:
        msg = f"Expected to write {str(path)!r}, got {error.strerror or error!r}."
        raise OutputError(msg, hint="Give a path in a folder that can be written.") from error


def write_for_sigstore(trust: TrustFile, folder: Path) -> tuple[Path, ...]:
    """Write what other tools take, one file each; the paths in the order of their names.

    ``trusted_root.json`` is Sigstore's, ``cosign.pub`` the key that signs receipts now,
    ``log.vkey`` a line for each key of the log (Go's sumdb); ``receipt-….pem`` and ``log-….pem``
    are all keys, by the beginning of their SPKI's SHA-256.
    """
    current = [each for each in trust.signing_keys if each.valid_for.end is None]
    logs = [log.key for log in trust.trusted_root.logs]
    files = {
        TRUSTED_ROOT: canonical_json.dumps(trusted_root_to_json(trust.trusted_root)),
        VERIFIER_KEYS: "".join(f"{format_log_key(key)}\n" for key in logs).encode("ascii"),
    }
    for each in current[-1:]:
        files[CURRENT_KEY] = _to_pem(each.key.public_key)
    for each in trust.signing_keys:
        files[f"receipt-{_name(each.key.public_key)}.pem"] = _to_pem(each.key.public_key)
    for key in logs:
        files[f"log-{_name(key.spki)}.pem"] = _to_pem(key.spki)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"Expected a folder {str(folder)!r}, got {error.strerror or error!r}."
        raise OutputError(msg, hint="Give a folder that can be made or written.") from error
    for name, content in files.items():
        write_file(folder / name, content)
    return tuple(folder / name for name in sorted(files))


def _name(spki: bytes) -> str:
    return Digest.of(spki).hex[:_NAME_DIGITS]


def _to_pem(spki: bytes) -> bytes:
    return serialization.load_der_public_key(spki).public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _read_policy(path: Path) -> str:
    raw = _read(path, MAX_POLICY_BYTES, "a witness policy")
    parse_policy(raw)
    return raw.decode("utf-8")


def _read_authority(uri: str, path: Path) -> TimestampAuthority:
    """The authority by its chain, the signer's certificate first, as PEM files of TSAs have it."""
    raw = _read(path, MAX_CERTIFICATES * MAX_CERTIFICATE_BYTES, "certificates (PEM)")
    hint = "Give the authority's certificates, its signer's first, the root's last."
    try:
        chain = x509.load_pem_x509_certificates(raw)
    except ValueError as error:
        msg = f"Expected certificates (PEM) in {str(path)!r}, got something else."
        raise MalformedTrustError(msg, hint=hint) from error
    signer = chain[0]
    names = {attribute.oid: str(attribute.value) for attribute in signer.subject}
    return TimestampAuthority(
        uri=uri,
        organization=names.get(x509.NameOID.ORGANIZATION_NAME, ""),
        common_name=names.get(x509.NameOID.COMMON_NAME, ""),
        certificates=tuple(each.public_bytes(serialization.Encoding.DER) for each in chain),
        valid_for=ValidFor(start=signer.not_valid_before_utc, end=signer.not_valid_after_utc),
    )


def _read(path: Path, most: int, what: str) -> bytes:
    try:
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except OSError as error:
        msg = f"Expected {what} at {str(path)!r}, got {error.strerror or error!r}."
        raise UnreadableFileError(msg, hint="Give the path of such a file.") from error
    if len(raw) > most:
        msg = f"Expected at most {most} bytes in {str(path)!r}, got more."
        raise MalformedTrustError(msg, hint="Give the path of such a file.")
    return raw


def load_trust(path: Path) -> TrustFile:
    """The trust file at a path; raise MalformedTrustError or UnreadableFileError."""
    hint = "Make one: 'spanproof audit trust'."
    return parse_trust(read_small_file(path, "a trust file", most_bytes=MAX_TRUST_BYTES, hint=hint))
