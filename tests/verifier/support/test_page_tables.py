"""Cells of tables that a page draws: what a model reads of them, and what governs them."""

from __future__ import annotations

from spanproof.core.span import Span
from spanproof.ingest import extract
from spanproof.verifier.support.context import find_contexts
from spanproof.verifier.support.scope import find_scope_cut
from spanproof.verifier.support.surroundings import read_surroundings
from tests.engines import needs_mupdf
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

pytestmark = needs_mupdf

ROWS = (
    ("Item", "Rejected", "2019"),
    ("Revenue", "3,999", "4,512"),
    ("Costs", "", "1,200"),
    ("Profit", "2,799", "3,312"),
    *((f"Branch number {number}", f"{number},001", f"{number},002") for number in range(10, 40)),
)


def draw_table() -> bytes:
    """A ruled table under its name; one cell is blank."""
    drawn = text_at(60, 772, "Table 3: Income", size=10)
    edges = [760 - 20 * number for number in range(len(ROWS) + 1)]
    for y, row in zip(edges, ROWS, strict=False):
        for x, words in zip((64, 204, 304), row, strict=True):
            drawn += text_at(x, y - 14, words, size=10) if words else b""
    for y in edges:
        drawn += b"60 %d m 400 %d l S\n" % (y, y)
    for x in (60, 200, 300, 400):
        drawn += b"%d %d m %d %d l S\n" % (x, edges[-1], x, edges[0])
    return build_pdf(PageSpec(content=drawn))


EXTRACTION = extract(draw_table())


def find(words: str) -> Span:
    start = EXTRACTION.text.text.index(words)
    return Span(start, start + len(words))


def test_a_cell_is_read_under_its_caption_and_headers() -> None:
    span = find("3,999")
    (context,) = find_contexts(EXTRACTION, span, "It is so and it is long.", None, citation=0)
    assert context.name == "headers"
    assert context.premise.text == "Table 3: Income. Item: Revenue. Rejected: 3,999"
    assert context.alone is not None
    assert context.alone.text == "Table 3: Income. Item: Revenue. Rejected: "
    # Only the span's own words are cited.
    cited = [piece for piece in context.premise.pieces if piece.citation == 0]
    assert [piece.to_canonical(piece.span) for piece in cited] == [span]


def test_rows_of_a_span_are_read_one_after_the_other() -> None:
    start, end = find("Costs").start, find("2,799").end
    (context,) = find_contexts(
        EXTRACTION, Span(start, end), "It is so and it is long.", None, citation=0
    )
    assert context.premise.text == (
        "Table 3: Income. Item: Costs; 2019: 1,200. Item: Profit; Rejected: 2,799"
    )


def test_the_header_of_a_column_governs_its_cells_however_far_above_it_stands() -> None:
    turned, plain = find("38,001"), find("38,002")
    assert turned.start - find("Rejected").end > 600
    claim = "Branch number 38 had 38,001."
    (veto,) = find_scope_cut(EXTRACTION, turned, read_surroundings(EXTRACTION, turned), claim)
    assert (veto.source, veto.source_span) == ("Rejected", find("Rejected"))
    claim = claim.replace("001", "002")
    assert find_scope_cut(EXTRACTION, plain, read_surroundings(EXTRACTION, plain), claim) == ()


def test_words_outside_of_the_table_are_no_cell() -> None:
    span = Span(find("Income").start, find("Item").end)
    for context in find_contexts(EXTRACTION, span, "It is so and it is long.", None, citation=0):
        assert "Revenue" not in context.premise.text
