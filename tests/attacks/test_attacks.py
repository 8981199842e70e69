"""Each attack of a folder has tests that exist, and a row in the threat model."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path.parent for path in Path(__file__).parent.glob("*/README"))
MODEL = ROOT / "docs" / "explanation" / "threat-model.md"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_attack_names_what_it_meets_and_its_tests(folder: Path) -> None:
    words, _, tests = (folder / "README").read_text(encoding="utf-8").partition("\n\n")
    attack, refusal = words.split("\n")
    assert attack.endswith(".")
    assert refusal.endswith(".")
    for line in tests.splitlines():
        path, _, name = line.partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert name in {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}, line
    assert tests
    assert f"`tests/attacks/{folder.name}`" in MODEL.read_text(encoding="utf-8")
