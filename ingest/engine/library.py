"""PyMuPDF, loaded once and set up: the only place that imports it, and the only global settings.

``pymupdf.layout`` is blocked before the first import: it loads 16 neural models that we never run,
and the text is bit-identical without it.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any


@cache
def load_pymupdf() -> Any:  # noqa: ANN401 - the library ships no types
    """The module, with its process-wide settings made; not thread-safe, like the library."""
    # None in sys.modules makes the import of it fail; a caller's own earlier import is left alone.
    sys.modules.setdefault("pymupdf.layout", None)  # type: ignore[arg-type]
    import pymupdf

    # Messages of a broken document belong in its status, not on our standard error.
    pymupdf.TOOLS.mupdf_display_errors(False)  # noqa: FBT003 - their signature
    pymupdf.TOOLS.mupdf_display_warnings(False)  # noqa: FBT003 - their signature
    # Both change glyph boxes for the whole process; they stand in the pipeline's configuration.
    pymupdf.TOOLS.set_small_glyph_heights(False)
    pymupdf.TOOLS.unset_quad_corrections(True)  # noqa: FBT003 - their signature
    return pymupdf


def library_errors() -> tuple[type[Exception], ...]:
    """Everything that the library raises for a document: its own classes and plain ones."""
    pymupdf = load_pymupdf()
    return (
        pymupdf.mupdf.FzErrorBase,
        RuntimeError,
        ValueError,
        IndexError,
        TypeError,
        AttributeError,
        OverflowError,
    )
