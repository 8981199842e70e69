from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.digest import Digest
from spanproof.core.documents.block_place import BlockPlace, describe_places, find_places
from spanproof.core.documents.document import CharacterCounts, Document, Extraction, Page, Pipeline
from spanproof.core.documents.text_block import Block, Place
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText


def make_extraction(text: str, *blocks: Block) -> Extraction:
    return Extraction(
        document=Document(
            doc_hash=Digest.of(text.encode()), media_type="text/plain", byte_length=len(text)
        ),
        pipeline=Pipeline(name="test@1", config_json="{}"),
        text=CanonicalText.of(text),
        pages=(
            Page(
                number=1,
                label=None,
                span=Span(0, len(text)),
                frame=None,
                text_source="born_digital",
                counts=CharacterCounts(),
            ),
        ),
        layout=None,
        blocks=blocks,
    )


TABLE = make_extraction(
    "Title\na\tb\nc\td\f",
    Block(kind="title", span=Span(0, 5), place=Place(paragraph=1)),
    Block(kind="table", span=Span(6, 13), place=Place()),
    Block(kind="row", span=Span(6, 9), place=Place()),
    Block(kind="cell", span=Span(6, 7), place=Place(cell="A1", paragraph=2)),
    Block(kind="cell", span=Span(8, 9), place=Place(cell="B1", paragraph=3)),
    Block(kind="row", span=Span(10, 13), place=Place()),
    Block(kind="cell", span=Span(10, 11), place=Place(cell="A2", paragraph=4)),
    Block(kind="cell", span=Span(12, 13), place=Place(cell="B2", paragraph=5)),
)


@pytest.mark.parametrize(
    ("start", "end", "places"),
    [
        (0, 5, [("title", None)]),
        (6, 7, [("cell", "A1")]),
        (8, 11, [("cell", "B1"), ("cell", "A2")]),
        (4, 8, [("title", None), ("cell", "A1")]),
        (7, 8, [("row", None)]),
        (9, 10, [("table", None)]),
        (5, 6, []),
        (3, 3, [("title", None)]),
        (13, 14, []),
    ],
)
def test_places_are_the_innermost_blocks_that_the_span_touches(
    start: int, end: int, places: list[tuple[str, str | None]]
) -> None:
    found = find_places(TABLE, Span(start, end))
    assert [(place.kind, place.place.cell) for place in found] == places


@given(st.integers(0, 14), st.integers(0, 14))
def test_every_character_of_a_block_has_a_place(first: int, last: int) -> None:
    span = Span(min(first, last), max(first, last))
    touched = {i for b in TABLE.blocks for i in range(b.span.start, b.span.end)}
    places = find_places(TABLE, span)
    assert bool(places) >= bool(touched & set(range(span.start, span.end)))
    assert all(p.span.start < span.end or not len(span) for p in places)


@pytest.mark.parametrize(
    ("text", "offset", "line", "column"),
    [
        ("one\ntwo", 0, 1, 1),
        ("one\ntwo", 3, 1, 4),
        ("one\ntwo", 5, 2, 2),
        ("one\r\ntwo\rthree", 9, 3, 1),
        ("a\n\n\U0001d49cb", 4, 3, 2),
        ("one\n", 4, 2, 1),
    ],
)
def test_plain_text_is_placed_by_line_and_column(
    text: str, offset: int, line: int, column: int
) -> None:
    (place,) = find_places(make_extraction(text), Span(offset, len(text)))
    assert (place.kind, place.line, place.column) == ("text", line, column)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (Place(sheet="Q1", cell="B4", paragraph=9), "sheet Q1, cell B4"),
        (Place(slide=3, paragraph=2), "slide 3, paragraph 2"),
        (Place(paragraph=17), "paragraph 17"),
        (Place(part="1.2", paragraph=1), "part 1.2, paragraph 1"),
        (Place(paragraph=5, cell="B2"), "paragraph 5, cell B2"),
        (Place(), ""),
    ],
)
def test_places_are_said_as_a_person_says_them(place: Place, words: str) -> None:
    assert BlockPlace(kind="paragraph", span=Span(0, 1), place=place).words == words


def test_of_several_places_the_first_and_the_last_are_said() -> None:
    assert describe_places(find_places(TABLE, Span(0, 13))) == "paragraph 1 to paragraph 5, cell B2"
    assert describe_places(find_places(TABLE, Span(0, 3))) == "paragraph 1"
    assert describe_places(find_places(make_extraction("a\nb"), Span(2, 3))) == "line 2"
    assert describe_places(()) == ""
