"""A time-stamping authority in memory: OpenSSL answers requests with a key made for the test."""

from __future__ import annotations

import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID

from spanproof.receipt.keys.trusted_root import TimestampAuthority, ValidFor

if TYPE_CHECKING:
    from pathlib import Path

_CONFIGURATION = """
[tsa]
default_tsa = authority
[authority]
serial = {folder}/serial
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
tsa_name = no
ess_cert_id_alg = sha256
"""
_ACCURACY = "secs:1, millisecs:500, microsecs:7"


class LocalAuthority:
    """A root, a signer below it or below one between; ``answer`` gives RFC 3161 responses."""

    def __init__(
        self, folder: Path, *, accuracy: str | None = _ACCURACY, has_middle: bool = False
    ) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("openssl is not installed: it stands in for a time-stamping authority")
        self.folder = folder
        self.start = datetime.now(UTC).replace(microsecond=0) - timedelta(days=1)
        root_key = ec.generate_private_key(ec.SECP256R1())
        signer_key = ec.generate_private_key(ec.SECP256R1())
        self.root = self._certify("root", root_key.public_key(), "root", root_key, is_root=True)
        above: list[x509.Certificate] = []
        issuer, issuer_key = "root", root_key
        if has_middle:
            issuer, issuer_key = "middle", ec.generate_private_key(ec.SECP256R1())
            above.append(
                self._certify(issuer, issuer_key.public_key(), "root", root_key, is_root=True)
            )
        self.signer = self._certify("signer", signer_key.public_key(), issuer, issuer_key)
        self.certificates = (self.signer, *above, self.root)
        written = _CONFIGURATION.format(folder=folder) + (
            f"accuracy = {accuracy}\n" if accuracy else ""
        )
        (folder / "tsa.cnf").write_text(written, encoding="ascii")
        (folder / "serial").write_text("01\n", encoding="ascii")
        self.chain = folder / "chain.pem"
        pems = [each.public_bytes(Encoding.PEM) for each in self.certificates]
        (folder / "signer.pem").write_bytes(pems[0])
        self.chain.write_bytes(b"".join(pems))
        (folder / "key.pem").write_bytes(
            signer_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        )

    @property
    def trusted(self) -> TimestampAuthority:
        """As a trust file has it."""
        return TimestampAuthority(
            uri="https://tsa.example.com",
            organization="",
            common_name="signer",
            certificates=tuple(each.public_bytes(Encoding.DER) for each in self.certificates),
            valid_for=ValidFor(start=self.start),
        )

    def answer(self, request: bytes) -> bytes:
        """The response to a request, granted or not."""
        (self.folder / "request.tsq").write_bytes(request)
        subprocess.run(
            [
                *("openssl", "ts", "-reply", "-config", "tsa.cnf", "-queryfile", "request.tsq"),
                *("-signer", "signer.pem", "-inkey", "key.pem", "-out", "response.tsr"),
            ],
            cwd=self.folder,
            check=True,
            capture_output=True,
        )
        return (self.folder / "response.tsr").read_bytes()

    def _certify(
        self,
        name: str,
        public: ec.EllipticCurvePublicKey,
        issuer: str,
        key: ec.EllipticCurvePrivateKey,
        *,
        is_root: bool = False,
    ) -> x509.Certificate:
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]))
            .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, issuer)]))
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(self.start)
            .not_valid_after(self.start + timedelta(days=30))
            .add_extension(x509.BasicConstraints(ca=is_root, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()),
                critical=False,
            )
        )
        if is_root:
            usage = x509.KeyUsage(
                digital_signature=False,
                content_commitment=False,
                key_encipherment=False,
                data_encipherment=False,
                key_agreement=False,
                key_cert_sign=True,
                crl_sign=True,
                encipher_only=False,
                decipher_only=False,
            )
            builder = builder.add_extension(usage, critical=True)
        else:
            stamping = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
            builder = builder.add_extension(stamping, critical=True)
        return builder.sign(key, hashes.SHA256())
