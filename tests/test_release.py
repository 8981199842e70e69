"""What a release carries: signed digests that openssl verifies, and licences that are told."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.pages import ROOT, find_page
from tests.test_docs_examples import read_example

if TYPE_CHECKING:
    from types import ModuleType

SCRIPT = ROOT / "scripts" / "release.py"
IMAGE = f"registry.example/spanproof@sha256:{'ab' * 32}"


@pytest.fixture(scope="module")
def release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def verify(folder: Path, name: str) -> bool:
    """Whether openssl believes a signature."""
    raw = folder / f"{name}.der"
    raw.write_bytes(base64.b64decode((folder / f"{name}.sig").read_bytes()))
    command = ["openssl", "dgst", "-sha256", "-verify", str(folder / "release.pub")]
    done = subprocess.run(
        [*command, "-signature", str(raw), str(folder / name)], capture_output=True, check=False
    )
    raw.unlink()
    return done.returncode == 0


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_signed_digests_are_verified_by_other_tools(tmp_path: Path) -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    key = tmp_path / "key.pem"
    key.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"open"),
        )
    )
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / "spanproof.whl").write_bytes(b"a wheel")
    subprocess.run(
        [sys.executable, SCRIPT, "sign", folder, "--key", key, "--image", IMAGE],
        check=True,
        env={"RELEASE_KEY_PASSPHRASE": "open"},
    )
    assert (folder / "IMAGES").read_text() == f"{IMAGE}\n"
    assert verify(folder, "SHA256SUMS")
    assert verify(folder, "IMAGES")
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, check=True)
    sums = folder / "SHA256SUMS"
    sums.write_bytes(sums.read_bytes().replace(b"spanproof.whl", b"spanproof.exe"))
    assert not verify(folder, "SHA256SUMS")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_the_runbook_signs_a_release_and_checks_it(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "spanproof.whl").write_bytes(b"a wheel")
    for name in ("docs", "scripts"):
        (tmp_path / name).symlink_to(ROOT / name)
    venv.create(tmp_path / "venv", with_pip=True)
    script = (
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out release.pem",
        read_example("release.md", "sign"),
        "cd release",
        read_example("release.md", "check"),
    )
    found = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", "\n".join(script)],
        cwd=tmp_path,
        env={"PATH": found, "IMAGE": IMAGE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Verified OK" in done.stdout
    assert "sbom.cdx.json: OK" in done.stdout


def test_a_licence_that_asks_for_more_than_a_notice_must_be_named(release: ModuleType) -> None:
    def part(name: str, *licences: str) -> dict[str, object]:
        return {"name": name, "licenses": [{"license": {"name": each}} for each in licences]}

    page = "| package | licence |\n|---|---|\n| psycopg | LGPL-3.0-only |\n"
    sbom = {
        "components": [
            part("numpy", "BSD-3-Clause AND 0BSD AND (MIT OR Zlib)"),
            part("old_style", "License :: OSI Approved :: MIT License"),
            part("psycopg", "LGPL-3.0-only"),
            part("both", "MIT AND GPL-3.0-only"),
            part("silent"),
        ]
    }
    assert release.find_unnamed(sbom, page) == ["both : MIT AND GPL-3.0-only", "silent : unsaid"]


def test_the_licences_of_the_environment_are_told(release: ModuleType) -> None:
    """The page names psycopg and PyMuPDF: without its rows both are found."""
    page = find_page("licences.md").read_text(encoding="utf-8")
    parts = [
        {"name": "psycopg", "licenses": [{"license": {"id": "LGPL-3.0-only"}}]},
        {"name": "PyMuPDF", "licenses": []},
    ]
    sbom = json.loads(json.dumps({"components": parts}))
    assert release.find_unnamed(sbom, page) == []
    assert len(release.find_unnamed(sbom, "")) == 2
