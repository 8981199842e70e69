"""Text that a reader of a page does not see never passes; text that one sees is never doubted.

Each document says a visible sentence and a second one that is drawn in a way of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from spanproof.core.citation import Quote
from spanproof.ingest import extract
from spanproof.verifier.quotes.existence import check_existence
from tests.engines import needs_mupdf
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

SEEN = "The tenant pays the rent monthly."
DOUBTED = "The landlord waives the deposit."
STATES = (
    b"/ExtGState<</A0<</ca 0/CA 0>>/A2<</ca .02>>/A5<</ca .5>>/M<</SMask<</S/Luminosity"
    b"/G 6 0 R>>>>/MU<</BM/Multiply>>>>"
)
# An empty group: as a soft mask it takes everything away.
EMPTY_GROUP = (
    b"<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Group<</S/Transparency/CS/DeviceGray>>"
    b"/Length 0>>stream\n\nendstream"
)


def _shown(text: str = DOUBTED, *, size: float = 11, mode: int = 0, y: float = 660) -> bytes:
    return text_at(72, y, text, size=size, mode=mode)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How the second sentence is drawn: operators before and behind its own."""

    before: bytes = b""
    behind: bytes = b""
    size: float = 11
    mode: int = 0


_BAR = b"60 650 400 30 re f"
HIDDEN = {
    "white": _Way(before=b"1 g"),
    "nearly white": _Way(before=b".98 .98 .98 rg"),
    "white by CMYK": _Way(before=b"0 0 0 0 k"),
    "alpha 0": _Way(before=b"/A0 gs"),
    "alpha 0.02": _Way(before=b"/A2 gs"),
    "a soft mask": _Way(before=b"/M gs"),
    "clipped away": _Way(before=b"0 0 1 1 re W n"),
    "clipped by an empty path": _Way(before=b"300 300 0 0 re W n"),
    "mode 3": _Way(mode=3),
    "mode 7": _Way(mode=7),
    "a stroke in white": _Way(before=b"1 1 1 RG 0 w", mode=1),
    "half a point": _Way(size=0.5),
    "one point": _Way(size=1),
    "under a black bar": _Way(behind=b"0 g " + _BAR),
    "under a white bar": _Way(behind=b"1 g " + _BAR),
    "under a bar of strips": _Way(
        behind=b"1 g " + b" ".join(b"60 %d 400 1 re f" % y for y in range(650, 680))
    ),
    "under a thick line": _Way(behind=b"1 G 30 w 60 665 m 460 665 l S"),
    "black on black": _Way(before=b"0 g " + _BAR + b" 0 g"),
    "blue on blue": _Way(before=b"0 0 .8 rg " + _BAR + b" 0 .01 .8 rg"),
    "off the page": _Way(before=b"1 0 0 1 900 0 cm"),
    "squeezed to nothing": _Way(before=b"1 0 0 .01 0 650 cm"),
    "letters over letters": _Way(
        behind=text_at(72, 660, "The landlord waives the debosit.", size=11)
    ),
    "under the last of many shapes": _Way(
        behind=b" ".join(b"%d 100 5 5 re f" % x for x in range(0, 600, 2)) + b" 1 g " + _BAR
    ),
    "struck by a line": _Way(behind=b"0 G .8 w 70 663 m 232 663 l S"),
    "struck by a box": _Way(behind=b"0 g 70 662.6 162 .8 re f"),
}
VISIBLE = {
    "plain": _Way(),
    "grey": _Way(before=b".5 g"),
    "light grey": _Way(before=b".8 g"),
    "half transparent": _Way(before=b"/A5 gs"),
    "yellow on white": _Way(before=b"1 1 0 rg"),
    "white on black": _Way(before=b"0 g " + _BAR + b" 1 g"),
    "white on blue": _Way(before=b".1 .2 .6 rg " + _BAR + b" 1 g"),
    "black on a yellow band": _Way(before=b"1 1 0 rg " + _BAR + b" 0 g"),
    "grey on a grey band": _Way(before=b".85 g " + _BAR + b" .3 g"),
    "highlighted by multiplying": _Way(behind=b"/MU gs 1 1 0 rg " + _BAR),
    "in a frame": _Way(behind=b"0 G 1 w 60 650 400 30 re S"),
    "underlined": _Way(behind=b"0 G .6 w 72 658 m 232 658 l S"),
    "under a line of a table": _Way(behind=b"0 G .6 w 60 676 m 460 676 l S"),
    "over a line of a grid": _Way(before=b".8 G .5 w 0 663 m 600 663 l S"),
    "clipped to its cell": _Way(before=b"60 650 400 30 re W n"),
    "beside other letters": _Way(behind=text_at(300, 660.4, "never")),
    "above a shape far below": _Way(behind=b"1 g 60 100 400 30 re f"),
    "on a page of many shapes": _Way(
        behind=b" ".join(b"%d 100 5 5 re f" % x for x in range(0, 600, 2))
    ),
    "a small footnote": _Way(size=4),
    "stroked and filled": _Way(mode=2),
    "large": _Way(size=20),
}


