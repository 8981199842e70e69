"""pypdfium2, loaded once and set up: the only place that imports it.

Its raw functions convert and check every argument, which costs more than most calls do. ``Calls``
holds those that run once a character with plain numbers for arguments: a pointer is an address.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import EngineUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

_POINTER, _INT, _DOUBLE, _FLOAT = ctypes.c_void_p, ctypes.c_int, ctypes.c_double, ctypes.c_float
# As a result, a pointer that is a number: 0 for none.
_ADDRESS = ctypes.c_size_t


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Functions of ``fpdf_text.h`` and ``fpdf_edit.h``; objects are addresses."""

    count: Callable[[int], int]
    #: UTF-16 of a range of characters, without those that pdfium takes for controls.
    all_text: Callable[[int, int, int, int], int]
    unicode: Callable[[int, int], int]
    has_map_error: Callable[[int, int], int]
    is_generated: Callable[[int, int], int]
    is_hyphen: Callable[[int, int], int]
    text_object: Callable[[int, int], int]
    loose_box: Callable[[int, int, int], int]
    origin: Callable[[int, int, int, int], int]
    matrix: Callable[[int, int, int], int]
    font_size: Callable[[int, int], float]
    render_mode: Callable[[int], int]
    font: Callable[[int], int]
    ascent: Callable[[int, float, int], int]
    descent: Callable[[int, float, int], int]
    count_objects: Callable[[int], int]
    object_at: Callable[[int, int], int]
    object_type: Callable[[int], int]
    object_matrix: Callable[[int, int], int]
    count_inner: Callable[[int], int]
    inner_at: Callable[[int, int], int]
    count_marks: Callable[[int], int]
    mark_at: Callable[[int, int], int]
    value_type: Callable[[int, int], int]
    remove_mark: Callable[[int, int], int]


@cache
def load_pdfium() -> Any:  # noqa: ANN401 - the library ships no types
    """The raw module, without the system's fonts; not thread-safe, like the library.

    Fonts that a document names but does not carry take part in where pdfium ends a line: with the
    fonts of the machine, the same bytes would read differently on the next one.
    """
    try:
        from pypdfium2 import raw
    except (ImportError, OSError) as error:
        msg = f"Expected pypdfium2 for the engine pdfium, got an import error ({error})."
        hint = "Install pypdfium2, or set SPANPROOF_ENGINE=mupdf."
        raise EngineUnavailableError(msg, hint=hint) from error
    # No callback is set: pdfium then finds no font but those it carries itself.
    raw.FPDF_SetSystemFontInfo(ctypes.byref(_no_fonts(raw)))
    return raw


@cache
def _no_fonts(raw: Any) -> Any:  # noqa: ANN401 - see above
    # Kept by the cache: the library goes on reading it.
    return raw.FPDF_SYSFONTINFO(version=1)


def versions() -> dict[str, str]:
    """The versions of the binding and of the library in it, and where that one was built."""
    load_pdfium()
    from pypdfium2.version import PDFIUM_INFO, PYPDFIUM_INFO

    return {"pdfium": str(PDFIUM_INFO), "pypdfium2": str(PYPDFIUM_INFO)}


@cache
def load_calls() -> Calls:
    """The functions that run once a character or a text object."""
    raw = load_pdfium()

    def call(name: str, result: Any, *arguments: Any) -> Any:  # noqa: ANN401 - types of ctypes
        # PYFUNCTYPE keeps the interpreter's lock: giving it back costs as much as the call.
        return ctypes.PYFUNCTYPE(result, *arguments)(address_of(getattr(raw, name)))

    of_character = (_POINTER, _INT)
    return Calls(
        count=call("FPDFText_CountChars", _INT, _POINTER),
        all_text=call("FPDFText_GetText", _INT, _POINTER, _INT, _INT, _POINTER),
        unicode=call("FPDFText_GetUnicode", ctypes.c_uint, *of_character),
        has_map_error=call("FPDFText_HasUnicodeMapError", _INT, *of_character),
        is_generated=call("FPDFText_IsGenerated", _INT, *of_character),
        is_hyphen=call("FPDFText_IsHyphen", _INT, *of_character),
        text_object=call("FPDFText_GetTextObject", _ADDRESS, *of_character),
        loose_box=call("FPDFText_GetLooseCharBox", _INT, *of_character, _POINTER),
        origin=call("FPDFText_GetCharOrigin", _INT, *of_character, _POINTER, _POINTER),
        matrix=call("FPDFText_GetMatrix", _INT, *of_character, _POINTER),
        font_size=call("FPDFText_GetFontSize", _DOUBLE, *of_character),
        render_mode=call("FPDFTextObj_GetTextRenderMode", _INT, _POINTER),
        font=call("FPDFTextObj_GetFont", _ADDRESS, _POINTER),
        ascent=call("FPDFFont_GetAscent", _INT, _POINTER, _FLOAT, _POINTER),
        descent=call("FPDFFont_GetDescent", _INT, _POINTER, _FLOAT, _POINTER),
        count_objects=call("FPDFPage_CountObjects", _INT, _POINTER),
        object_at=call("FPDFPage_GetObject", _ADDRESS, _POINTER, _INT),
        object_type=call("FPDFPageObj_GetType", _INT, _POINTER),
        object_matrix=call("FPDFPageObj_GetMatrix", _INT, _POINTER, _POINTER),
        count_inner=call("FPDFFormObj_CountObjects", _INT, _POINTER),
        inner_at=call("FPDFFormObj_GetObject", _ADDRESS, _POINTER, ctypes.c_ulong),
        count_marks=call("FPDFPageObj_CountMarks", _INT, _POINTER),
        mark_at=call("FPDFPageObj_GetMark", _ADDRESS, _POINTER, ctypes.c_ulong),
        value_type=call("FPDFPageObjMark_GetParamValueType", _INT, _POINTER, _POINTER),
        remove_mark=call("FPDFPageObj_RemoveMark", _INT, _POINTER, _POINTER),
    )


def address_of(handle: Any) -> int:  # noqa: ANN401 - a pointer of ctypes
    """The address that a pointer of the library holds, as ``Calls`` take it."""
    return ctypes.cast(handle, _POINTER).value or 0
