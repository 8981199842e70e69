from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.documents.layout import CharFlag
from spanproof.core.errors import (
    BrokenDocumentError,
    EmptyDocumentError,
    ExtractionError,
    LimitExceededError,
)
from spanproof.ingest.elements.rtf.rtf import read
from spanproof.ingest.media_type import RTF
from tests.ingest.elements.reading import ends_by_name, list_blocks, read_with

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.document import Extraction

HEAD = (
    rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial;}"
    rb"{\f2\fcharset128 Mincho;}{\f3\fcharset2 Symbol;}}{\stylesheet{\s0 Normal;}"
    rb"{\s1\outlinelevel0 heading 1;}{\s2 Title;}{\s3\outlinelevel2 Eigene;}{\*\cs9 Link;}}"
    rb"{\info{\title Not text}{\author Nobody}}"
)


def read_rtf(body: bytes) -> Extraction:
    return read_with(read, HEAD + body + b"}", RTF)


def text_of(body: bytes) -> str:
    return read_rtf(body).text.text.removesuffix("\f")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb"one\par two\par", "one\ntwo"),
        (b"one\\\ntwo", "one\ntwo"),
        (b"one\r\ntwo", "onetwo"),
        (rb"a\line b\tab c", "a\nb\tc"),
        (rb"\{a\\b\}", "{a\\b}"),
        (rb"a\~b\-c\_d", "a\u00a0b\u00adc\u2011d"),
        (rb"\ldblquote a\rdblquote\emdash b\rquote s\bullet", "\u201ca\u201d\u2014b\u2019s\u2022"),
        (rb"caf\'e9 \'80", "caf\u00e9 \u20ac"),
        (b"caf\xe9", "caf\u00e9"),
        (rb"\f1 \'d3\'e2\f0 \'d3", "\u0423\u0432\u00d3"),
        (rb"\f2 \'82\'b1\'82\'f1", "\u3053\u3093"),
        (rb"\f2 \'83e\'83\\", "\u30c6\u30bd"),
        (rb"{\f1 \'d3}\'d3", "\u0423\u00d3"),
        (rb"\f1 \'d3\plain \'d3", "\u0423\u00d3"),
        (rb"\u8217?s", "\u2019s"),
        (rb"\u8217\'92s", "\u2019s"),
        (rb"\uc0\u8217 s", "\u2019s"),
        (rb"{\uc2\u12371\'82\'b1}s", "\u3053s"),
        (rb"\u8212\emdash s", "\u2014s"),
        (rb"\u8217\par s", "\u2019\ns"),
        (rb"{\u8217}s", "\u2019s"),
        (rb"\u-10179?\u-8704?", "\U0001f600"),
        (rb"a{\*\unknown secret}b", "ab"),
        (rb"a{\unknown shown}b", "ashownb"),
        (rb"a{\pict\bin4 }}{{b}c", "ac"),
        (rb"a{\pict 0102030405}b", "ab"),
        (rb"a{\object{\*\objdata 00ff}{\result shown}}b", "ashownb"),
        (rb'a{\field{\*\fldinst HYPERLINK "x"}{\fldrslt {\ul here}}}b', "ahereb"),
        (rb'a{\field{\fldinst PAGEREF "x"}{\fldrslt 7}}b', "a7b"),
        (rb"a{\deleted old}{\revised new}b", "anewb"),
        (rb"a{\xe index entry}b{\*\bkmkstart mark}", "ab"),
        (rb"{\upr{plain}{\*\ud{\u8217 ?}}}b", "\u2019b"),
        (rb"{\shp{\*\shpinst{\sp{\sn n}{\sv 1}}{\shptxt boxed\par}}{\shprslt again}}a", "a\nboxed"),
        (rb"{\mmath{\*\moMath{\mr x}{\*\mctrlPr z}{\mfPr{\mtype bar}}=1}}", "x=1"),
    ],
)
def test_text_is_what_the_file_says_is_text(body: bytes, text: str) -> None:
    assert text_of(body) == text


