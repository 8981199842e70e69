from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.errors import (
    BrokenDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    LimitExceededError,
)
from spanproof.ingest.elements.odf.odt import read
from spanproof.ingest.media_type import ODT
from tests.ingest.elements.reading import ends_by_name, list_blocks, pack, read_with

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.document import Extraction

SPACES = "".join(
    f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{full}:1.0"'
    for name, full in (
        ("office", "office"),
        ("style", "style"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
        ("svg", "svg-compatible"),
        ("manifest", "manifest"),
    )
)


def make_content(body: str, *, styles: str = "") -> str:
    return (
        f"<office:document-content{SPACES}>"
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )


def make_styles(master: str = "", *, styles: str = "") -> str:
    return (
        f"<office:document-styles{SPACES}><office:styles>{styles}</office:styles>"
        f"<office:master-styles>{master}</office:master-styles></office:document-styles>"
    )


def make_odt(body: str, *, automatic: str = "", styles: str | None = None, **others: str) -> bytes:
    members = {"mimetype": ODT, "content.xml": make_content(body, styles=automatic), **others}
    if styles is not None:
        members["styles.xml"] = styles
    return pack(members)


def read_odt(body: str, *, automatic: str = "", styles: str | None = None) -> Extraction:
    return read_with(read, make_odt(body, automatic=automatic, styles=styles), ODT)


def test_headings_paragraphs_and_lists_become_blocks_with_levels() -> None:
    extraction = read_odt(
        '<text:h text:outline-level="2">Terms</text:h><text:p>Plain <text:span>and'
        "</text:span>\n bold.</text:p><text:list><text:list-item><text:p>one</text:p><text:list>"
        "<text:list-item><text:p>deep</text:p></text:list-item></text:list></text:list-item>"
        "</text:list>"
    )
    assert extraction.text.text == "Terms\nPlain and bold.\none\ndeep\f"
    assert [(b.kind, b.level) for b in extraction.blocks] == [
        ("heading", 2),
        ("paragraph", None),
        ("list_item", 1),
        ("list_item", 2),
    ]
    assert [b.place.paragraph for b in extraction.blocks if b.place] == [1, 2, 3, 4]


def test_spaces_tabs_and_line_breaks_are_the_characters_they_stand_for() -> None:
    extraction = read_odt(
        '<text:p>  a  <text:s text:c="2"/>b<text:tab/>c<text:line-break/>d<text:s/> </text:p>'
    )
    assert extraction.text.text == "a   b\tc\nd \f"


def test_the_built_in_styles_tell_titles_captions_and_code() -> None:
    styles = make_styles(
        styles='<style:style style:name="Figure" style:family="paragraph"'
        ' style:parent-style-name="Caption"/>'
    )
    automatic = (
        '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Figure"/>'
    )
    extraction = read_odt(
        '<text:p text:style-name="Title">T</text:p><text:p text:style-name="P1">C</text:p>',
        automatic=automatic,
        styles=styles,
    )
    assert [block.kind for block in extraction.blocks] == ["title", "caption"]


def test_notes_comments_and_frames_follow_their_paragraph() -> None:
    extraction = read_odt(
        "<text:p>Due in 30<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        "<text:p>Working days.</text:p></text:note-body></text:note> days<office:annotation>"
        '<dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">Ann</dc:creator>'
        "<text:p>Why?</text:p></office:annotation>.<draw:frame><svg:title>unseen</svg:title>"
        "<draw:text-box><text:p>Boxed.</text:p></draw:text-box></draw:frame></text:p>"
    )
    assert list_blocks(extraction) == [
        ("paragraph", "Due in 30 days."),
        ("footnote", "Working days."),
        ("annotation", "Why?"),
        ("paragraph", "Boxed."),
    ]
    assert [block.name for block in extraction.blocks] == [None, "1", "Ann", None]


def test_deleted_text_is_no_text_and_inserted_text_is() -> None:
    extraction = read_odt(
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>old</text:p>"
        "</text:deletion></text:changed-region></text:tracked-changes>"
        "<text:p>kept <text:change-start/>new<text:change-end/></text:p>"
    )
    assert extraction.text.text == "kept new\f"


HIDDEN = (
    '<style:style style:name="H" style:family="{}">'
    '<style:text-properties text:display="none"/></style:style>'
)


@pytest.mark.parametrize(
    ("body", "automatic"),
    [
        ('<text:p text:style-name="H">secret</text:p>', HIDDEN.format("paragraph")),
        (
            '<text:p><text:span text:style-name="H">secret</text:span></text:p>',
            HIDDEN.format("text"),
        ),
        ('<text:section text:display="none"><text:p>secret</text:p></text:section>', ""),
        ('<text:p><text:hidden-paragraph text:is-hidden="true"/>secret</text:p>', ""),
        ('<text:p><text:hidden-text text:is-hidden="true">secret</text:hidden-text></text:p>', ""),
    ],
    ids=["paragraph", "span", "section", "hidden paragraph", "hidden text"],
)
def test_hidden_text_is_left_out_and_counted(body: str, automatic: str) -> None:
    extraction = read_odt(f"{body}<text:p>seen</text:p>", automatic=automatic)
    assert extraction.text.text == "seen\f"
    assert extraction.pages[0].problem == "6 hidden characters are left out"
    assert extraction.pages[0].status == "degraded"


def test_an_embedded_chart_is_not_read_and_said_to_be_there() -> None:
    page = read_odt("<text:p>Sales: <draw:frame><draw:object/></draw:frame></text:p>").pages[0]
    assert page.status == "degraded"
    assert page.problem == "1 embedded charts or formulas are not read"


def test_headers_stand_before_and_footers_after_the_text_once_each() -> None:
    margins = "<style:{0}><text:p>{1}</text:p></style:{0}>"
    master = "".join(
        f'<style:master-page style:name="{name}">{margins.format("header", "Top")}'
        f"{margins.format('footer', name)}</style:master-page>"
        for name in ("A", "B")
    )
    extraction = read_odt("<text:p>Body</text:p>", styles=make_styles(master))
    assert list_blocks(extraction) == [
        ("header", "Top"),
        ("paragraph", "Body"),
        ("footer", "A"),
        ("footer", "B"),
    ]
    assert [b.place.part for b in extraction.blocks if b.place] == [
        "header",
        None,
        "footer",
        "footer",
    ]


def make_cell(text: str, *, repeated: int = 1) -> str:
    return (
        f'<table:table-cell table:number-columns-repeated="{repeated}">'
        f"<text:p>{text}</text:p></table:table-cell>"
    )


def test_cells_count_through_repeated_and_covered_ones() -> None:
    extraction = read_odt(
        "<table:table><table:table-header-rows><table:table-row>"
        f"{make_cell('a')}{make_cell('', repeated=900_000_000)}</table:table-row>"
        f"</table:table-header-rows><table:table-row>{make_cell('b', repeated=2)}"
        f"<table:covered-table-cell/>{make_cell('d')}</table:table-row></table:table>"
    )
    assert extraction.text.text == "a\nb\tb\td\f"
    cells = [b.place.cell for b in extraction.blocks if b.kind == "cell" and b.place]
    assert cells == ["A1", "A2", "B2", "D2"]


MANY_CELLS = make_cell("x", repeated=900_000)
MANY_ROWS = (
    '<table:table-row table:number-rows-repeated="900000">' + make_cell("x") + "</table:table-row>"
)


@pytest.mark.parametrize(
    "body",
    [
        f"<table:table><table:table-row>{MANY_CELLS}</table:table-row></table:table>",
        f"<table:table>{MANY_ROWS}</table:table>",
        '<text:p>x<text:s text:c="900000000"/></text:p>',
    ],
    ids=["cells", "rows", "spaces"],
)
def test_text_that_repeats_without_measure_is_refused(body: str) -> None:
    with pytest.raises(LimitExceededError):
        read_odt(body)


@pytest.mark.long
def test_tables_that_multiply_within_each_other_are_refused() -> None:
    body = make_cell("x")
    for _ in range(12):
        body = (
            '<table:table-cell table:number-columns-repeated="8"><table:table><table:table-row>'
            f"{body}</table:table-row></table:table></table:table-cell>"
        )
    with pytest.raises(LimitExceededError, match="repeated"):
        read_odt(f"<table:table><table:table-row>{body}</table:table-row></table:table>")


def test_a_password_is_refused_as_encrypted() -> None:
    manifest = (
        f'<manifest:manifest{SPACES}><manifest:file-entry manifest:full-path="content.xml">'
        "<manifest:encryption-data/></manifest:file-entry></manifest:manifest>"
    )
    data = make_odt("<text:p>x</text:p>", **{"META-INF/manifest.xml": manifest})
    with pytest.raises(EncryptedDocumentError):
        read_with(read, data, ODT)


def test_a_flat_file_is_the_same_document() -> None:
    body = "<text:p>Body</text:p><draw:image><office:binary-data>AAAA</office:binary-data>"
    flat = (
        f"<office:document{SPACES}><office:master-styles><style:master-page><style:footer>"
        "<text:p>Foot</text:p></style:footer></style:master-page></office:master-styles>"
        f"<office:body><office:text>{body}</draw:image></office:text></office:body>"
        "</office:document>"
    )
    extraction = read_with(read, flat.encode(), ODT)
    assert extraction.text.text == "Body\nFoot\f"


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04",
        pack({"mimetype": ODT}),
        pack({"content.xml": "<broken"}),
        pack({"content.xml": f"<office:document-content{SPACES}/>"}),
        b"<flat",
    ],
    ids=["no container", "no content", "broken content", "no text element", "broken flat file"],
)
def test_a_file_without_its_content_is_broken(data: bytes) -> None:
    with pytest.raises(BrokenDocumentError):
        read_with(read, data, ODT)


