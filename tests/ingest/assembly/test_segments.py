"""Form fields and annotations as segments of their own, drawn byte by byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.citation import Quote
from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.locate import locate_span
from spanproof.core.errors import LimitExceededError
from spanproof.core.span import Span
from spanproof.ingest import Limits, extract
from spanproof.ingest.engine.mupdf.library import load_pymupdf
from spanproof.verifier.quotes.existence import check_existence
from tests.engines import needs_mupdf
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at
from tests.strategies import unhurried

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

RECT = b"/Rect[100 200 300 220]"


def _widget(entries: bytes) -> bytes:
    return b"<</Type/Annot/Subtype/Widget/T(field)%s%s>>" % (RECT, entries)


def _note(entries: bytes, subtype: bytes = b"FreeText") -> bytes:
    return b"<</Type/Annot/Subtype/%s%s%s>>" % (subtype, RECT, entries)


def _pdf(*annotations: bytes, content: bytes = b"", entries: bytes = b"") -> bytes:
    """One page with these annotations, each an object of its own."""
    numbers = range(6, 6 + len(annotations))
    return build_pdf(
        PageSpec(
            content=content,
            entries=b"/Annots[%s]" % b" ".join(b"%d 0 R" % n for n in numbers) + entries,
        ),
        catalog=b"/AcroForm<</Fields[%s]>>" % b" ".join(b"%d 0 R" % n for n in numbers),
        extra=annotations,
    )


def _segments(extraction: Extraction) -> list[tuple[str, str | None, str]]:
    return [(b.kind, b.name, extraction.text.slice(b.span)) for b in extraction.blocks]


def test_segments_follow_their_page_one_line_each() -> None:
    page = PageSpec(content=text_at(72, 700, "Page text"), entries=b"/Annots[8 0 R 9 0 R]")
    extraction = extract(
        build_pdf(
            page,
            PageSpec(content=text_at(72, 700, "Next page")),
            catalog=b"/AcroForm<</Fields[8 0 R]>>",
            extra=(_widget(b"/FT/Tx/V(Smith)"), _note(b"/Contents(a remark)")),
        )
    )
    assert extraction.text.text == "Page text\nSmith\na remark\fNext page\f"
    assert _segments(extraction) == [
        ("form_field", "field", "Smith"),
        ("annotation", "FreeText", "a remark"),
    ]


@pytest.mark.parametrize(
    ("entries", "value"),
    [
        (b"/FT/Tx/V(42)", "42"),
        (b"/FT/Tx/V<feff20ac0035>", "€5"),
        (b"/FT/Tx/Ff 8192/V(secret)", None),
        (b"/FT/Ch/V(de)/Opt[[(de)(Germany)][(fr)(France)]]", "Germany"),
        (b"/FT/Ch/V[(a)(b)]/Opt[(a)(b)]", "a\nb"),
        pytest.param(
            b"/FT/Btn/AS/Yes/V/Yes/AP<</N<</Yes 5 0 R>>>>", "Yes", marks=needs_mupdf, id="ticked"
        ),
        (b"/FT/Btn/AS/Off/V/Off", None),
        (b"/FT/Tx", None),
    ],
)
def test_a_field_says_what_a_viewer_shows(entries: bytes, value: str | None) -> None:
    wanted = [] if value is None else [("form_field", "field", value)]
    assert _segments(extract(_pdf(_widget(entries)))) == wanted


def test_a_fields_name_and_value_are_inherited() -> None:
    child = b"<</Type/Annot/Subtype/Widget/Parent 7 0 R/T(first)%s>>" % RECT
    data = build_pdf(
        PageSpec(entries=b"/Annots[6 0 R]"),
        catalog=b"/AcroForm<</Fields[7 0 R]>>",
        extra=(child, b"<</T(person)/FT/Tx/V(Ada)/Kids[6 0 R]>>"),
    )
    assert _segments(extract(data)) == [("form_field", "person.first", "Ada")]


@needs_mupdf
def test_a_tick_that_is_drawn_as_a_shape_is_shown() -> None:
    tick = b"<</Type/XObject/Subtype/Form/BBox[0 0 200 20]/Length 30>>stream\n"
    tick += b"0 0 m 50 20 l 2 w S".ljust(30) + b"\nendstream"
    box = _widget(b"/FT/Btn/AS/Yes/V/Yes/AP<</N<</Yes 7 0 R>>>>")
    data = build_pdf(
        PageSpec(entries=b"/Annots[6 0 R]"),
        catalog=b"/AcroForm<</Fields[6 0 R]>>",
        extra=(box, tick),
    )
    extraction = extract(data)
    assert _segments(extraction) == [("form_field", "field", "Yes")]
    assert extraction.layout is not None
    assert not extraction.layout.any_flag(Span(0, 3), CharFlag.INVISIBLE)


@needs_mupdf
@pytest.mark.parametrize(
    ("colour", "ground", "is_hidden"),
    [(1, 1, True), (0, 1, False), (1, 0, False), (0.99, 1, True), (0.5, 1, False)],
    ids=["white on white", "black on white", "white on black", "almost white", "grey"],
)
def test_a_note_in_the_colour_of_its_ground_is_hidden(
    colour: float, ground: float, is_hidden: bool
) -> None:
    document = load_pymupdf().open()
    page = document.new_page(width=400, height=300)
    page.set_rotation(90)
    words = "The rent is 900 euros."
    note = page.add_freetext_annot(
        (50, 100, 350, 130), words, text_color=(colour,) * 3, fill_color=(ground,) * 3
    )
    note.update()
    extraction = extract(document.tobytes())
    document.close()
    start = extraction.text.text.index(words)
    assert extraction.layout is not None
    flagged = extraction.layout.any_flag(Span(start, start + len(words)), CharFlag.INVISIBLE)
    assert flagged is is_hidden


def test_hidden_annotations_are_kept_and_flagged() -> None:
    extraction = extract(_pdf(_note(b"/F 2/Contents(hid den)"), _note(b"/Contents(seen)")))
    assert extraction.layout is not None
    flags = [CharFlag(int(flag)) for flag in extraction.layout.flags]
    text = extraction.text.text
    assert {flags[i] for i in range(3)} == {CharFlag.INVISIBLE}
    assert flags[3] == flags[text.index("seen")] == CharFlag(0)
    assert "HIDDEN_TEXT" in check_existence(Quote(text="hid den"), extraction, ())[1]


def test_a_popup_repeats_nothing() -> None:
    parent = _note(b"/Contents(remark)/Popup 7 0 R", b"Highlight")
    popup = _note(b"/Contents(remark)/Parent 6 0 R", b"Popup")
    assert _segments(extract(_pdf(parent, popup))) == [("annotation", "Highlight", "remark")]


@needs_mupdf
def test_words_that_only_an_appearance_draws_are_read_once() -> None:
    drawn = b"BT /F1 12 Tf 2 5 Td (APPROVED) Tj ET"
    form = b"<</Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F1 3 0 R>>>>"
    form += b"/Length %d>>stream\n%s\nendstream" % (len(drawn), drawn)
    appearance = b"/AP<</N 8 0 R>>"
    extraction = extract(
        _pdf(_note(appearance, b"Stamp"), _widget(b"/FT/Tx/V(said)" + appearance), form)
    )
    assert _segments(extraction) == [
        ("annotation", "Stamp", "APPROVED"),
        ("form_field", "field", "said"),
    ]
    assert extraction.text.text == "APPROVED\nsaid\f"


def test_a_scan_with_a_note_is_a_page_without_text_still() -> None:
    extraction = extract(_pdf(_note(b"/Contents(approved)", b"Text")))
    assert extraction.text_source == "none"
    missing, _ = check_existence(Quote(text="what the scan says"), extraction, ())
    assert missing.status == "UNVERIFIABLE"
    found, _ = check_existence(Quote(text="approved"), extraction, ())
    assert found.status == "EXACT"


def test_control_characters_and_nul_of_a_value_are_flagged() -> None:
    extraction = extract(_pdf(_widget(b"/FT/Tx/V<feff00610000000d0062>")))
    assert extraction.layout is not None
    text = extraction.text.text
    assert "\x00" not in text
    assert extraction.pages[0].counts.control >= 1
    assert extraction.layout.flags[text.index("\r")] & CharFlag.CONTROL


def test_annotations_that_repeat_one_long_text_are_counted() -> None:
    many = _pdf(*[_note(b"/Contents 7 0 R", b"Text"), b"(%s)" % (b"x" * 1000)])
    repeated = many.replace(b"/Annots[6 0 R 7 0 R]", b"/Annots[%s]" % (b"6 0 R " * 50))
    with pytest.raises(LimitExceededError):
        extract(repeated, limits=Limits(max_characters=10_000))


def test_a_rectangle_that_is_none_has_no_place() -> None:
    broken = _note(b"/Contents(lost)").replace(RECT, b"/Rect[1e99 null (x)]")
    extraction = extract(_pdf(broken))
    assert "lost" in extraction.text.text
    assert extraction.pages[0].status == "ok"
    start = extraction.text.text.index("lost")
    assert locate_span(extraction, Span(start, start + 4)) == ()


@unhurried
@given(
    rotation=st.sampled_from([0, 90, 180, 270]),
    unit=st.sampled_from([1, 2]),
    corner=st.tuples(st.integers(-50, 50), st.integers(-50, 50)),
    edges=st.tuples(st.integers(0, 3), st.integers(1, 3)),
)
def test_any_part_of_a_segment_stands_in_its_whole_rectangle(
    rotation: int, unit: int, corner: tuple[int, int], edges: tuple[int, int]
) -> None:
    x, y = corner
    entries = b"/Rotate %d/UserUnit %d/MediaBox[%d %d %d %d]"
    frame = entries % (rotation, unit, x, y, x + 600, y + 800)
    extraction = extract(
        _pdf(_note(b"/Contents(words)"), content=text_at(150, 400, "page"), entries=frame)
    )
    start = extraction.text.text.index("words") + edges[0]
    (locator,) = locate_span(extraction, Span(start, start + edges[1]))
    (quad,) = locator.quads
    assert [round(n, 2) for p in quad.corners for n in p] == [
        100,
        220,
        300,
        220,
        300,
        200,
        100,
        200,
    ]
