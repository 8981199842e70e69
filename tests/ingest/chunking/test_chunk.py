from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.documents.document import Document, Pipeline
from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.text_block import Block, BlockKind, Place
from spanproof.core.errors import ExtractionError, InputError
from spanproof.core.span import Span
from spanproof.ingest import extract
from spanproof.ingest.chunking.chunk import PREFIX, Chunk, ChunkChoice, chunk
from spanproof.ingest.elements.writer import TextWriter
from spanproof.ingest.limits import Limits
from tests.builders import make_extraction
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at
from tests.strategies import unhurried, with_layout

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.document import Extraction

words = st.lists(
    st.sampled_from(["tenant", "shall", "pay", "e\u0301te\u0301.", "東京。", "x" * 60])
)
sayings = st.lists(words.map(" ".join).filter(str.strip), min_size=1, max_size=4)
tables = st.lists(
    st.lists(words.map(" ".join).filter(str.strip), min_size=1, max_size=3), min_size=1
)
parts = st.one_of(
    st.tuples(st.just("heading"), sayings),
    st.tuples(st.just("paragraph"), sayings),
    st.tuples(st.just("list_item"), sayings),
    st.tuples(st.just("table"), tables),
    st.tuples(st.just("page"), st.none()),
)
choices = st.builds(
    ChunkChoice,
    by=st.sampled_from(["size", "structure"]),
    max_characters=st.integers(40, 200),
    overlap=st.integers(0, 20),
)


def write(*content: tuple[str, Any]) -> Extraction:
    """An extraction of blocks, as a reader of DOCX or HTML makes it."""
    writer = TextWriter(limits=Limits())
    for number, (kind, inside) in enumerate(content, start=1):
        place = Place(paragraph=number)
        if kind == "page":
            writer.end_page()
        elif kind == "table":
            with writer.nest("table", place=place):
                for row in inside:
                    with writer.nest("row"):
                        for cell in row:
                            separator = "\n" if cell is row[0] else "\t"
                            writer.write(cell, "cell", separator=separator)
        else:
            for text in inside:
                writer.write(text, kind, place=place)  # type: ignore[arg-type]
    document = Document(doc_hash=Digest.of(b"x"), media_type="text/html", byte_length=1)
    return writer.finish(document, Pipeline(name="test@1", config_json="{}"))


def say(extraction: Extraction, chunks: tuple[Chunk, ...]) -> list[str]:
    return [one.text_in(extraction.text) for one in chunks]


def check(extraction: Extraction, choice: ChunkChoice) -> tuple[Chunk, ...]:
    """The laws of every set of chunks; returns the chunks."""
    text, chunks = extraction.text.text, chunk(extraction, choice)
    covered = bytearray(len(text))
    for one in chunks:
        slices = [text[span.start : span.end] for span in one.spans]
        assert one.text_in(extraction.text) == "\n".join(slices)
        assert "".join(slices).strip()
        assert len(one.text_in(extraction.text)) <= max(choice.max_characters, 1)
        pages = [page.number for page in extraction.pages_of(one.hull)]
        assert (one.page_start, one.page_end) == (pages[0], pages[-1])
        for span in one.spans:
            covered[span.start : span.end] = b"\x01" * len(span)
    missing = {i for i, seen in enumerate(covered) if not seen}
    if extraction.layout is not None:
        ours = CharFlag.SEPARATOR
        missing = {i for i in missing if not int(extraction.layout.flags[i]) & ours}
    # What is left out is white space only, and only where a chunk would hold nothing else.
    assert not {i for i in missing if not text[i].isspace()}
    ids = [one.chunk_id for one in chunks]
    assert len(set(ids)) == len(ids)
    assert chunk(extraction, choice) == chunks
    return chunks


@pytest.mark.long
@given(st.lists(parts, max_size=12), choices)
@unhurried
def test_the_laws_hold_of_blocks(content: list[tuple[str, Any]], choice: ChunkChoice) -> None:
    extraction = write(("paragraph", ["Beginning."]), *content)
    chunks = check(extraction, choice)
    if choice.by == "structure":
        assert all(one.page_start == one.page_end for one in chunks)


