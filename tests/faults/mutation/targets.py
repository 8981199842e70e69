"""Which modules are mutated, and which tests are to notice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Modules (files or folders of the checkout) and the tests that cover them."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]

    def list_modules(self) -> list[str]:
        """The names of the modules, those of a folder in alphabetical order."""
        paths: list[Path] = []
        for source in self.sources:
            whole = ROOT / source
            paths += [whole] if whole.is_file() else sorted(whole.rglob("*.py"))
        return [
            ".".join(("spanproof", *path.relative_to(ROOT).with_suffix("").parts))
            for path in paths
            if path.name != "__init__.py"
        ]

    def list_tests(self) -> list[str]:
        """Those of the tests that are there."""
        return [test for test in self.tests if (ROOT / test).exists()]


TARGETS = {
    "core": Target(
        sources=("core/log/merkle.py", "core/log/tiles.py", "core/log/checkpoint.py"),
        tests=(
            "tests/core/log/test_merkle.py",
            "tests/core/log/test_tiles.py",
            "tests/core/log/test_checkpoint.py",
        ),
    ),
    "receipt": Target(
        sources=("receipt", "core/json_reader"),
        tests=("tests/receipt", "tests/core/json_reader", "tests/faults/fuzz"),
    ),
    "log": Target(sources=("store/log",), tests=("tests/store/log",)),
}
