from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.store.log.samples import open_log

if TYPE_CHECKING:
    from spanproof.store import Store
    from spanproof.store.log import TransparencyLog


@pytest.fixture
def log(store: Store) -> TransparencyLog:
    """A fresh log, once on each database."""
    return open_log(store)