@given(
    st.text("ab é.\n", max_size=120),
    st.lists(
        st.tuples(
            st.integers(0, 120),
            st.integers(0, 60),
            st.sampled_from(["table", "row", "cell", "list_item", "heading", "paragraph"]),
        ),
        max_size=12,
    ),
    choices,
)
@unhurried
def test_the_laws_hold_of_any_blocks_even_where_they_overlap(
    text: str, given_blocks: list[tuple[int, int, BlockKind]], choice: ChunkChoice
) -> None:
    spans = [
        (Span(min(start, len(text)), min(start + length, len(text))), kind)
        for start, length, kind in given_blocks
    ]
    ordered = sorted(spans, key=lambda one: (one[0].start, -one[0].end))
    blocks = tuple(Block(kind=kind, span=span) for span, kind in ordered)
    check(replace(make_extraction(text), blocks=blocks), choice)


@given(
    st.lists(st.sampled_from(["One two. ", "\n", "\n\n", "# Head\n", "e\u0301", "a\tb ", "```\n"])),
    choices,
    st.sampled_from(["text/plain", "text/markdown"]),
)
@unhurried
def test_the_laws_hold_of_plain_text(
    pieces: list[str], choice: ChunkChoice, media_type: str
) -> None:
    made = make_extraction("".join(pieces))
    extraction = replace(made, document=replace(made.document, media_type=media_type))
    check(extraction, choice)


def test_chunks_of_plain_text_joined_are_the_text() -> None:
    text = "First paragraph.\n\nSecond one, a little longer.\r\n\r\n\tThird, é and 東京. " * 20
    extraction = make_extraction(text)
    for choice in (ChunkChoice(), ChunkChoice(by="structure", max_characters=50)):
        assert "".join(say(extraction, chunk(extraction, choice))) == text


@given(st.text("ab \n\f", max_size=200), st.data(), choices)
@unhurried
def test_separators_of_ours_begin_and_end_no_chunk(
    text: str, data: st.DataObject, choice: ChunkChoice
) -> None:
    breaks = [i for i, character in enumerate(text) if character in "\n\f"]
    ours = data.draw(st.sets(st.sampled_from(breaks))) if breaks else set()
    extraction = with_layout(text, separators=ours)
    for one in check(extraction, choice):
        for span in one.spans:
            assert not {span.start, span.end - 1} & ours


def test_ids_are_of_document_place_and_choice() -> None:
    extraction = make_extraction("The tenant shall pay the rent. The landlord shall repair.")
    choice = ChunkChoice(max_characters=31, overlap=0)
    first = chunk(extraction, choice)[0]
    config = {"name": "chunk-1", "by": "size", "max_characters": 31, "overlap": 0}
    position = [[first.hull.start, first.hull.end]]
    expected = canonical_json.digest([str(extraction.extraction_id), position, config])
    assert first.chunk_id == PREFIX + expected.hex
    others = [
        chunk(extraction, ChunkChoice(max_characters=32, overlap=0)),
        chunk(make_extraction(extraction.text.text + " Or not."), choice),
        chunk(make_extraction(extraction.text.text, pipeline="plain@2"), choice),
    ]
    assert [other[0].hull for other in others] == [first.hull] * 3
    assert len({first.chunk_id, *(other[0].chunk_id for other in others)}) == 4


def test_a_heading_begins_a_chunk_and_stays_with_its_text() -> None:
    extraction = write(
        ("paragraph", ["Before."]),
        ("heading", ["Part One", "Section 1"]),
        ("paragraph", ["Of rent.", "Of repairs."]),
        ("heading", ["Section 2"]),
        ("paragraph", ["word " * 30]),
    )
    found = say(extraction, chunk(extraction, ChunkChoice(by="structure", max_characters=80)))
    assert found[:2] == ["Before.", "Part One\nSection 1\nOf rent.\nOf repairs."]
    assert found[2].startswith("Section 2\nword word")


def test_a_list_that_fits_a_chunk_is_not_parted() -> None:
    items = [f"item number {n}" for n in range(4)]
    extraction = write(("paragraph", ["x" * 30]), ("list_item", items), ("paragraph", ["After."]))
    found = say(extraction, chunk(extraction, ChunkChoice(by="structure", max_characters=70)))
    assert found == ["x" * 30, "\n".join(items), "After."] or found == [
        "x" * 30,
        "\n".join([*items, "After."]),
    ]