def _document(way: _Way) -> bytes:
    content = _shown(SEEN, y=700) + b"q %s\n%s\n%s Q" % (
        way.before,
        _shown(size=way.size, mode=way.mode),
        way.behind,
    )
    entries = b"/Resources<</Font<</F1 3 0 R>>%s>>" % STATES
    page = PageSpec(content=content, entries=entries)
    data = build_pdf(page, extra=(EMPTY_GROUP,))
    # The page's own resources stand behind those that every page gets: the last ones count.
    return data.replace(b"/Resources<</Font<</F1 3 0 R>>>>" + entries, entries)


def _codes(data: bytes, quote: str) -> tuple[str, ...]:
    return check_existence(Quote(text=quote), extract(data), ())[1]


@pytest.mark.parametrize("name", HIDDEN)
def test_what_no_reader_sees_is_hidden_text(name: str) -> None:
    data = _document(HIDDEN[name])
    assert "HIDDEN_TEXT" in _codes(data, DOUBTED)
    assert "HIDDEN_TEXT" not in _codes(data, SEEN)


@pytest.mark.parametrize("name", VISIBLE)
def test_what_a_reader_sees_is_not(name: str) -> None:
    data = _document(VISIBLE[name])
    for quote in (SEEN, DOUBTED):
        assert not {"HIDDEN_TEXT", "LOST_GLYPHS"} & set(_codes(data, quote))


def _table(*pairs: tuple[int, int]) -> bytes:
    """A font's ToUnicode: Latin letters as they are, and these codes as other characters."""
    told = dict(zip(range(0x20, 0x7F), range(0x20, 0x7F), strict=True)) | dict(pairs)
    rows = b"".join(b"<%02x> <%04x>\n" % each for each in told.items())
    body = b"begincmap\n1 begincodespacerange <00> <ff> endcodespacerange\n"
    body += b"%d beginbfchar\n%sendbfchar\nendcmap" % (len(told), rows)
    return b"<</Length %d>>stream\n%s\nendstream" % (len(body), body)


@needs_mupdf
@pytest.mark.parametrize(
    ("drawn", "told", "quote"),
    [
        ("The fee is 900 euros.", ((0x39, 0x35),), "The fee is 500 euros."),
        ("It is nNt safe.", ((0x4E, 0x6F),), "It is not safe."),
        ("Safe never.", ((0x6E, 0x200B), (0x76, 0x20)), None),
    ],
)
def test_a_font_that_tells_other_characters_than_it_shows(
    drawn: str, told: tuple[tuple[int, int], ...], quote: str | None
) -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>"
    content = _shown(drawn, y=700)
    data = build_pdf(PageSpec(content=content), font=font, extra=(_table(*told),))
    extraction = extract(data)
    codes = check_existence(Quote(text=quote or extraction.text.text.strip()), extraction, ())[1]
    assert {"HIDDEN_TEXT", "LOST_GLYPHS"} <= set(codes)


@needs_mupdf
def test_a_font_that_tells_the_truth() -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>"
    data = build_pdf(PageSpec(content=_shown(SEEN, y=700)), font=font, extra=(_table(),))
    assert not {"HIDDEN_TEXT", "LOST_GLYPHS"} & set(_codes(data, SEEN))


@needs_mupdf
def test_hidden_text_far_from_other_hidden_text() -> None:
    lines = [_shown(f"Line {n} of the lease is here.", y=760 - 24 * n) for n in range(28)]
    white = [b"1 g " + line + b" 0 g" if n % 9 == 4 else line for n, line in enumerate(lines)]
    extraction = extract(build_pdf(PageSpec(content=b"\n".join(white))))
    for n in range(28):
        codes = check_existence(Quote(text=f"Line {n} of the lease is here."), extraction, ())[1]
        assert ("HIDDEN_TEXT" in codes) == (n % 9 == 4)
