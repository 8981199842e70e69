"""Write docs/reference/conformance.md anew, and say what does not come out as published."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.conformance.table import load_all, write_page


def main() -> int:
    """0 where every vector comes out; 1 else; 2 without the vectors."""
    named = os.environ.get("SPANPROOF_TEST_DATA")
    if not named:
        sys.stderr.write("Expected SPANPROOF_TEST_DATA, the folder that holds vectors/.\n")
        return 2
    vectors = Path(named) / "vectors"
    wrong = 0
    for found in load_all(vectors):
        names = [vector.name for vector in found.vectors if not vector.comes_out()]
        wrong += len(names)
        sys.stdout.write(f"{len(found.vectors) - len(names)} of {len(found.vectors)} {found.title}")
        sys.stdout.write(f"; not: {', '.join(names)}\n" if names else "\n")
    write_page(vectors)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
