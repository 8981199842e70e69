"""Form fields and annotations of a page: their objects' text, else their drawn text.

The bindings' own ``widgets`` rewrites appearances as it walks; a reader must change nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spanproof.core.geometry import Rect
from spanproof.ingest.assembly.segments import MARKUP, Segment, is_shown
from spanproof.ingest.engine.mupdf.ink import Recorded, leaves_ink, record_page
from spanproof.ingest.engine.mupdf.library import TEXT_FLAGS, load_pymupdf, read_into
from spanproof.ingest.limits import check_limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.assembly.segments import SegmentKind

# Annotation flags (ISO 32000-2, table 167): Hidden and NoView.
_HIDDEN = 1 << 1 | 1 << 5
# Field flags (tables 228, 229, 231): a password, a push button.
_PASSWORD, _PUSH_BUTTON = 1 << 13, 1 << 16
# These show nothing of their own: a popup shows its parent's text.
_WITHOUT_TEXT = frozenset({"Popup", "Link"})
# A page with more annotations than this is an attack on its readers.
_MOST_ANNOTATIONS = 100_000


def read_segments(page: Any, *, most: int) -> list[Segment]:  # noqa: ANN401 - an untyped binding
    """What the page's annotations say, in their order; at most so many characters."""
    mupdf = load_pymupdf().mupdf
    annotations = mupdf.pdf_dict_gets(mupdf.pdf_page_from_fz_page(page.this).obj(), "Annots")
    count = mupdf.pdf_array_len(annotations)
    check_limit(count, _MOST_ANNOTATIONS, "annotations on a page")
    appearances = _Appearances(page)
    found = []
    for index in range(count):
        for segment in _read(mupdf.pdf_array_get(annotations, index), appearances):
            found.append(segment)
            most -= len(segment.text)
            check_limit(-most, 0, "characters more in annotations")
    return found


def _read(annotation: Any, appearances: _Appearances) -> Iterator[Segment]:  # noqa: ANN401 - see above
    mupdf = load_pymupdf().mupdf
    subtype = _name(mupdf.pdf_dict_gets(annotation, "Subtype"))
    kind: SegmentKind = "annotation"
    text: str | None = ""
    name: str | None = subtype or None
    if subtype == "Widget":
        kind = "form_field"
        text, name = _field_value(annotation), _field_name(annotation)
    elif subtype in MARKUP:
        text = _string(mupdf.pdf_dict_gets(annotation, "Contents"))
    if text is None or subtype in _WITHOUT_TEXT:
        return
    said = text.strip()
    text = text if said else appearances.read(annotation)
    if text.strip():
        flags = mupdf.pdf_to_int(mupdf.pdf_dict_gets(annotation, "F"))
        hidden = bool(flags & _HIDDEN)
        if said and not hidden:
            is_list = kind == "form_field" and _name(_inherited(annotation, "FT")) != "Tx"
            # What is chosen or ticked may be drawn as shapes: only words are looked for.
            hidden = not is_list and not (
                is_shown(subtype, said, appearances.find(annotation))
                and appearances.leaves_ink(annotation)
            )
        yield Segment(
            kind=kind,
            text=text,
            rect=_box(mupdf.pdf_to_rect(mupdf.pdf_dict_gets(annotation, "Rect"))),
            name=name,
            hidden=hidden,
        )


