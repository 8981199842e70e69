"""Write the attacks as folders: ``python -m tests.receipt.write_attacks``.

Each folder has a README that says why, ``case.json`` with what must come of it, the receipt, and
whatever else the auditor gets; what all of them share stands above them.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.receipt.attacks import list_attacks
from tests.receipt.attacks.scene import Scene
from tests.receipt.samples import to_bytes
from tests.receipt.statements import ANSWER, CANONICAL, SOURCE

FOLDER = Path(__file__).parents[1] / "vectors" / "receipts" / "attacks"
RECEIPT = "receipt.sigstore.json"
TRUST = "trust.json"


def build_files() -> dict[str, bytes]:
    """Every file of the folder by its path in it; the same on every run."""
    scene = Scene.build()
    files = {
        f"good/{RECEIPT}": to_bytes(scene.receipt),
        "good/README": b"The receipt that all others were made from: all of it holds.\n",
        "good/case.json": to_json(outcome="OK"),
        "good/answer.txt": ANSWER.encode(),
        "good/source.txt": SOURCE,
        "good/canonical.txt": CANONICAL.encode(),
        "good/witness-head.txt": scene.cosign_head().encode(),
        TRUST: scene.trust,
    }
    for attack in list_attacks():
        # A scene of its own: what one attack adds to the log must not be in another's.
        scene = Scene.build()
        made = attack.make(scene)
        case: dict[str, Any] = {"outcome": attack.outcome.name}
        if attack.question is not None:
            case["question"] = attack.question.value
        if made.policy is not None:
            case["policy"] = made.policy
        found = made.files | {
            "README": f"{attack.reason}\n".encode(),
            "case.json": to_json(**case),
            RECEIPT: to_bytes(scene.receipt) if made.receipt is None else made.receipt,
        }
        if made.trust is not None:
            found[TRUST] = made.trust
        files |= {f"{attack.name}/{name}": content for name, content in found.items()}
    return files


def to_json(**case: Any) -> bytes:
    """A case's file."""
    return json.dumps(case, indent=1).encode() + b"\n"


def main() -> None:
    """Write them anew."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, content in build_files().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
