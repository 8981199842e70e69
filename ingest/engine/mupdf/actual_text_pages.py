"""Which pages of a document can have ActualText: a look into bytes, far cheaper than a reading.

ActualText needs marked content with a dictionary (the operator ``BDC``). The dictionary appears in
the content stream itself, among the page's properties or in the structure tree. So a page comes in
question when a content stream of it (or of a form that it draws) has ``BDC``, and the name
``/ActualText`` appears there, in a property, or anywhere among the objects of a document with a
structure tree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from spanproof.ingest.engine.mupdf.library import library_errors, load_pymupdf

# A name may write any of its letters as #xx.
_NAME = re.compile(
    b"/" + b"".join(b"(?:%c|#%02x|#%02X)" % (code, code, code) for code in b"ActualText")
)
_WITH_DICTIONARY = b"BDC"
_DRAWS = b"Do"
# Forms within forms: deeper ones are drawn by no sane producer, and MuPDF stops at cycles as well.
_MOST_DEPTH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    """Whether there is marked content with a dictionary, and whether one names ActualText."""

    marks: bool = False
    name: bool = False

    def __or__(self, other: _Finding) -> _Finding:
        return _Finding(marks=self.marks or other.marks, name=self.name or other.name)


class MarkedContent:
    """Asks one opened document about its pages, remembering what many of them share."""

    def __init__(self, opened: Any) -> None:  # noqa: ANN401 - an untyped binding
        self._opened = opened
        self._forms: dict[int, _Finding] = {}
        self._in_structure: list[bool] = []

    def may_replace(self, page: Any) -> bool:  # noqa: ANN401 - an untyped binding
        """Whether some of the page's characters may come from ActualText."""
        mupdf = load_pymupdf().mupdf
        try:
            resources = mupdf.pdf_page_resources(mupdf.pdf_page_from_fz_page(page.this))
            found = self._scan_content(page.read_contents(), resources, 0)
        except library_errors():
            # What cannot be looked into is read twice: slower, never wrong.
            return True
        return found.marks and (found.name or self._is_named_in_structure())

    def _scan_content(self, content: bytes, resources: Any, depth: int) -> _Finding:  # noqa: ANN401 - see above
        found = _Finding()
        if _WITH_DICTIONARY in content:
            found = _Finding(marks=True, name=_NAME.search(content) is not None)
        if found.marks or _DRAWS in content:
            found |= self._scan_resources(resources, depth)
        return found

    def _scan_resources(self, resources: Any, depth: int) -> _Finding:  # noqa: ANN401 - see above
        mupdf = load_pymupdf().mupdf
        found = _Finding(name=_is_property(mupdf.pdf_dict_gets(resources, "Properties")))
        forms = mupdf.pdf_dict_gets(resources, "XObject")
        for index in range(mupdf.pdf_dict_len(forms) if depth < _MOST_DEPTH else 0):
            form = mupdf.pdf_dict_get_val(forms, index)
            number = mupdf.pdf_to_num(form)
            if number not in self._forms:
                # Set before it is known: a form that draws itself adds nothing.
                self._forms[number] = _Finding()
                self._forms[number] = self._scan_form(form, depth)
            found |= self._forms[number]
        return found

    def _scan_form(self, form: Any, depth: int) -> _Finding:  # noqa: ANN401 - see above
        mupdf = load_pymupdf().mupdf
        if mupdf.pdf_to_name(mupdf.pdf_dict_gets(form, "Subtype")) != "Form":
            return _Finding()
        content = mupdf.pdf_load_stream(form).fz_buffer_extract_copy()
        resources = mupdf.pdf_dict_gets(form, "Resources")
        return self._scan_content(content, resources, depth + 1)

    def _is_named_in_structure(self) -> bool:
        if not self._in_structure:
            mupdf = load_pymupdf().mupdf
            trailer = mupdf.pdf_trailer(mupdf.pdf_document_from_fz_document(self._opened.this))
            tree = mupdf.pdf_dict_getp(trailer, "Root/StructTreeRoot")
            self._in_structure.append(bool(mupdf.pdf_is_dict(tree)) and self._search_objects())
        return self._in_structure[0]

    def _search_objects(self) -> bool:
        data = self._opened.stream
        if data is None or _NAME.search(data):
            # A document that was opened by its path has no bytes here: then nothing is ruled out.
            return True
        mupdf = load_pymupdf().mupdf
        pdf = mupdf.pdf_document_from_fz_document(self._opened.this)
        packs = set()
        for number in range(mupdf.pdf_xref_len(pdf)):
            entry = mupdf.ll_pdf_get_xref_entry_no_null(pdf.m_internal, number)
            if entry.type == "o":
                packs.add(int(entry.ofs))
        for number in sorted(packs):
            try:
                stream = mupdf.pdf_load_stream_number(pdf, number).fz_buffer_extract_copy()
            except library_errors():
                return True
            if _NAME.search(stream):
                return True
        return False


def _is_property(properties: Any) -> bool:  # noqa: ANN401 - see above
    mupdf = load_pymupdf().mupdf
    return any(
        mupdf.pdf_dict_gets(mupdf.pdf_dict_get_val(properties, index), "ActualText").m_internal
        for index in range(mupdf.pdf_dict_len(properties))
    )
