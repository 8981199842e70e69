"""On which database a test runs, and in which run."""

from __future__ import annotations

import pytest

#: For a kill at each of many points: 'make test' meets them on SQLite, the longer run on both.
postgresql_later = pytest.mark.parametrize(
    "store_place",
    ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)],
    indirect=True,
)
