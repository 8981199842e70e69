"""Form fields and annotations of a page, as segments."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spanproof.ingest.assembly.segments import MARKUP, Segment, is_shown
from spanproof.ingest.engine.pdfium.documents import read_text
from spanproof.ingest.engine.pdfium.frames import to_rect
from spanproof.ingest.engine.pdfium.library import load_pdfium
from spanproof.ingest.limits import check_limit

if TYPE_CHECKING:
    from collections.abc import Iterator

# Annotation flags (ISO 32000-2, table 167): Hidden and NoView.
_HIDDEN = 1 << 1 | 1 << 5
# A field flag (table 231): a password.
_PASSWORD = 1 << 13
# A page with more annotations than this is an attack on its readers.
_MOST_ANNOTATIONS = 100_000
_WIDGET = 20
_NAMES = {
    1: "Text",
    3: "FreeText",
    4: "Line",
    5: "Square",
    6: "Circle",
    7: "Polygon",
    8: "PolyLine",
    9: "Highlight",
    10: "Underline",
    11: "Squiggly",
    12: "StrikeOut",
    13: "Stamp",
    14: "Caret",
    15: "Ink",
    17: "FileAttachment",
    28: "Redact",
}


@contextmanager
def open_form(opened: Any) -> Iterator[Any]:  # noqa: ANN401 - an untyped binding
    """What pdfium answers questions about a document's fields by; it runs no script."""
    raw = load_pdfium()
    # The library goes on reading it: it must live as long as the form.
    info = raw.FPDF_FORMFILLINFO(version=1)
    form = raw.FPDFDOC_InitFormFillEnvironment(opened, ctypes.byref(info))
    try:
        yield form
    finally:
        if form:
            raw.FPDFDOC_ExitFormFillEnvironment(form)


def read_segments(form: Any, page: Any, *, most: int) -> list[Segment]:  # noqa: ANN401 - see above
    """What the page's annotations say, in their order; at most so many characters."""
    raw = load_pdfium()
    count = raw.FPDFPage_GetAnnotCount(page)
    check_limit(count, _MOST_ANNOTATIONS, "annotations on a page")
    found = []
    for index in range(count):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            segment = _read(form, annotation)
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
        if segment is not None:
            found.append(segment)
            most -= len(segment.text)
            check_limit(-most, 0, "characters more in annotations")
    return found


def _read(form: Any, annotation: Any) -> Segment | None:  # noqa: ANN401 - see above
    raw = load_pdfium()
    subtype = raw.FPDFAnnot_GetSubtype(annotation)
    name: str | None = _NAMES.get(subtype)
    text = ""
    if subtype == _WIDGET and form:
        text = _field_value(form, annotation)
        name = read_text(raw.FPDFAnnot_GetFormFieldName, form, annotation) or None
    elif name in MARKUP:
        text = read_text(raw.FPDFAnnot_GetStringValue, annotation, b"Contents")
    if not text.strip():
        return None
    box = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(annotation, ctypes.byref(box))
    return Segment(
        kind="form_field" if subtype == _WIDGET else "annotation",
        text=text,
        rect=to_rect(box.left, box.bottom, box.right, box.top),
        name=name,
        hidden=bool(raw.FPDFAnnot_GetFlags(annotation) & _HIDDEN)
        or not is_shown("Widget" if subtype == _WIDGET else name or "", text, None),
    )


def _field_value(form: Any, field: Any) -> str:  # noqa: ANN401 - see above
    """What a viewer shows in a field: never a password, a button only where it is on."""
    raw = load_pdfium()
    kind = raw.FPDFAnnot_GetFormFieldType(form, field)
    if kind == raw.FPDF_FORMFIELD_TEXTFIELD:
        if raw.FPDFAnnot_GetFormFieldFlags(form, field) & _PASSWORD:
            return ""
        return read_text(raw.FPDFAnnot_GetFormFieldValue, form, field)
    if kind in (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        chosen = [
            read_text(raw.FPDFAnnot_GetOptionLabel, form, field, index)
            for index in range(raw.FPDFAnnot_GetOptionCount(form, field))
            if raw.FPDFAnnot_IsOptionSelected(form, field, index)
        ]
        # A value outside the options was typed in.
        return "\n".join(chosen) or read_text(raw.FPDFAnnot_GetFormFieldValue, form, field)
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON) and (
        raw.FPDFAnnot_IsChecked(form, field)
    ):
        return read_text(raw.FPDFAnnot_GetFormFieldExportValue, form, field)
    return ""