class _Appearances:
    """The words that only appearances have: a stamp's, a button's, a signature's."""

    def __init__(self, page: Any) -> None:  # noqa: ANN401 - see above
        self._page = page
        self._by_number: dict[int, Any] | None = None
        self._recorded: Recorded | None = None

    def read(self, annotation: Any) -> str:  # noqa: ANN401 - see above
        """The lines that the annotation draws, if any."""
        return self.find(annotation) or ""

    def find(self, annotation: Any) -> str | None:  # noqa: ANN401 - see above
        """The same; None where it has no appearance, so that its viewer makes one."""
        mupdf = load_pymupdf().mupdf
        drawn = self._find(annotation)
        if drawn is None:
            return None
        text_page = read_into(
            self._page,
            TEXT_FLAGS,
            lambda device, cookie: mupdf.pdf_run_annot(drawn, device, mupdf.FzMatrix(), cookie),
        )
        text: str = load_pymupdf().TextPage(text_page).extractText()
        return text.strip()

    def leaves_ink(self, annotation: Any) -> bool:  # noqa: ANN401 - see above
        """Whether a reader sees text of it; what its viewer draws is seen."""
        drawn = self._find(annotation)
        if drawn is None:
            return True
        if self._recorded is None:
            self._recorded = record_page(self._page)
        return leaves_ink(self._recorded, drawn)

    def _find(self, annotation: Any) -> Any | None:  # noqa: ANN401 - see above
        mupdf = load_pymupdf().mupdf
        number = mupdf.pdf_to_num(annotation)
        if not number or not mupdf.pdf_dict_gets(annotation, "AP").m_internal:
            return None
        if self._by_number is None:
            self._by_number = dict(self._walk())
        return self._by_number.get(number)

    def _walk(self) -> Iterator[tuple[int, Any]]:
        mupdf = load_pymupdf().mupdf
        page = mupdf.pdf_page_from_fz_page(self._page.this)
        for first, following in (
            (mupdf.pdf_first_annot, mupdf.pdf_next_annot),
            (mupdf.pdf_first_widget, mupdf.pdf_next_widget),
        ):
            one = first(page)
            while one.m_internal:
                yield mupdf.pdf_to_num(mupdf.pdf_annot_obj(one)), one
                one = following(one)


def _box(rect: Any) -> Rect:  # noqa: ANN401 - see above
    """The rectangle; a malformed one becomes a point, which no reader sees."""
    xs, ys = sorted((rect.x0, rect.x1)), sorted((rect.y0, rect.y1))
    if not all(map(math.isfinite, (*xs, *ys))):
        return Rect(0.0, 0.0, 0.0, 0.0)
    return Rect(xs[0], ys[0], xs[1], ys[1])


def _field_name(field: Any) -> str | None:  # noqa: ANN401 - see above
    name: str = load_pymupdf().mupdf.pdf_load_field_name(field)
    return name or None


def _field_value(field: Any) -> str | None:  # noqa: ANN401 - see above
    """What a viewer shows in a field; None if it is not text (a password, a box not ticked).

    Empty where its appearance may tell: an unfilled field, a push button, a signature.
    """
    mupdf = load_pymupdf().mupdf
    flags = mupdf.pdf_to_int(_inherited(field, "Ff"))
    value, kind = _inherited(field, "V"), _name(_inherited(field, "FT"))
    if kind == "Tx":
        return None if flags & _PASSWORD else _string(value)
    if kind == "Ch":
        chosen = [value]
        if mupdf.pdf_is_array(value):
            chosen = [mupdf.pdf_array_get(value, i) for i in range(mupdf.pdf_array_len(value))]
        shown = _shown_choices(_inherited(field, "Opt"))
        return "\n".join(shown.get(one, one) for one in map(_string, chosen) if one)
    if kind == "Btn" and not flags & _PUSH_BUTTON:
        state = _name(mupdf.pdf_dict_gets(field, "AS"))
        return None if state in {"", "Off"} else state
    return ""


def _shown_choices(options: Any) -> dict[str, str]:  # noqa: ANN401 - see above
    """The words shown for each exported value, where they are others."""
    mupdf = load_pymupdf().mupdf
    found = {}
    for index in range(mupdf.pdf_array_len(options)):
        option = mupdf.pdf_array_get(options, index)
        if mupdf.pdf_is_array(option):
            exported, shown = (mupdf.pdf_array_get(option, place) for place in (0, 1))
            found[_string(exported)] = _string(shown)
    return found


def _inherited(field: Any, key: str) -> Any:  # noqa: ANN401 - see above
    mupdf = load_pymupdf().mupdf
    return mupdf.pdf_dict_get_inheritable(field, mupdf.pdf_new_name(key))


def _name(value: Any) -> str:  # noqa: ANN401 - see above
    found: str = load_pymupdf().mupdf.pdf_to_name(value)
    return found


def _string(value: Any) -> str:  # noqa: ANN401 - see above
    """A text string, or a stream of one (long values may appear in streams)."""
    found: str = load_pymupdf().mupdf.pdf_load_stream_or_string_as_utf8(value) or ""
    return found
