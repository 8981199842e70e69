"""The receipts that are kept of every version are accepted by every verifier, as they were made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spanproof.operations.receipts.trust import write_for_sigstore
from spanproof.receipt.keys.trust_file import parse_trust
from tests.oracles.verifiers import VERIFIERS, Case, Trust

if TYPE_CHECKING:
    from tests.oracles.verifiers import Judgement

FOLDER = Path(__file__).parents[1] / "vectors" / "receipts"
#: A folder for each version, with the trust file of its receipts.
VERSIONS = sorted(path.parent for path in FOLDER.glob("[0-9]*/trust.json"))


@pytest.fixture(scope="module")
def said(verifier: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Judgement]:
    """What the verifier says of every receipt."""
    cases = {}
    for version in VERSIONS:
        folder = tmp_path_factory.mktemp("trust")
        write_for_sigstore(parse_trust((version / "trust.json").read_bytes()), folder)
        trust = Trust.read(folder)
        for path in sorted(version.glob("*.sigstore.json")):
            # Also a file's name for those who are asked: no slash.
            name = f"{version.name}-{path.name.partition('.')[0]}"
            cases[name] = Case(name=name, raw=path.read_bytes(), trust=trust)
    assert len(cases) >= 20 * len(VERSIONS) > 0
    return VERIFIERS[verifier](cases, tmp_path_factory.mktemp(verifier))


def test_every_receipt_that_is_kept_is_accepted(said: dict[str, Judgement]) -> None:
    assert {name: each.reason for name, each in said.items() if not each.accepted} == {}
