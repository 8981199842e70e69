"""Fixtures of the cage: a parser whose children also probe and crash, and locks that must exist."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from spanproof.ingest.cage.landlock import find_version
from spanproof.ingest.cage.system_calls import compile_filter
from tests.ingest.cage.probes import ProbingParser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.sandbox import Parser


@pytest.fixture(scope="session")
def locks() -> None:
    """Both locks; skipped by name on a kernel without one, failed where they must be there."""
    lacking = []
    if find_version() == 0:
        lacking.append("the kernel has no Landlock (or it is switched off)")
    if compile_filter() is None:
        lacking.append("libseccomp is not installed (Debian: apt-get install libseccomp2)")
    if lacking and os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
        pytest.fail("; ".join(lacking))
    if lacking:
        pytest.skip("; ".join(lacking))


@pytest.fixture(scope="session")
def probing_parser(locks: None) -> Iterator[Parser]:
    """A parser with every lock whose children probe and crash."""
    del locks
    with ProbingParser(cage="required") as parser:
        yield parser
