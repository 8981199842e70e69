"""One glyph, five answers: where PDF.js, pdfium, MuPDF and we put it, on turned and cropped pages.

``python -m bench.documents.frames`` prints the table of docs/explanation/frames.md. It needs
Chromium and ``make build/pdfjs``.
"""

from __future__ import annotations

import ctypes
import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.documents.pdfjs import find_missing, open_viewer
from spanproof.core.documents.layout import QUANTUM
from spanproof.ingest import extract
from spanproof.ingest.engine.mupdf.library import load_pymupdf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.documents.pdfjs import Viewer
    from spanproof.core.geometry import PageFrame, Point, Quad

#: The place of the fixture's "A", in user space.
GLYPH = (150.0, 250.0)
_BOXES = "/MediaBox[100 200 700 1000]/CropBox[120 230 500 700]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A page's boxes, rotation and UserUnit, as its dictionary has them."""

    name: str
    entries: str


CASES = (
    Case(name="F1: crop off the media box's origin", entries=_BOXES),
    Case(name="the same, /Rotate 90", entries=_BOXES + "/Rotate 90"),
    Case(name="the same, /Rotate 180", entries=_BOXES + "/Rotate 180"),
    Case(name="the same, /Rotate 270", entries=_BOXES + "/Rotate 270"),
    Case(name="F0: the same, /Rotate 90 /UserUnit 2", entries=_BOXES + "/Rotate 90/UserUnit 2"),
    Case(
        name="negative origin, /Rotate 270 /UserUnit 1.5",
        entries="/MediaBox[-50 -80 550 720]/Rotate 270/UserUnit 1.5",
    ),
    Case(
        name="crop beyond the media box, /Rotate 180 /UserUnit 0.5",
        entries="/MediaBox[100 200 700 1000]/CropBox[0 0 500 700]/Rotate 180/UserUnit 0.5",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The origin of the glyph as each engine gives it."""

    case: Case
    pdfjs: Point
    pdfjs_shown: Point
    pdfium: Point
    mupdf: Point
    ours: Point
    ours_shown: Point


def build_page(case: Case, *, content: str = "BT /F1 20 Tf 150 250 Td (A) Tj ET") -> bytes:
    """A PDF of one page, by default with the glyph alone on it."""
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>{case.entries}>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    out, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("ascii")
    rows = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    tail = f"xref\n0 {size}\n0000000000 65535 f \n{rows}trailer<</Size {size}/Root 1 0 R>>\n"
    return out + f"{tail}startxref\n{len(out)}\n%%EOF\n".encode("ascii")


def ask_all(viewer: Viewer, case: Case) -> Answer:
    """Every engine's answer on one case."""
    data = build_page(case)
    viewer.open(data)
    (item,) = (one for one in viewer.items() if one.text == "A")
    ours, frame = ask_spanproof(data)
    return Answer(
        case=case,
        pdfjs=item.user,
        pdfjs_shown=item.shown,
        pdfium=ask_pdfium(data),
        mupdf=ask_mupdf(data),
        ours=ours,
        ours_shown=frame.user_to_display(ours),
    )


def ask_spanproof(data: bytes) -> tuple[Point, PageFrame]:
    """The first character's origin in user space, and the frame of its page."""
    extraction = extract(data)
    layout, frame = extraction.layout, extraction.pages[0].frame
    if layout is None or frame is None:
        msg = "Expected a page with a layout."
        raise ValueError(msg)
    along = float(layout.left[0])
    x = float(layout.run_x[0]) + along * float(layout.run_cos[0])
    y = float(layout.run_y[0]) + along * float(layout.run_sin[0])
    return (x * QUANTUM, y * QUANTUM), frame


def ask_mupdf(data: bytes) -> Point:
    """The first character's origin in the frame that MuPDF itself reports."""
    with load_pymupdf().open(stream=data, filetype="pdf") as opened:
        line = opened[0].get_text("rawdict")["blocks"][0]["lines"][0]
        x, y = line["spans"][0]["chars"][0]["origin"]
    return float(x), float(y)


def ask_pdfium(data: bytes) -> Point:
    """The first character's origin as pdfium gives it, through its bare functions."""
    import pypdfium2
    from pypdfium2 import raw

    opened = pypdfium2.PdfDocument(data)
    page = opened[0]
    text = page.get_textpage()
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(text, 0, x, y)
    origin = (x.value, y.value)
    text.close()
    page.close()
    opened.close()
    return origin


def quads_of(data: bytes) -> Iterator[tuple[int, Quad]]:
    """Page and quad of every run in which a reader sees ink."""
    from spanproof.core.documents.layout import HIDDEN, CharFlag
    from spanproof.core.span import Span

    extraction = extract(data)
    layout = extraction.layout
    if layout is None:
        return
    unseen = HIDDEN | CharFlag.SYNTHETIC | CharFlag.CONTROL | CharFlag.UNMAPPED
    for run in range(len(layout.run_start)):
        span = Span(int(layout.run_start[run]), int(layout.run_end[run]))
        words = extraction.text.slice(span)
        quad = layout.quad(run, span)
        if quad is None or not words.strip() or layout.any_flag(span, unseen):
            continue
        yield extraction.page_at(span.start).number, quad


def to_table(answers: list[Answer]) -> str:
    """The table in Markdown."""
    head = (
        "page",
        "PDF.js",
        "pdfium",
        "ours",
        "PDF.js viewport",
        "ours, displayed",
        "MuPDF's own frame",
    )
    rows = [
        (
            answer.case.name,
            *map(
                _to_text,
                (
                    answer.pdfjs,
                    answer.pdfium,
                    answer.ours,
                    answer.pdfjs_shown,
                    answer.ours_shown,
                    answer.mupdf,
                ),
            ),
        )
        for answer in answers
    ]
    cells = [f"| {' | '.join(line)} |" for line in (head, *rows)]
    return "\n".join((cells[0], "|---" * len(head) + "|", *cells[1:]))


def _to_text(point: Point) -> str:
    return ", ".join(f"{value:.2f}".rstrip("0").rstrip(".") for value in point)


def furthest(answer: Answer) -> float:
    """The largest distance between two answers that should be one."""
    user = max(math.dist(answer.ours, other) for other in (answer.pdfjs, answer.pdfium, GLYPH))
    return max(user, math.dist(answer.ours_shown, answer.pdfjs_shown))


def main() -> None:
    """Print the table, or what is missing."""
    missing = find_missing()
    if missing:
        sys.exit(missing)
    from importlib import metadata

    with open_viewer() as viewer:
        answers = [ask_all(viewer, case) for case in CASES]
        print(to_table(answers))
        versions = {name: metadata.version(name) for name in ("pymupdf", "pypdfium2")}
        print(f"\nPDF.js {viewer.version}, {versions}")
        print(f"Furthest apart: {max(map(furthest, answers)):.4f}")


if __name__ == "__main__":
    main()