def test_a_code_page_of_the_document_serves_fonts_without_one() -> None:
    data = rb"{\rtf1\ansi\ansicpg1251{\fonttbl{\f0 Arial;}{\f1\fcharset1 A;}}\'d3\f1\'e2\f9\'e0}"
    assert read_with(read, data, RTF).text.text == "\u0423\u0432\u0430\f"


def test_characters_of_symbol_fonts_are_flagged_as_known_to_the_font_only() -> None:
    extraction = read_rtf(rb"a {\f3 \'62}")
    assert extraction.text.text == "a \uf062\f"
    assert extraction.counts.private_use == 1


def test_bytes_that_a_code_page_lacks_are_flagged() -> None:
    extraction = read_rtf(rb"\f1 a\'98\par b")
    assert extraction.text.text == "a\ufffd\nb\f"
    assert extraction.layout is not None
    assert extraction.layout.flags[1] & CharFlag.UNMAPPED


def test_half_a_pair_is_replaced_and_kept_beside() -> None:
    extraction = read_rtf(rb"a\u-10179?b")
    assert extraction.text.text == "a\ufffdb\f"
    assert extraction.originals == ((1, 0xD83D),)


def test_headings_titles_and_items_become_blocks_with_levels() -> None:
    extraction = read_rtf(
        rb"\pard\s2 Report\par\pard\s1 One\par\pard\s3 Three\par\pard\outlinelevel1 Two\par"
        rb"\pard{\listtext\pard\plain 1.\tab}\ls1\ilvl1 numbered\par"
        rb"\pard{\pntext\f3\'b7\tab}bullet\par\pard plain\par"
    )
    assert list_blocks(extraction) == [
        ("title", "Report"),
        ("heading", "One"),
        ("heading", "Three"),
        ("heading", "Two"),
        ("list_item", "1. numbered"),
        ("list_item", "bullet"),
        ("paragraph", "plain"),
    ]
    assert [b.level for b in extraction.blocks] == [None, 1, 3, 2, 2, 1, None]


def test_cells_and_rows_become_a_table() -> None:
    extraction = read_rtf(
        rb"before\par{\trowd\cellx1\cellx2\pard\intbl a\cell b1\par b2\cell\row"
        rb"\pard\intbl \cell d\cell\row}\pard after\par"
    )
    assert extraction.text.text == "before\na\tb1\nb2\nd\nafter\f"
    assert [block.kind for block in extraction.blocks] == [
        "paragraph",
        "table",
        "row",
        "cell",
        "cell",
        "paragraph",
        "paragraph",
        "row",
        "cell",
        "paragraph",
    ]
    cells = [b.place.cell for b in extraction.blocks if b.kind == "cell" and b.place]
    assert cells == ["A1", "B1", "B2"]


def test_tables_may_stand_in_cells() -> None:
    extraction = read_rtf(
        rb"\pard\intbl outer \par\pard\intbl\itap2 x\nestcell y\nestcell"
        rb"{\*\nesttableprops\trowd\nestrow}{\nonesttables ignored\par}"
        rb"\pard\intbl\itap1 end\cell z\cell\row\pard after\par"
    )
    assert extraction.text.text == "outer \nx\ty\nend\tz\nafter\f"
    tables = [b for b in extraction.blocks if b.kind == "table"]
    assert [extraction.text.slice(b.span) for b in tables] == ["outer \nx\ty\nend\tz", "x\ty"]


def test_headers_footnotes_and_footers_stand_apart_from_the_body() -> None:
    header = rb"{\header\pard Top\par}"
    extraction = read_rtf(
        header + rb"{\footerf Foot\par}\sectd" + header + rb"Due in 30{\super\chftn}"
        rb"{\footnote\pard\plain{\super\chftn} Working days.} days.\par"
    )
    assert list_blocks(extraction) == [
        ("header", "Top"),
        ("paragraph", "Due in 30 days."),
        ("footnote", " Working days."),
        ("footer", "Foot"),
    ]


