"""Signatures of Wycheproof and CCTV, through what our receipts and notes are checked with."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from spanproof.receipt.keys.signing_keys import EntryKey, verify_ed25519
from tests.conformance.vectors import Vector, VectorSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WYCHEPROOF = "wycheproof"
CCTV = "cctv-ed25519"
#: What RFC 8032 leaves open about points of low order, and we, by OpenSSL, refuse: a signature that
#: only the equation times the cofactor fulfils, and a point R that is not written the one way.
_REFUSED_FLAGS = frozenset({"low_order_residue", "non_canonical_R"})


def load_wycheproof(folder: Path) -> Iterator[VectorSet]:
    """ECDSA in both encodings, of which ours is one, and Ed25519."""
    read = folder / "testvectors_v1"
    yield _load_wycheproof(
        read / "ecdsa_secp256r1_sha256_test.json",
        "ECDSA on P-256, SHA-256, DER",
        "spanproof.receipt.keys.signing_keys.EntryKey.verify",
        _verify_entry,
    )
    yield _load_wycheproof(
        read / "ed25519_test.json",
        "Ed25519",
        "spanproof.receipt.keys.signing_keys.verify_ed25519",
        _verify_log,
    )
    # Two numbers of 32 bytes are no signature of ours, whether they hold or not.
    tests = _read_groups(read / "ecdsa_secp256r1_sha256_p1363_test.json")
    yield VectorSet(
        folder=WYCHEPROOF,
        question="ECDSA on P-256, SHA-256, IEEE P1363: none is accepted",
        ours="spanproof.receipt.keys.signing_keys.EntryKey.verify",
        vectors=tuple(
            Vector(name=str(test["tcId"]), comes_out=partial(_refuses, _verify_entry, key, test))
            for key, test in tests
        ),
        accepted=0,
    )


def load_cctv(folder: Path) -> Iterator[VectorSet]:
    """Edge cases on which verifiers differ: what ours does is pinned."""
    raw = (folder / "ed25519" / "ed25519vectors.json").read_text(encoding="utf-8")
    tests = json.loads(raw)
    yield VectorSet(
        folder=CCTV,
        question="Ed25519, points of low order and other spellings",
        ours="spanproof.receipt.keys.signing_keys.verify_ed25519",
        vectors=tuple(
            Vector(name=str(test["number"]), comes_out=partial(_is_pinned, test)) for test in tests
        ),
        accepted=sum(not _REFUSED_FLAGS & set(test["flags"] or ()) for test in tests),
    )


def _load_wycheproof(
    path: Path, question: str, ours: str, verify: Callable[[str, dict[str, Any]], bool]
) -> VectorSet:
    tests = _read_groups(path)
    return VectorSet(
        folder=WYCHEPROOF,
        question=question,
        ours=ours,
        vectors=tuple(
            Vector(name=str(test["tcId"]), comes_out=partial(_agrees, verify, key, test))
            for key, test in tests
        ),
        accepted=sum(test["result"] == "valid" for _, test in tests),
    )


def _read_groups(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Each test with its key (SubjectPublicKeyInfo, DER, hexadecimal)."""
    groups = json.loads(path.read_text(encoding="utf-8"))["testGroups"]
    return [(group["publicKeyDer"], test) for group in groups for test in group["tests"]]


def _agrees(verify: Callable[[str, dict[str, Any]], bool], key: str, test: dict[str, Any]) -> bool:
    # No test of these files is merely "acceptable".
    return verify(key, test) is {"valid": True, "invalid": False}[test["result"]]


def _refuses(verify: Callable[[str, dict[str, Any]], bool], key: str, test: dict[str, Any]) -> bool:
    return not verify(key, test)


def _verify_entry(key: str, test: dict[str, Any]) -> bool:
    found = EntryKey(bytes.fromhex(key))
    return found.verify(bytes.fromhex(test["msg"]), bytes.fromhex(test["sig"]))


def _verify_log(key: str, test: dict[str, Any]) -> bool:
    # The last 32 bytes are the key (RFC 8410).
    public = bytes.fromhex(key)[-32:]
    return verify_ed25519(public, bytes.fromhex(test["msg"]), bytes.fromhex(test["sig"]))


def _is_pinned(test: dict[str, Any]) -> bool:
    key, signature = bytes.fromhex(test["key"]), bytes.fromhex(test["sig"])
    expected = not _REFUSED_FLAGS & set(test["flags"] or ())
    return verify_ed25519(key, test["msg"].encode(), signature) is expected
