"""Pages that show other characters than their ActualText says, drawn so that both are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.citation import Quote
from spanproof.core.documents.layout import CharFlag
from spanproof.ingest import extract
from spanproof.verifier.quotes.existence import check_existence
from tests.engines import needs_mupdf
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.core.documents.document import Extraction

pytestmark = needs_mupdf


def _string(said: str) -> bytes:
    return b"<%s>" % (b"\xfe\xff" + said.encode("utf-16-be")).hex().encode()


def _marked(said: str, shown: str, y: float = 600) -> bytes:
    """Glyphs under an ActualText that stands in the content stream itself."""
    return b"/Span<</ActualText%s>>BDC\n%sEMC\n" % (_string(said), text_at(72, y, shown))


def _read(content: bytes) -> Extraction:
    return extract(build_pdf(PageSpec(content=content)))


def _flagged(extraction: Extraction) -> str:
    assert extraction.layout is not None
    flags = extraction.layout.flags.tolist()
    text = extraction.text.text
    return "".join(c for c, flag in zip(text, flags, strict=True) if flag & CharFlag.ACTUALTEXT)


def _inline(said: str, shown: str) -> bytes:
    return build_pdf(PageSpec(content=_marked(said, shown)))


def _escaped(said: str, shown: str) -> bytes:
    content = _marked(said, shown).replace(b"/ActualText", b"/Act#75al#54ext")
    return build_pdf(PageSpec(content=content))


def _property(said: str, shown: str) -> bytes:
    content = b"/Span/P1 BDC\n%sEMC\n" % text_at(72, 600, shown)
    entries = b"/Resources<</Font<</F1 3 0 R>>/Properties<</P1<</ActualText%s>>>>>>"
    return build_pdf(PageSpec(content=content, entries=entries % _string(said)))


def _structure(said: str, shown: str) -> bytes:
    content = b"/Span<</MCID 0>>BDC\n%sEMC\n" % text_at(72, 600, shown)
    return build_pdf(
        PageSpec(content=content, entries=b"/StructParents 0"),
        catalog=b"/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R",
        extra=(
            b"<</Type/StructTreeRoot/K 7 0 R/ParentTree<</Nums[0[7 0 R]]>>>>",
            b"<</Type/StructElem/S/Span/P 6 0 R/K 0/Pg 4 0 R/ActualText%s>>" % _string(said),
        ),
    )


def _form(said: str, shown: str) -> bytes:
    content = _marked(said, shown)
    form = b"<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>"
    form += b"/Length %d>>stream\n%s\nendstream" % (len(content), content)
    entries = b"/Resources<</XObject<</Fm0 6 0 R>>>>"
    return build_pdf(PageSpec(content=b"/Fm0 Do", entries=entries), extra=(form,))


@pytest.mark.parametrize("way", [_inline, _escaped, _property, _structure, _form])
def test_other_letters_are_flagged_wherever_the_actualtext_stands(
    way: Callable[[str, str], bytes],
) -> None:
    extraction = extract(way("(1) Zweistufig", "aaaaaaaa"))
    assert extraction.text.text == "(1) Zweistufig\f"
    assert _flagged(extraction) == "(1) Zweistufig"
    (found,) = extraction.glyph_texts
    assert (extraction.text.slice(found.span), found.glyphs) == ("(1) Zweistufig", "aaaaaaaa")
    assert extraction.pages[0].counts.actualtext == len("(1) Zweistufig")


def test_a_quote_that_rests_on_other_letters_is_hidden_text() -> None:
    extraction = _read(text_at(72, 700, "The tenant") + _marked("pays nothing", "pays five"))
    quote = "pays nothing"
    existence, codes = check_existence(Quote(text=quote), extraction, ())
    assert existence.span is not None
    assert "HIDDEN_TEXT" in codes
    _, codes = check_existence(Quote(text="The tenant"), extraction, ())
    assert "HIDDEN_TEXT" not in codes


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        pytest.param("Small Caps", "SMALL CAPS", id="letter case"),
        pytest.param("\u00a0", " ", id="white space"),
        pytest.param("\u00ad", "-", id="hyphen at a line end"),
    ],
)
def test_typography_is_no_difference(said: str, shown: str) -> None:
    extraction = _read(_marked(said, shown))
    assert said in extraction.text.text
    assert _flagged(extraction) == ""
    assert extraction.glyph_texts == ()


@pytest.mark.parametrize("said", ["", " "])
def test_glyphs_keep_their_own_text_where_nothing_is_said_of_them(said: str) -> None:
    content = text_at(72, 700, "It is") + _marked(said, "never", 650) + text_at(72, 600, "due")
    extraction = _read(content)
    assert extraction.text.text == "It is\nnever\ndue\f"
    assert extraction.glyph_texts == ()
    assert extraction.counts.invisible == 0
    assert extraction.pages[0].status == "ok"


def test_offsets_count_all_pages_and_separators() -> None:
    plain = PageSpec(content=text_at(72, 700, "First page"))
    other = PageSpec(content=text_at(72, 700, "and") + _marked("six", "ten"))
    extraction = extract(build_pdf(plain, other, plain, other))
    assert [extraction.text.slice(found.span) for found in extraction.glyph_texts] == ["six"] * 2
    assert [page.counts.actualtext for page in extraction.pages] == [0, 3, 0, 3]