def test_hidden_text_is_left_out_and_counted() -> None:
    extraction = read_rtf(rb"a{\v secret}b\v more\v0 c\par{\v d{\footnote e}}")
    assert extraction.text.text == "abc\f"
    assert extraction.pages[0].status == "degraded"
    assert extraction.pages[0].problem == "11 hidden characters are left out"


def test_a_file_that_ends_early_says_so() -> None:
    extraction = read_with(read, HEAD + rb"all that {\b there is", RTF)
    assert extraction.text.text == "all that there is\f"
    assert extraction.pages[0].problem == "the file ends within a group"


def test_what_follows_the_document_is_no_text() -> None:
    assert read_with(read, HEAD + b"text}\x00\x00{more}", RTF).text.text == "text\f"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"plain", BrokenDocumentError),
        (HEAD + b"}", EmptyDocumentError),
        (HEAD + b"{" * 2000 + b"x", LimitExceededError),
        (HEAD + rb"\pard\intbl\itap900000 x\par}", LimitExceededError),
    ],
    ids=["no RTF", "no text", "groups", "tables"],
)
def test_what_cannot_be_read_is_refused_by_name(data: bytes, error: type[ExtractionError]) -> None:
    with pytest.raises(error):
        read_with(read, data, RTF)


def test_groups_without_end_in_a_skipped_one_cost_nothing() -> None:
    assert text_of(rb"a{\*\unknown " + b"{" * 100_000 + b"}" * 100_000 + b"}b") == "ab"


@pytest.mark.parametrize("word", [rb"\u99999999999999999999", rb"\bin99999999999", rb"\ilvl-5"])
def test_absurd_numbers_are_survived(word: bytes) -> None:
    assert text_of(b"a\\par" + word + b" ").startswith("a")


@given(
    st.lists(
        st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\r\n")),
        min_size=1,
    ).filter(lambda drawn: any(text.strip() for text in drawn))
)
@settings(max_examples=80, deadline=None)
def test_no_character_of_a_paragraph_is_lost(paragraphs: list[str]) -> None:
    def encode(text: str) -> bytes:
        raw = text.encode("utf-16-le")
        units = (
            int.from_bytes(raw[i : i + 2], "little", signed=True) for i in range(0, len(raw), 2)
        )
        return b"".join(rb"\u%d?" % unit for unit in units)

    extraction = read_rtf(b"".join(encode(text) + rb"\par" for text in paragraphs))
    wanted = [text for text in paragraphs if text.strip()]
    assert [text for _, text in list_blocks(extraction)] == wanted
    assert extraction.text.text == "\n".join(wanted) + "\f"


TOKENS = st.sampled_from(
    rb"{ } { } text \par \cell \row \nestcell \nestrow \intbl \itap2 \itap0 \pard \u955? \'e9"
    rb" \v \v0 {\footnote {\header {\listtext {\fonttbl {\stylesheet {\shptxt {\upr {\*\ud \ud"
    rb" \f1 \s1 \* \bin3 \deleted \plain \uc0 \uc5 \\".split(b" ")
)


@given(st.lists(TOKENS, max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_order_of_words_ends_in_an_extraction_or_a_named_refusal(tokens: list[bytes]) -> None:
    assert ends_by_name(read, HEAD + b" ".join(tokens) + b"}", RTF)


def test_real_documents_are_read(test_data: Path) -> None:
    paths = sorted((test_data / "documents" / "rtf").rglob("*.rtf"))
    assert paths
    empty = []
    for path in paths:
        try:
            first, second = (read_with(read, path.read_bytes(), RTF) for _ in range(2))
        except EmptyDocumentError:
            empty.append(path.name)
            continue
        assert first.extraction_id == second.extraction_id
        assert first.pages[0].status == "ok", path.name
    # They hold one picture each.
    assert empty == ["testBinControlWord.rtf", "testRTFEmbeddedLink.rtf"]


def test_a_mark_inside_a_group_leaves_out_nothing() -> None:
    assert text_of(rb"a {\b0\*\cs7 did not approve} b{\*\cs7 gone}") == "a did not approve b"
