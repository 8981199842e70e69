"""PyMuPDF, loaded once and set up: the only place that imports it, and the only global settings.

Its helpers are blocked before the first import: ``pymupdf.layout`` loads 16 neural models that we
never run, ``pymupdf4llm`` their runtime's neighbours. The text is bit-identical without them.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import EngineUnavailableError, LimitExceededError

if TYPE_CHECKING:
    from collections.abc import Callable

#: TEXT_PRESERVE_LIGATURES | TEXT_PRESERVE_WHITESPACE.
TEXT_FLAGS = 3
#: FZ_STEXT_IGNORE_ACTUALTEXT: the glyphs' own characters.
GLYPHS = 2048


@cache
def load_pymupdf() -> Any:  # noqa: ANN401 - the library ships no types
    """The module, with its process-wide settings made; not thread-safe, like the library."""
    # None in sys.modules makes the import of it fail; a caller's own earlier import is left alone.
    for name in ("pymupdf.layout", "pymupdf4llm"):
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]
    try:
        import pymupdf
    except ImportError as error:
        msg = f"Expected PyMuPDF for the engine mupdf, got an import error ({error})."
        hint = "Install pymupdf, or set SPANPROOF_ENGINE=pdfium."
        raise EngineUnavailableError(msg, hint=hint) from error

    # Messages of a broken document belong in its status, not on our standard error.
    pymupdf.TOOLS.mupdf_display_errors(False)  # noqa: FBT003 - their signature
    pymupdf.TOOLS.mupdf_display_warnings(False)  # noqa: FBT003 - their signature
    # Both change glyph boxes for the whole process; they appear in the pipeline's configuration.
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


def make_text_page(page: Any, flags: int, matrix: Any = None) -> Any:  # noqa: ANN401 - untyped bindings
    """The structured text of a page's own contents, its coordinates put through a matrix.

    The library's own call draws annotations and form fields among the text; here they are apart.
    """
    mupdf = load_pymupdf().mupdf
    matrix = matrix or mupdf.FzMatrix()
    return read_into(
        page,
        flags,
        lambda device, cookie: mupdf.fz_run_page_contents(page.this, device, matrix, cookie),
    )


def read_into(page: Any, flags: int, run: Callable[[Any, Any], None]) -> Any:  # noqa: ANN401 - see above
    """The structured text of everything that ``run`` draws on the given device."""
    mupdf = load_pymupdf().mupdf
    options = mupdf.FzStextOptions()
    options.flags = flags
    text_page = mupdf.FzStextPage(mupdf.fz_bound_page(page.this))
    device = mupdf.fz_new_stext_device(text_page, options)
    run(device, mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return text_page


def is_memory(error: BaseException) -> bool:
    """Whether the library failed for want of memory: no fault of the document's structure."""
    return isinstance(error, MemoryError) or "alloc" in str(error).lower()


def memory_error() -> LimitExceededError:
    """What a document that needs too much memory is refused with."""
    msg = "Expected a document that fits in the memory allowed, got one that needs more."
    return LimitExceededError(
        msg, hint="Split the document, or raise SPANPROOF_PARSE_MEMORY_BYTES."
    )


def one_line(error: BaseException) -> str:
    """What the library said, fit for a message."""
    return " ".join(str(error).split())[:160] or type(error).__name__
