"""What a release says of itself: digests of its files, signed, and the licences of its parts.

``python scripts/release.py sign DIR --key KEY.pem [--image NAME@sha256:…]…`` writes SHA256SUMS of
the files in DIR, IMAGES with the digests of images, and over each a signature (ECDSA P-256,
SHA-256, DER) that openssl and cosign verify. RELEASE_KEY_PASSPHRASE opens the key.

``python scripts/release.py licences SBOM.json licences.md`` exits 1 where a part has a licence that
the page has to name and does not.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_MADE = {"SHA256SUMS", "IMAGES", "release.pub"}
_IMAGE = re.compile(r"[a-z0-9][a-z0-9._/:-]*@sha256:[0-9a-f]{64}", re.ASCII)
#: Words of licences that ask for no more than a notice.
_PLAIN = re.compile(
    r"MIT(-0|-CMU)?|Apache(-2\.0)?|BSD(-[23]-Clause)?|0BSD|ISC|PSF-2\.0|Python-2\.0|Zlib|CC0-1\.0|"
    r"BSL-1\.0|CNRI-Python|Unlicense|HPND|MIT License|Apache Software License|BSD License|"
    r"Python Software Foundation License|ISC License \(ISCL\)|Apache License 2\.0|"
    r"Apache-2\.0 WITH LLVM-exception|Apache License,? Version 2\.0"
)
_JOINED = re.compile(r"\s+(?:AND|OR|and|or)\s+|[()]|; ?")


def sign(folder: Path, key: Path, images: list[str]) -> list[Path]:
    """Write sums, images, their signatures and the public key; the paths of what was written."""
    passphrase = os.environ.get("RELEASE_KEY_PASSPHRASE")
    private = serialization.load_pem_private_key(
        key.read_bytes(), passphrase.encode() if passphrase else None
    )
    if not isinstance(private, ec.EllipticCurvePrivateKey):
        sys.exit("Expected an ECDSA key, got another. Make one: openssl ecparam -name prime256v1.")
    wrong = [each for each in images if not _IMAGE.fullmatch(each)]
    if wrong:
        sys.exit(f"Expected an image as NAME@sha256:DIGEST, got {wrong[0]!r}.")
    files = sorted(
        each for each in folder.iterdir() if each.name not in _MADE and each.suffix != ".sig"
    )
    sums = "".join(
        f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n"
        for each in files
        if each.is_file()
    )
    contents = {"SHA256SUMS": sums} | ({"IMAGES": "\n".join((*images, ""))} if images else {})
    written = []
    for name, content in contents.items():
        raw = content.encode()
        signature = private.sign(raw, ec.ECDSA(hashes.SHA256()))
        for path, made in (
            (folder / name, raw),
            # As cosign writes it; openssl takes it through 'base64 -d'.
            (folder / f"{name}.sig", base64.b64encode(signature) + b"\n"),
        ):
            path.write_bytes(made)
            written.append(path)
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    (folder / "release.pub").write_bytes(public)
    return [*written, folder / "release.pub"]


def find_unnamed(sbom: dict[str, Any], page: str) -> list[str]:
    """The parts whose licence is none of the plain ones, or unsaid, and that the page lacks."""
    named = set(re.findall(r"^\| ([a-z0-9-]+) \|", page, re.MULTILINE))
    found = []
    for part in sbom["components"]:
        name = re.sub(r"[-_.]+", "-", part["name"]).lower()
        licences = [_read_licence(each) for each in part.get("licenses", ())]
        is_plain = licences and all(
            _PLAIN.fullmatch(word.strip())
            for each in licences
            for word in _JOINED.split(each.rpartition(":: ")[2])
            if word.strip()
        )
        if not is_plain and name not in named | {"spanproof"}:
            found.append(f"{name} {part.get('version', '')}: {', '.join(licences) or 'unsaid'}")
    return sorted(found)


def _read_licence(entry: dict[str, Any]) -> str:
    licence = entry.get("license", {})
    return str(entry.get("expression") or licence.get("id") or licence.get("name"))


def main() -> None:
    """Sign, or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    signing = commands.add_parser("sign")
    signing.add_argument("folder", type=Path)
    signing.add_argument("--key", type=Path, required=True)
    signing.add_argument("--image", action="append", default=[])
    checking = commands.add_parser("licences")
    checking.add_argument("sbom", type=Path)
    checking.add_argument("page", type=Path)
    chosen = parser.parse_args()
    if chosen.command == "sign":
        print(*sign(chosen.folder, chosen.key, chosen.image), sep="\n")
        return
    sbom = json.loads(chosen.sbom.read_bytes())
    unnamed = find_unnamed(sbom, chosen.page.read_text(encoding="utf-8"))
    print(f"{len(sbom['components'])} parts, {len(unnamed)} that {chosen.page.name} has to name")
    print(*unnamed, sep="\n")
    sys.exit(bool(unnamed))


if __name__ == "__main__":
    main()
