"""PDFs drawn by Hypothesis, of which everything is known: each string, each glyph's origin.

The font is Courier: every glyph is six tenths of the size wide, so where each of them begins is
arithmetic. Its ToUnicode map gives some codes the characters that extraction gets wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hypothesis import strategies as st

from spanproof.core.geometry import PageFrame, Rect, Rotation
from tests.ingest.pdf_bytes import PageSpec, build_pdf

ADVANCE = 0.6
#: Codes of the font that stand for other characters than Latin-1's: ligatures, a soft hyphen, a
#: raised two, a letter beyond the 16-bit plane, a combining accent, one for private use.
SPECIAL = {1: "ﬁ", 2: "ﬄ", 3: "\xad", 4: "²", 5: "𝑥", 6: "\u0301", 7: "\ue001", 8: "\xa0"}
_CODES = {character: code for code, character in SPECIAL.items()}
_PLAIN = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789.,-"
# A unit direction and an optional slant: level, upright, upside down, oblique, slanted.
_TURNS = ((0, 0.0), (90, 0.0), (180, 0.0), (270, 0.0), (30, 0.0), (-10, 0.0), (0, 0.3), (45, -0.2))


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnText:
    """One string as shown: its characters, each with the user-space origin of its glyph.

    ``slant`` is how far, in user units, a glyph leans out of its own advance at most.
    """

    text: str
    origins: tuple[tuple[float, float], ...]
    slant: float
    visible: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPage:
    """The texts of a page in the order in which they are drawn, and its frame."""

    texts: tuple[DrawnText, ...]
    frame: PageFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPdf:
    """A document's bytes and all that is true of it."""

    data: bytes
    pages: tuple[DrawnPage, ...]


@st.composite
def drawn_pdfs(draw: st.DrawFn, *, most_pages: int = 3, slanted: bool = True) -> DrawnPdf:
    """One to a few pages, some empty, each with boxes, a rotation and a unit of its own."""
    pages, specs = [], []
    for _ in range(draw(st.integers(1, most_pages))):
        page, content = draw(_pages(slanted=slanted))
        pages.append(page)
        specs.append(PageSpec(content=content, entries=_entries(page.frame)))
    return DrawnPdf(data=write_pdf(*specs), pages=tuple(pages))


def write_pdf(*specs: PageSpec) -> bytes:
    """A document of these pages with the font of this module."""
    after = 4 + 2 * len(specs)
    font = (
        b"<</Type/Font/Subtype/Type1/BaseFont/Courier/FirstChar 1/LastChar 126/Widths[%s]"
        b"/Encoding<</Type/Encoding/BaseEncoding/WinAnsiEncoding"
        b"/Differences[1/a/b/hyphen/two/x/acute/bullet/space]>>/ToUnicode %d 0 R>>"
        % (b" ".join([b"600"] * 126), after)
    )
    rows = "".join(
        f"<{code:02x}> <{character.encode('utf-16-be').hex()}>\n"
        for code, character in SPECIAL.items()
    )
    ranges = "<20> <7e> <0020>\n"
    map_ = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "/CMapName /Drawn def /CMapType 2 def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(SPECIAL)} beginbfchar\n{rows}endbfchar\n"
        f"1 beginbfrange\n{ranges}endbfrange\nendcmap end end"
    ).encode()
    stream = b"<</Length %d>>stream\n%s\nendstream" % (len(map_), map_)
    return build_pdf(*specs, font=font, extra=(stream,))


def show(text: str, x: float, y: float, *, size: float = 10, degrees: int = 0) -> bytes:
    """Operators that show a string of this module's characters."""
    matrix = " ".join(f"{value:.6f}" for value in _matrix(degrees, 0.0))
    return f"BT /F1 {size} Tf {matrix} {x} {y} Tm <{_hex(text)}> Tj ET\n".encode()


@st.composite
def _pages(draw: st.DrawFn, *, slanted: bool) -> tuple[DrawnPage, bytes]:
    x0, y0 = draw(st.tuples(st.integers(-300, 300), st.integers(-300, 300)))
    media = Rect(x0, y0, x0 + 600, y0 + 800)
    view = media
    if draw(st.booleans()):
        view = Rect(media.x0 + 20.5, media.y0 + 30, media.x1 - 40, media.y1 - 50.25)
    rotation: Rotation = draw(st.sampled_from((0, 90, 180, 270)))
    unit = draw(st.sampled_from((1.0, 1.0, 2.0, 0.5)))
    texts, content = [], b""
    # Rows far apart: what is drawn on one of them cannot be taken for a part of another.
    for row in range(draw(st.integers(0, 5))):
        # Beyond the left edge now and then: off the page, and still text.
        column = draw(st.sampled_from((-400, 60, 200, 350)))
        text, operators = draw(
            _texts(media.x0 + column, media.y0 + 100 + 120 * row, slanted=slanted)
        )
        texts.append(text)
        content += operators
    frame = PageFrame(view_box=view, media_box=media, rotation=rotation, user_unit=unit)
    return DrawnPage(texts=tuple(texts), frame=frame), content


@st.composite
def _texts(draw: st.DrawFn, x: float, y: float, *, slanted: bool) -> tuple[DrawnText, bytes]:
    size = draw(st.sampled_from((6.0, 10.0, 17.5)))
    turns = [turn for turn in _TURNS if slanted or not turn[1]]
    degrees, slant = draw(st.sampled_from(turns))
    visible = draw(st.sampled_from((True, True, True, False)))
    word = st.text(st.sampled_from(_PLAIN), min_size=1, max_size=6)
    special = st.sampled_from(sorted(_CODES))
    pieces = draw(st.lists(st.one_of(word, special, st.just(" ")), min_size=1, max_size=5))
    # A string of white space alone has no ink that anything could be known by.
    pieces = ["a", *pieces, "z"]
    a, b, c, d = _matrix(degrees, slant)
    shown, origins, along = [], [], 0.0
    for piece in pieces:
        shown.append(f"<{_hex(piece)}>")
        for _ in piece:
            origins.append((x + along * a, y + along * b))
            along += ADVANCE * size
        kern = draw(st.sampled_from((0, 0, 40, -120, -700)))
        shown.append(str(kern))
        along -= kern / 1000 * size
    operators = (
        f"BT {0 if visible else 3} Tr /F1 {size} Tf {a:.6f} {b:.6f} {c:.6f} {d:.6f} {x} {y} Tm "
        f"[{' '.join(shown)}] TJ ET\n"
    )
    text = DrawnText(
        text="".join(pieces), origins=tuple(origins), slant=abs(slant) * size, visible=visible
    )
    return text, operators.encode()


def _matrix(degrees: int, slant: float) -> tuple[float, float, float, float]:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return cos, sin, slant * cos - sin, slant * sin + cos


def _hex(text: str) -> str:
    return "".join(f"{_CODES.get(character) or ord(character):02x}" for character in text)


def _entries(frame: PageFrame) -> bytes:
    def box(rect: Rect) -> str:
        return f"[{rect.x0} {rect.y0} {rect.x1} {rect.y1}]"

    parts = [f"/MediaBox{box(frame.media_box)}"]
    if frame.view_box != frame.media_box:
        parts.append(f"/CropBox{box(frame.view_box)}")
    if frame.rotation:
        parts.append(f"/Rotate {frame.rotation}")
    if frame.user_unit != 1:
        parts.append(f"/UserUnit {frame.user_unit}")
    return "".join(parts).encode()
