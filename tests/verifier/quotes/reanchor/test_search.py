"""Re-anchoring on changes with known truth: what is accepted is true, and most is found."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bench.anchors.mutations import KINDS, Clauses, mutate
from spanproof.core.documents.glyph_search import find_characters
from spanproof.core.documents.layout import Layout
from spanproof.core.documents.locate import locate_span
from spanproof.core.span import Span
from spanproof.ingest import extract
from spanproof.verifier.quotes.reanchor import Channels, ReanchorStatus, reanchor
from tests.builders import make_extraction
from tests.engines import needs_mupdf
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at
from tests.pdf_pages import make_pages

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

CLAUSES = Clauses.draw(60, seed=20261122)
LINE = "The fee is due on the first day of each month."
OTHER = "Late payment costs four per cent a year."


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_false_is_accepted_and_most_is_found(kind: str) -> None:
    source = make_extraction(CLAUSES.text)
    rng = random.Random(kind)  # noqa: S311 - drawn examples
    accepted = asked = 0
    for _ in range(12):
        mutated = mutate(CLAUSES, kind, rng)
        target = make_extraction(mutated.text)
        for number, truth in mutated.truth.items():
            found = reanchor(source, CLAUSES.spans[number], target)
            if found.is_accepted:
                assert found.span == truth, (kind, number, found)
                accepted += 1
            asked += truth is not None
    # Clauses that are repeated word for word may stay undecided where their neighbours changed.
    assert accepted >= 0.95 * asked


def test_the_same_text_keeps_its_offsets() -> None:
    one = make_extraction(CLAUSES.text)
    other = make_extraction(CLAUSES.text, pipeline="plain@2")
    found = reanchor(one, CLAUSES.spans[3], other)
    assert (found.status, found.channels) == (ReanchorStatus.SAME, Channels.AGREE)
    assert found.span == CLAUSES.spans[3]
    assert found.is_accepted


def test_a_changed_number_is_altered_and_says_where() -> None:
    source = make_extraction(
        "Pay within 30 days of receipt of the invoice. Then nothing more is due."
    )
    target = make_extraction(
        "Pay within 45 days of receipt of the invoice. Then nothing more is due."
    )
    found = reanchor(source, Span(0, 45), target)
    assert found.status is ReanchorStatus.ALTERED
    assert found.difference is not None
    assert not found.is_accepted


def test_words_that_stood_twice_and_stand_once_are_not_guessed() -> None:
    same = "The fee is due on the first day."
    source = make_extraction(
        f"Alpha clause about rents.\n{same}\nBeta clause.\n{same}\nGamma clause."
    )
    target = make_extraction(f"Delta.\n{same}\nEpsilon and other things entirely.")
    found = reanchor(source, Span(26, 26 + len(same)), target)
    assert found.status is ReanchorStatus.AMBIGUOUS
    assert found.reason == "copies"
    assert not found.is_accepted


def test_words_that_are_nowhere_are_gone() -> None:
    source = make_extraction("Team Alpha raised its forecast by seven percent in March.")
    target = make_extraction("Nothing of that kind was ever said by anybody in this text.")
    found = reanchor(source, Span(0, len(source.text)), target)
    assert found.status is ReanchorStatus.GONE
    assert found.channels is Channels.NEITHER
    assert found.span is None


def test_a_lookalike_does_not_take_over() -> None:
    """hypothesis/client#7571: a deleted sentence's twin about another team."""
    source = make_extraction("Team Alpha raised its forecast by seven percent. Other news follows.")
    target = make_extraction("Team Beta raised its forecast by twelve percent. Other news follows.")
    assert not reanchor(source, Span(0, 48), target).is_accepted


def test_a_blank_span_is_no_anchor() -> None:
    extraction = make_extraction("a \n b")
    with pytest.raises(ValueError, match="words"):
        reanchor(extraction, Span(1, 4), extraction)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(KINDS))
def test_whatever_is_accepted_reads_the_same_words(seed: int, kind: str) -> None:
    rng = random.Random(seed)  # noqa: S311 - drawn examples
    clauses = Clauses.draw(20, seed)
    mutated = mutate(clauses, kind, rng)
    source, target = make_extraction(clauses.text), make_extraction(mutated.text)
    number = rng.choice(sorted(mutated.truth))
    span = clauses.spans[number]
    # Two equal clauses side by side, one of them quoted again: no reader could tell which is which.
    assume(clauses.text.count(clauses.text[span.start : span.end]) == 1)
    found = reanchor(source, span, target)
    if found.is_accepted:
        assert found.span is not None
        words = target.text.slice(found.span).split()
        assert words == clauses.text[span.start : span.end].split()
        assert found.span == mutated.truth[number]


def build(*lines: str, top: float = 700) -> PageSpec:
    rows = enumerate(lines)
    return PageSpec(content=b"".join(text_at(72, top - 40 * n, row, size=14) for n, row in rows))


def find_nth(extraction: Extraction, words: str, number: int) -> Span:
    start = -1
    for _ in range(number + 1):
        start = extraction.text.text.index(words, start + 1)
    return Span(start, start + len(words))


#: One engine reads this as a line, the other as two: the two texts differ.
HEADING = text_at(72, 760, "Left", size=14) + text_at(400, 760, "Right", size=14)


