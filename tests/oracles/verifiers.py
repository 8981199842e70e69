"""The verifiers of other people: how each is found, and how it is asked.

Each takes many receipts at once and says of each whether it accepts it, and if not why. A verifier
that fails to begin (wrong usage, a file that is missing) raises: that is no refusal.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import Key

from spanproof.receipt.keys.signing_keys import name_public_key
from tests.oracles.split import split

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HERE = Path(__file__).parent
BUILT = HERE.parents[1] / "build" / "oracles"
SUMDB = BUILT / "sumdb"
_HINT = "run 'make build/oracles/installed'"

_ED25519_PREFIX = bytes.fromhex("302a300506032b6570032100")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What an auditor was given beforehand, in the forms that other tools read.

    ``trusted_root`` is Sigstore's TrustedRoot, ``keys`` the SubjectPublicKeyInfo (DER) of who may
    sign receipts, ``vkeys`` the log's keys as C2SP signed-note writes them.
    """

    trusted_root: str
    keys: tuple[bytes, ...]
    vkeys: tuple[str, ...]

    @property
    def log_keys(self) -> tuple[bytes, ...]:
        """SubjectPublicKeyInfo (DER) of the log's keys."""
        coded = (vkey.split("+", 2)[2] for vkey in self.vkeys)
        return tuple(_ED25519_PREFIX + base64.b64decode(each)[1:] for each in coded)

    @classmethod
    def read(cls, folder: Path) -> Trust:
        """What ``audit trust --sigstore`` wrote."""
        pems = [path.read_bytes() for path in sorted(folder.glob("receipt-*.pem"))]
        assert (folder / "cosign.pub").read_bytes() in pems
        return cls(
            trusted_root=(folder / "trusted_root.json").read_text(encoding="utf-8"),
            keys=tuple(
                load_pem_public_key(pem).public_bytes(
                    serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
                )
                for pem in pems
            ),
            vkeys=tuple((folder / "log.vkey").read_text(encoding="utf-8").split()),
        )

    def write(self, folder: Path) -> None:
        """The files that the documentation's commands name."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "trusted_root.json").write_text(self.trusted_root, encoding="utf-8")
        (folder / "log.vkey").write_text("\n".join(self.vkeys) + "\n", encoding="utf-8")
        for name, keys in (("key", self.keys), ("log", self.log_keys)):
            for number, key in enumerate(keys):
                (folder / f"{name}-{number}.pem").write_bytes(to_pem(key))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A receipt's file, and what the auditor trusts."""

    name: str
    raw: bytes
    trust: Trust


@dataclass(frozen=True, slots=True)
class Judgement:
    """``accepted``, or why not."""

    accepted: bool
    reason: str = field(default="", compare=False)


def to_pem(public_key: bytes) -> bytes:
    """A public key (SPKI, DER) in PEM."""
    return load_der_public_key(public_key).public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def find_node() -> Path | None:
    """The node that came with the lock file: @sigstore/verify wants 24, Debian has 18."""
    return next(iter(sorted(BUILT.glob("node_modules/node-linux-*/bin/node"))), None)


def find_missing(verifier: str) -> str | None:
    """Why a verifier cannot run here; None where it can."""
    if verifier == "sigstore" and (find_node() is None or not _is_locked()):
        return f"@sigstore/verify is not installed as locked ({_HINT}; it takes npm)"
    if verifier == "sumdb" and not _is_newer(SUMDB, HERE / "sumdb" / "main.go"):
        return f"the Go program is not built ({_HINT}; golang-go, golang-golang-x-mod-dev)"
    if verifier == "openssl" and shutil.which("openssl") is None:
        return "openssl is not installed (Debian: apt-get install openssl)"
    return None


def _is_locked() -> bool:
    """Whether what was installed is what the lock file names today."""
    installed = BUILT / "package-lock.json"
    return (
        installed.exists() and installed.read_bytes() == (HERE / "package-lock.json").read_bytes()
    )


def _is_newer(built: Path, source: Path) -> bool:
    return built.exists() and built.stat().st_mtime >= source.stat().st_mtime


def ask_sigstore(cases: Mapping[str, Case], folder: Path) -> dict[str, Judgement]:
    """@sigstore/verify: the signature, the leaf, the inclusion proof, the checkpoint."""

    def command(trust: Path, bundles: list[str]) -> list[str]:
        keys = [part for key in sorted(trust.glob("key-*.pem")) for part in ("--key", str(key))]
        script = [str(find_node()), str(HERE / "sigstore.mjs")]
        return [*script, "--trusted-root", str(trust / "trusted_root.json"), *keys, *bundles]

    return _ask_by_trust(cases, folder, command)


