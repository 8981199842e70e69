"""Which PDF engine the run is about: all that is said of reading and drawing holds for each.

``SPANPROOF_ENGINE=pdfium`` runs the tests without PyMuPDF, as on a machine where it is not
installed: here and in every process that a test starts.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from spanproof.ingest.limits import EngineName

ENGINE = cast("EngineName", os.environ.get("SPANPROOF_ENGINE", "mupdf"))
#: The engines that this run can compare.
ENGINES: tuple[EngineName, ...] = ("mupdf", "pdfium") if ENGINE == "mupdf" else (ENGINE,)
#: What compares two engines, changes documents by PyMuPDF before it reads them again, or tells
#: what MuPDF reads.
TWO_ENGINES = (
    "api/console",
    "api/http/test_openapi_examples.py",
    "bench",
    "ingest/conformance",
    "ingest/cross_check",
    "ingest/test_growth.py",
    "operations/documents/test_cross_check.py",
)
_TESTS = Path(__file__).parent
_WITHOUT = str(_TESTS / "without_pymupdf")

#: For what is said of MuPDF only, and for what a test makes or reads with PyMuPDF itself.
needs_mupdf = pytest.mark.skipif(
    ENGINE != "mupdf", reason="needs PyMuPDF, and this run is with pdfium as the only engine"
)


def import_pymupdf() -> Any:
    """PyMuPDF as a tool of a whole test module, which is skipped without it."""
    return pytest.importorskip("pymupdf", reason=str(needs_mupdf.kwargs["reason"]))


def skip_without_mupdf(items: list[pytest.Item]) -> None:
    """Skip, by name, the tests that this run has one engine too few for."""
    if ENGINE == "mupdf":
        return
    for item in items:
        if item.path.relative_to(_TESTS).as_posix().startswith(TWO_ENGINES):
            item.add_marker(needs_mupdf)


def choose_engine() -> None:
    """Make the run's engine the one that reads where a test names none."""
    if ENGINE == "mupdf":
        return
    # A None is how a missing module stands in this table.
    sys.modules["pymupdf"] = None  # type: ignore[assignment]
    sys.path.insert(0, _WITHOUT)
    paths = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = f"{_WITHOUT}{os.pathsep}{paths}" if paths else _WITHOUT
    from spanproof.ingest.extraction import extract
    from spanproof.ingest.render import annotate_pdf, render_page
    from spanproof.ingest.sandbox import Parser

    for call in (extract, render_page, annotate_pdf, Parser.__init__):
        defaults = cast("Any", call).__kwdefaults__
        assert "engine" in defaults, f"{call.__qualname__} has no engine to choose"
        defaults["engine"] = ENGINE