#: The same words on three lines: text alone cannot tell them apart.
THREE = build_pdf(
    PageSpec(content=HEADING + build(LINE, OTHER, LINE).content),
    PageSpec(content=HEADING + build(LINE, "An end.").content),
)


@needs_mupdf
@pytest.mark.parametrize("number", [0, 1, 2])
def test_of_equal_lines_geometry_finds_the_own_one_in_another_engines_text(number: int) -> None:
    source, target = extract(THREE, engine="mupdf"), extract(THREE, engine="pdfium")
    span = find_nth(source, LINE, number)
    found = reanchor(source, span, target)
    assert found.is_accepted
    assert (found.channels, found.reason) == (Channels.AGREE, "geometry")
    assert found.span == find_nth(target, LINE, number)


@needs_mupdf
def test_where_the_old_place_reads_otherwise_nothing_is_accepted() -> None:
    source, target = extract(THREE, engine="mupdf"), extract(THREE, engine="pdfium")
    moved = _shift(target, by=50)
    found = reanchor(source, find_nth(source, OTHER, 0), moved)
    assert found.status is ReanchorStatus.AMBIGUOUS
    assert found.channels is Channels.CONFLICT
    assert found.reason == "elsewhere"
    assert not found.is_accepted


def _shift(extraction: Extraction, *, by: float) -> Extraction:
    """The same text, its glyphs elsewhere: what a wrong extraction would claim."""
    layout = extraction.layout
    assert layout is not None
    columns = {name: getattr(layout, name) for name in Layout.__slots__ if name != "__weakref__"}
    return replace(extraction, layout=Layout(**columns | {"run_y": layout.run_y - int(by * 100)}))


def test_an_inserted_page_moves_the_words_of_an_equal_page() -> None:
    old = extract(build_pdf(build(LINE, OTHER), build(LINE, "An end.")))
    new = extract(build_pdf(build("A new page."), build(LINE, OTHER), build(LINE, "An end.")))
    for number in (0, 1):
        found = reanchor(old, find_nth(old, LINE, number), new)
        assert found.is_accepted
        assert found.reason == "page"
        assert found.span == find_nth(new, LINE, number)
        assert found.channels is Channels.TEXT_ONLY


def test_a_turned_page_keeps_its_words() -> None:
    page = build(LINE, OTHER)
    old = extract(build_pdf(page))
    new = extract(build_pdf(replace(page, entries=b"/Rotate 90")))
    found = reanchor(old, find_nth(old, OTHER, 0), new)
    assert found.is_accepted
    assert found.span == find_nth(new, OTHER, 0)


def test_the_glyphs_of_a_span_are_those_within_its_own_quads() -> None:
    extraction = extract(build_pdf(build(LINE, OTHER), build(OTHER)))
    for words, number in ((LINE, 0), (OTHER, 0), (OTHER, 1), ("due", 0), ("four", 1)):
        span = find_nth(extraction, words, number)
        (locator,) = locate_span(extraction, span)
        (page,) = extraction.pages_of(span)
        there = find_characters(extraction, page, locator.quads).tolist()
        text = extraction.text.text
        assert {at for at in there if text[at] != " "} == {
            at for at in range(span.start, span.end) if text[at] != " "
        }


def test_without_a_layout_there_is_nothing_to_find() -> None:
    extraction = extract(build_pdf(build(LINE)))
    span = find_nth(extraction, LINE, 0)
    (locator,) = locate_span(extraction, span)
    plain = replace(extraction, layout=None)
    assert len(find_characters(plain, plain.pages[0], locator.quads)) == 0


@pytest.mark.parametrize("same_bytes", [True, False])
def test_words_that_another_pipeline_spaces_otherwise_are_found(same_bytes: bool) -> None:
    page = build(LINE, OTHER)
    target = extract(build_pdf(page))
    source = make_extraction(f"{LINE.replace('month', 'mo nth')}\n{OTHER}")
    source = replace(source, document=target.document) if same_bytes else source
    found = reanchor(source, find_nth(source, LINE.replace("month", "mo nth"), 0), target)
    assert found.is_accepted
    assert (found.status, found.folds) == (ReanchorStatus.FOLD_EQUAL, ("spacing",))
    assert found.span == find_nth(target, LINE, 0)


def test_lines_that_another_pipeline_orders_otherwise_are_found() -> None:
    rows = (
        ("Revenue from services", "4,512"),
        ("Cost of materials used", "2,204"),
        ("Staff and other expenses", "1,377"),
        ("Result before taxes", "931"),
    )
    columns = [(72 + 180 * x, 100 + 20 * y, row[x]) for x in (0, 1) for y, row in enumerate(rows)]
    target = extract(make_pages([columns]))
    source = make_extraction("\n".join(" ".join(row) for row in rows))
    found = reanchor(source, Span(0, len(source.text)), target)
    assert found.is_accepted
    assert (found.status, found.folds) == (ReanchorStatus.FOLD_EQUAL, ("line_order",))
    assert (found.channels, found.reason) == (Channels.TEXT_ONLY, "unique")
    words = " ".join(target.text.slice(piece.span) for piece in found.candidates)
    assert words.split() == source.text.text.split()
    changed = make_extraction(source.text.text.replace("931", "913"))
    assert not reanchor(changed, Span(0, len(changed.text)), target).is_accepted
