"""The command line, ``spanproof``: ``main`` is its entry point; nothing heavy loads with it."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    from spanproof.api.cli.program import run

    sys.exit(run(sys.argv[1:]))
