"""Mutants that no test can tell from the code, each with the reason."""

from __future__ import annotations

#: Mutant's name → why nothing that can be observed differs.
EQUIVALENT: dict[str, str] = {}
