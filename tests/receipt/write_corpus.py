"""Write the golden corpus of this version, once: ``python -m tests.receipt.write_corpus``.

Receipts as the program of a released version issued them. They are never written again: what was
issued once must verify for ever, and a corpus that is made anew shows nothing. A folder that is
there is left as it is.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from spanproof.core.digest import Digest
from tests.receipt.corpus_answers import TEXTS, list_answers

#: As 'sha256sum --check' reads it.
SUMS = "SHA256SUMS"
FOLDER = Path(__file__).parents[1] / "vectors" / "receipts"


def main() -> None:
    """Ingest, verify, and keep receipts, trust file, documents and texts."""
    folder = FOLDER / metadata.version("spanproof")
    if folder.exists():
        sys.exit(
            f"Expected no corpus of this version, got {folder.name}. It is never written again."
        )
    with tempfile.TemporaryDirectory() as home:
        os.environ["SPANPROOF_HOME"] = home
        os.environ["SPANPROOF_LOG_ORIGIN"] = "log.example.com"
        folder.mkdir(parents=True)
        _write(folder)


def _write(folder: Path) -> None:
    for name, text in TEXTS.items():
        path = folder / f"{name}.txt"
        path.write_bytes(text.encode())
        _run("ingest", str(path), "--doc-id", name)
    with tempfile.TemporaryDirectory() as given:
        for name, (payload, options) in list_answers().items():
            path = Path(given) / f"{name}.json"
            path.write_text(json.dumps(payload), encoding="utf-8")
            _run("verify", str(path), "--receipt", str(folder / f"{name}.sigstore.json"), *options)
    _run("audit", "trust", "--output", str(folder / "trust.json"))
    sums = [
        f"{Digest.of(path.read_bytes()).hex}  {path.name}\n" for path in sorted(folder.iterdir())
    ]
    (folder / SUMS).write_text("".join(sums), encoding="ascii")


def _run(*arguments: str) -> None:
    from spanproof.api.cli.program import run

    code = run(arguments)
    if code not in {0, 1, 3}:
        sys.exit(f"Expected 'spanproof {' '.join(arguments)}' to answer, got exit code {code}.")


if __name__ == "__main__":
    main()
