from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.documents.layout import CharFlag
from spanproof.core.geometry import Rect
from spanproof.ingest.assembly.actual_text import Painted
from spanproof.ingest.assembly.assemble import Batch, assemble
from spanproof.ingest.assembly.segments import Segment
from tests.ingest.assembly.streams import FRAME, SIZE, make_stream

LINES = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=8), max_size=4)


def _assemble(pages: list[list[str]], **marks: object) -> Batch:
    stream = make_stream(pages, **marks)  # type: ignore[arg-type]
    return assemble(stream, [FRAME] * len(pages))


def test_a_newline_inside_a_line_is_no_separator() -> None:
    batch = _assemble([["a\nb\f", "c"]])
    assert batch.text == "a\nb\f\nc\f"
    flags = [CharFlag(int(flag)) for flag in batch.flags]
    assert flags[1] == flags[3] == CharFlag.CONTROL
    assert flags[4] == flags[6] == CharFlag.SEPARATOR


def test_nul_surrogates_and_impossible_numbers_are_replaced_and_remembered() -> None:
    batch = _assemble([["abc"], ["defg"]], codes={1: 0, 3: 0xD800, 5: 0x110000, 6: 0xFFFFFFFF})
    assert batch.text == "a�c\f�e��\f"
    assert batch.originals == ((1, 0), (4, 0xD800), (6, 0x110000), (7, 0xFFFFFFFF))
    for offset, _ in batch.originals:
        assert CharFlag(int(batch.flags[offset])) == CharFlag.REPLACED
    assert [count.replaced for count in batch.counts] == [1, 3]


def test_hazards_are_flagged_by_code_point() -> None:
    batch = _assemble([["\u00ad\u200b\u202e\ufeff\ue000\ufffd\x85x"]])
    assert [CharFlag(int(flag)) for flag in batch.flags[:8]] == [
        CharFlag.SOFT_HYPHEN,
        CharFlag.IGNORABLE,
        CharFlag.IGNORABLE,
        CharFlag.IGNORABLE,
        CharFlag.PRIVATE_USE,
        CharFlag.UNMAPPED,
        CharFlag.CONTROL,
        CharFlag(0),
    ]


def test_a_synthetic_space_has_no_box_and_breaks_no_run() -> None:
    batch = _assemble([["a b", " c"]], synthetic=frozenset({1, 3}))
    assert batch.runs.start.tolist() == [0, 4]
    assert batch.runs.end.tolist() == [3, 6]
    assert batch.runs.left[1] == batch.runs.right[1]
    assert batch.runs.left[4] == batch.runs.right[4]


def test_a_column_of_vertical_writing_is_one_line_and_one_run() -> None:
    batch = _assemble([["縦", "書", "き"]], vertical=True)
    assert batch.text == "縦書き\f"
    assert batch.runs.start.tolist() == [0]
    assert batch.runs.left.tolist() == [0, 1000, 2000, 0]


def test_level_text_in_a_vertical_font_is_one_line() -> None:
    stream = make_stream([["N", "O", " ", "T"]], vertical=True)
    stream.quads[0::2] += np.arange(4, dtype=np.float32) * np.float32(0.7 * SIZE)
    stream.quads[1::2] = stream.quads[1::2, :1]
    assert assemble(stream, [FRAME]).text == "NO T\f"
    # Another column begins to the left, or far to the right.
    stream.quads[0::2, 2:] += np.float32(5 * SIZE)
    assert assemble(stream, [FRAME]).text == "NO\n T\f"


def test_columns_that_stand_apart_stay_lines() -> None:
    stream = make_stream([["縦", "書", "き"]], vertical=True)
    stream.quads[1::2, 2] += np.float32(5 * SIZE)
    assert assemble(stream, [FRAME]).text == "縦書\nき\f"


def _note(text: str) -> Segment:
    return Segment(kind="annotation", text=text, rect=Rect(10, 20, 30, 40), name="Text")


def test_segments_stand_between_their_pages_lines_and_its_end() -> None:
    batch = assemble(
        make_stream([["a", "b"], [], ["c"]]),
        [FRAME] * 3,
        segments=[[_note("one"), _note("two")], [_note("three")], [_note("")]],
    )
    assert batch.text == "a\nb\none\ntwo\fthree\fc\f"
    assert [batch.text[b.span.start : b.span.end] for b in batch.blocks] == ["one", "two", "three"]
    # Segments are no text of the page itself.
    assert batch.inked == (2, 0, 1)
    first = batch.blocks[0].span.start
    assert batch.runs.left[first] == batch.runs.left[first + 2]
    assert batch.runs.right[first] - batch.runs.left[first] == 2000


def test_glyphs_keep_their_place_when_segments_are_put_in() -> None:
    painted = [
        Painted(start=1, end=2, glyphs="x", differs=True),
        Painted(start=2, end=4, glyphs="yz", differs=True),
    ]
    batch = assemble(
        make_stream([["ab"], ["cd"]]), [FRAME] * 2, segments=[[_note("n")], []], painted=painted
    )
    assert batch.text == "ab\nn\fcd\f"
    spans = [batch.text[one.span.start : one.span.end] for one in batch.glyph_texts]
    assert spans == ["b", "cd"]
    flagged = (batch.flags & np.uint16(CharFlag.ACTUALTEXT)) != 0
    assert "".join(c for c, f in zip(batch.text, flagged, strict=True) if f) == "bcd"


def test_recognised_pages_are_flagged_and_not_invisible() -> None:
    stream = make_stream([["scan"], ["text"]])
    stream.invisible[:] = True
    batch = assemble(stream, [FRAME] * 2, segments=[[_note("n")], []], recognised=frozenset({0}))
    flags = [CharFlag(int(flag)) for flag in batch.flags]
    assert batch.text == "scan\nn\ftext\f"
    assert set(flags[:4]) == {CharFlag.OCR}
    assert flags[5] == CharFlag(0)
    assert set(flags[7:11]) == {CharFlag.INVISIBLE}
    assert batch.hidden == (0, 4)


@given(pages=st.lists(LINES, min_size=1, max_size=4))
def test_every_character_has_one_owner_and_pages_partition_the_text(pages: list[list[str]]) -> None:
    """INGEST.md I1 to I3."""
    batch = _assemble(pages)
    total = len(batch.text)
    batch.text.encode("utf-8")
    assert "\x00" not in batch.text
    owners = np.zeros(total, int)
    for start, end in zip(batch.runs.start, batch.runs.end, strict=True):
        owners[start:end] += 1
    separator = (batch.flags & np.uint16(CharFlag.SEPARATOR)) != 0
    assert np.array_equal(owners, np.where(separator, 0, 1))
    assert all(batch.text[i] in "\n\f" for i in np.flatnonzero(separator))
    starts = [*batch.page_starts, total]
    assert len(starts) == len(pages) + 1
    for page, start, end in zip(pages, starts, starts[1:], strict=False):
        assert batch.text[start:end].replace("�", "\x00") == (
            "\n".join(page).replace("�", "\x00") + "\f"
        )
        assert separator[end - 1]
        assert int(separator[start:end].sum()) == max(1, len(page))
    assert sum(count.characters for count in batch.counts) == total