def test_a_table_is_cut_between_rows_under_its_first_row() -> None:
    rows = [["Name", "Rent"], *([f"House {n}", f"{n} 000 €"] for n in range(9))]
    extraction = write(("heading", ["Houses"]), ("table", rows), ("paragraph", ["After."]))
    chunks = check(extraction, ChunkChoice(by="structure", max_characters=60, overlap=0))
    found = say(extraction, chunks)
    assert found[0].startswith("Houses\nName\tRent\nHouse 0\t0 000 €\n")
    for one, text in zip(chunks[1:-1], found[1:-1], strict=True):
        assert len(one.spans) == 2
        assert text.startswith("Name\tRent\nHouse ")
        assert text.endswith("€")
    assert found[-1] == "After."
    assert chunks[0].place == Place(paragraph=1)
    assert chunks[1].place == Place(paragraph=2)


def test_a_first_row_before_nothing_of_its_own_is_no_chunk() -> None:
    rows = [["PLATE"], ["XII.", "Clearing the Snow From the Rink"], ["XIII.", "Sprinkling"]]
    extraction = write(("table", rows))
    chunks = check(extraction, ChunkChoice(by="structure", max_characters=20, overlap=0))
    assert say(extraction, chunks).count("PLATE") == 1


def test_the_row_of_a_table_within_a_table_is_no_row_of_the_outer_one() -> None:
    writer = TextWriter(limits=Limits())
    with writer.nest("table"):
        for n in range(4):
            with writer.nest("row"):
                writer.write(f"outer {n}", "cell")
                with writer.nest("cell"), writer.nest("table"), writer.nest("row"):
                    writer.write(f"inner {n}", "cell")
    document = Document(doc_hash=Digest.of(b"x"), media_type="text/html", byte_length=1)
    extraction = writer.finish(document, Pipeline(name="test@1", config_json="{}"))
    chunks = check(extraction, ChunkChoice(by="structure", max_characters=40, overlap=0))
    assert say(extraction, chunks)[1] == "outer 0\ninner 0\nouter 2\ninner 2"


def test_headings_of_markdown_begin_chunks_but_not_in_code() -> None:
    text = "# A\n\nOne.\n\n## B\nTwo.\n\n```\n# no heading\n```\n\n#hash\n"
    extraction = extract(text.encode(), filename="x.md")
    found = say(extraction, chunk(extraction, ChunkChoice(by="structure")))
    assert found == ["# A\n\nOne.\n\n", "## B\nTwo.\n\n```\n# no heading\n```\n\n#hash\n"]


def test_paragraphs_of_a_pdf_are_parted_by_its_gaps_and_pages() -> None:
    lines = ["First line of one", "and its second line.", "Two begins here", "and ends here."]
    heights = [700, 688, 660, 648]
    drawn = b"".join(text_at(72, y, line, size=10) for y, line in zip(heights, lines, strict=True))
    extraction = extract(build_pdf(PageSpec(content=drawn), PageSpec(content=drawn)))
    chunks = check(extraction, ChunkChoice(by="structure", max_characters=45, overlap=0))
    one, two = "\n".join(lines[:2]), "\n".join(lines[2:])
    assert say(extraction, chunks) == [one, two, one, two]
    assert [c.page_start for c in chunks] == [1, 1, 2, 2]


def test_a_text_without_words_has_no_chunks() -> None:
    for by in ("size", "structure"):
        choice = ChunkChoice(by=by)
        assert chunk(make_extraction(""), choice) == ()
        assert chunk(make_extraction(" \n\n "), choice) == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"by": "tokens"},
        {"max_characters": 19},
        {"max_characters": 10**7},
        {"overlap": 501},
        {"overlap": -1},
    ],
)
def test_a_choice_that_cannot_be_used_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"Expected .* got "):
        ChunkChoice(**wrong)


def test_the_laws_hold_of_real_documents(test_data: Path) -> None:
    paths = sorted((test_data / "documents").rglob("*.pdf"))[::60]
    for path in paths:
        data = path.read_bytes()
        if len(data) > 1_000_000:
            continue
        try:
            extraction = extract(data, filename=path.name)
        except ExtractionError:
            continue
        for by in ("size", "structure"):
            check(extraction, ChunkChoice(by=by, max_characters=400, overlap=50))