def ask_sumdb(cases: Mapping[str, Case], folder: Path) -> dict[str, Judgement]:
    """Go's sumdb: the checkpoint's signature and the inclusion proof."""

    def command(trust: Path, bundles: list[str]) -> list[str]:
        return [str(SUMDB), "-vkeys", str(trust / "log.vkey"), "bundle", *bundles]

    return _ask_by_trust(cases, folder, command)


def ask_openssl(cases: Mapping[str, Case], folder: Path) -> dict[str, Judgement]:
    """openssl: the issuer's signature and the log's, each over its bytes."""
    found = {}
    for name, case in cases.items():
        case.trust.write(folder / name)
        try:
            parts = split(case.raw, "\n".join(case.trust.vkeys))
        except (ValueError, KeyError, TypeError) as error:
            found[name] = Judgement(accepted=False, reason=f"split: {error!r}")
            continue
        for filename, content in parts.items():
            (folder / name / filename).write_bytes(content)
        found[name] = _ask_openssl_once(folder / name)
    return found


def ask_securesystemslib(cases: Mapping[str, Case], folder: Path) -> dict[str, Judgement]:
    """securesystemslib: the envelope. It wants a keyid, which DSSE does not: the hint is given."""
    del folder
    found = {}
    for name, case in cases.items():
        try:
            # from_dict changes what it is given; the bundle is parsed for this call alone.
            bundle: dict[str, Any] = json.loads(case.raw)
            hint = bundle["verificationMaterial"]["publicKey"]["hint"]
            envelope = bundle["dsseEnvelope"]
            envelope["signatures"] = [each | {"keyid": hint} for each in envelope["signatures"]]
            keys = [_to_securesystemslib(key) for key in case.trust.keys]
            Envelope.from_dict(envelope).verify(keys, threshold=1)
        except (VerificationError, ValueError, KeyError, TypeError) as error:
            found[name] = Judgement(accepted=False, reason=repr(error))
        else:
            found[name] = Judgement(accepted=True)
    return found


#: In the order of the documentation's table.
VERIFIERS: dict[str, Callable[[Mapping[str, Case], Path], dict[str, Judgement]]] = {
    "sigstore": ask_sigstore,
    "sumdb": ask_sumdb,
    "openssl": ask_openssl,
    "securesystemslib": ask_securesystemslib,
}


def run_judge(command: list[str]) -> dict[str, Judgement]:
    """Run a judging program; its answers by the file's path."""
    done = subprocess.run(
        command, cwd=BUILT, capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    if done.returncode not in {0, 1}:
        msg = f"Expected answers of {command[:3]}, got exit code {done.returncode}: {done.stderr}"
        raise RuntimeError(msg)
    found = {}
    for line in done.stdout.splitlines():
        word, path, *reason = line.split("\t")
        assert word in {"accept", "refuse"}, line
        found[path] = Judgement(word == "accept", *reason)
    assert (done.returncode == 0) == all(each.accepted for each in found.values())
    return found


def _ask_by_trust(
    cases: Mapping[str, Case], folder: Path, command: Callable[[Path, list[str]], list[str]]
) -> dict[str, Judgement]:
    """One process for all cases of one trust."""
    found: dict[str, Judgement] = {}
    for number, trust in enumerate(dict.fromkeys(case.trust for case in cases.values())):
        known = folder / f"trust-{number}"
        trust.write(known)
        paths = {}
        for name, case in cases.items():
            if case.trust == trust:
                path = known / f"{name}.sigstore.json"
                path.write_bytes(case.raw)
                paths[str(path)] = name
        answers = run_judge(command(known, list(paths)))
        assert answers.keys() == paths.keys()
        found |= {paths[path]: answer for path, answer in answers.items()}
    return found


def _ask_openssl_once(folder: Path) -> Judgement:
    """Whether one of the given keys signed the envelope, and the log's key the checkpoint."""
    # Not 'dgst -verify': it reads no more than the longest signature there can be, 72 bytes, and so
    # accepts one that goes on after that.
    verify = ["pkeyutl", "-verify", "-rawin", "-pubin"]
    questions = {
        "key": ["-digest", "sha256", "-in", "pae.bin", "-sigfile", "pae.sig"],
        "log": ["-in", "note.txt", "-sigfile", "note.sig"],
    }
    for keys, question in questions.items():
        said = [
            _run_openssl([*verify, *question, "-inkey", key.name], folder)
            for key in sorted(folder.glob(f"{keys}-*.pem"))
        ]
        if "" not in said:
            return Judgement(accepted=False, reason=f"{keys}: {said}")
    return Judgement(accepted=True)


def _run_openssl(arguments: list[str], folder: Path) -> str:
    """Nothing where the signature holds, else what openssl says."""
    done = subprocess.run(
        ["openssl", *arguments], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def _to_securesystemslib(key: bytes) -> Key:
    words = {"keytype": "ecdsa", "scheme": "ecdsa-sha2-nistp256"}
    return Key.from_dict(name_public_key(key), words | {"keyval": {"public": to_pem(key).decode()}})