def test_a_document_without_text_is_refused() -> None:
    with pytest.raises(EmptyDocumentError):
        read_odt("<text:p/>")


def test_a_bomb_of_spaces_is_refused() -> None:
    with pytest.raises(LimitExceededError):
        read_odt(f"<text:p>{' ' * 3_000_000}x</text:p>")


@given(
    st.lists(
        st.lists(
            st.text(
                st.characters(
                    codec="utf-8",
                    exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp"),
                    exclude_characters="<&>\ufffe\uffff",
                ),
                min_size=1,
                max_size=8,
            ),
            min_size=1,
            max_size=6,
        ),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=60, deadline=None)
def test_no_character_of_a_paragraph_is_lost(paragraphs: list[list[str]]) -> None:
    body = "".join(
        f"<text:p>{'<text:s/>'.join(f'<text:span>{w}</text:span>' for w in words)}</text:p>"
        for words in paragraphs
    )
    extraction = read_odt(body)
    wanted = [" ".join(words) for words in paragraphs]
    assert [text for _, text in list_blocks(extraction)] == wanted
    assert extraction.text.text == "\n".join(wanted) + "\f"


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_damaged_documents_end_in_an_extraction_or_a_named_refusal(data: st.DataObject) -> None:
    odt = bytearray(make_odt("<text:p>one</text:p>", styles=make_styles()))
    for _ in range(data.draw(st.integers(1, 6))):
        odt[data.draw(st.integers(0, len(odt) - 1))] = data.draw(st.integers(0, 255))
    assert ends_by_name(read, bytes(odt), ODT)


def test_real_documents_are_read(test_data: Path) -> None:
    paths = sorted((test_data / "documents" / "odt").rglob("*.odt"))
    assert paths
    empty, problems = [], {}
    for path in paths:
        try:
            first, second = (read_with(read, path.read_bytes(), ODT) for _ in range(2))
        except EmptyDocumentError:
            empty.append(path.name)
            continue
        assert first.extraction_id == second.extraction_id
        problems[path.name] = first.pages[0].problem
    assert {name: one for name, one in problems.items() if one} == {
        "testODFwithOOo3.odt": "2 embedded charts or formulas are not read"
    }
    # It holds one picture.
    assert empty == ["testODTEmbeddedImageLink.odt"]
