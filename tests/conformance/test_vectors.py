"""Every published vector comes out of our own code as its publisher says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance.table import LOADERS, read_page, to_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize("folder", LOADERS)
def test_every_vector_comes_out_as_published(
    test_data: Path, folder: str, record_property: Callable[[str, object], None]
) -> None:
    vectors = test_data / "vectors" / folder
    if not vectors.is_dir():
        pytest.skip(f"SPANPROOF_TEST_DATA holds no vectors/{folder}")
    sets = list(LOADERS[folder](vectors))
    assert sets
    for each in sets:
        assert each.vectors, f"no vector of {each.title}"
        wrong = [vector.name for vector in each.vectors if not vector.comes_out()]
        assert wrong == [], each.title
        # The end of the run lists them (tests/conftest.py).
        record_property("vectors", f"{len(each.vectors):5} {each.title}")


def test_the_documented_counts_are_those_of_the_folder(test_data: Path) -> None:
    vectors = test_data / "vectors"
    if not vectors.is_dir():
        pytest.skip("SPANPROOF_TEST_DATA holds no vectors/")
    assert read_page() == to_text(vectors), "python -m tests.conformance writes it anew"
