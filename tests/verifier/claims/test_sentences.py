from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.claims.sentences import find_code, find_sentences
from tests.strategies import unhurried


def cut(prose: str) -> list[str]:
    return [prose[s.span.start : s.span.end] for s in find_sentences(prose)]


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("See Fig. 3 and No. 5. Then go.", ["See Fig. 3 and No. 5.", "Then go."]),
        ("It is cheap, e.g. free. It is new.", ["It is cheap, e.g. free.", "It is new."]),
        ("It is new, i.e. unused. Yes it is.", ["It is new, i.e. unused.", "Yes it is."]),
        ("The U.S. economy grew. It fell.", ["The U.S. economy grew.", "It fell."]),
        ("He lives in the U.S. The house is red.", ["He lives in the U.S.", "The house is red."]),
        ("Dr. Smith vs. Mr. Jones was heard. It ended.",
         ["Dr. Smith vs. Mr. Jones was heard.", "It ended."]),
        ("J. R. R. Tolkien wrote it. He died.", ["J. R. R. Tolkien wrote it.", "He died."]),
        ("It cost $3.5 million. Next.", ["It cost $3.5 million.", "Next."]),
        ("Approx. 30 people came. They left.", ["Approx. 30 people came.", "They left."]),
        ("See eq. 3. It holds.", ["See eq. 3.", "It holds."]),
        ("Section 3.2.1. applies. So it goes.", ["Section 3.2.1. applies.", "So it goes."]),
        ("No. That is wrong.", ["No.", "That is wrong."]),
        ("Wait... what is it? Yes it is.", ["Wait... what is it?", "Yes it is."]),
        ("Wait… what is it? Yes it is.", ["Wait… what is it?", "Yes it is."]),
        ("He left. ... Then he came back.", ["He left. ...", "Then he came back."]),
        ("Really?! Yes!!! Good.", ["Really?!", "Yes!!!", "Good."]),
    ],
)  # fmt: skip
def test_stops_that_end_nothing_cut_nothing(prose: str, expected: list[str]) -> None:
    assert cut(prose) == expected


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("支払いは四日以内です。返品は無料です。", ["支払いは四日以内です。", "返品は無料です。"]),
        ("付款在四天内！真的？是的。", ["付款在四天内！", "真的？", "是的。"]),
        ("彼は「はい。」と言った。そして去った。", ["彼は「はい。」と言った。", "そして去った。"]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("مرحبا بالعالم. كيف حالك؟ بخير.", ["مرحبا بالعالم.", "كيف حالك؟", "بخير."]),
        ("שלום עולם. מה שלומך? טוב.", ["שלום עולם.", "מה שלומך?", "טוב."]),
        ("यह एक वाक्य है। यह दूसरा है।", ["यह एक वाक्य है।", "यह दूसरा है।"]),
        ("یہ ایک جملہ ہے۔ یہ دوسرا ہے۔", ["یہ ایک جملہ ہے۔", "یہ دوسرا ہے۔"]),
    ],
)
def test_other_scripts_have_their_own_stops(prose: str, expected: list[str]) -> None:
    assert cut(prose) == expected


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("He said “no.” Then he left.", ["He said “no.”", "Then he left."]),
        ("He said “A b. C d.” Then he left.", ["He said “A b. C d.”", "Then he left."]),
        ('He said "A b. C d." Then he left.', ['He said "A b. C d."', "Then he left."]),
        ("“Really?” he asked. She left.", ["“Really?” he asked.", "She left."]),
        ("(It rained.) Then it stopped.", ["(It rained.)", "Then it stopped."]),
        ("The firm (new. It grew) won. Bye.", ["The firm (new. It grew) won.", "Bye."]),
        ("It is at the end.) Next one.", ["It is at the end.)", "Next one."]),
        ('The 5" pipe broke. It was old. A 6" pipe held.',
         ['The 5" pipe broke.', "It was old.", 'A 6" pipe held.']),
        ("A quote “never closed. Next one.", ["A quote “never closed.", "Next one."]),
    ],
)  # fmt: skip
def test_quotes_and_brackets_stay_with_what_they_close(prose: str, expected: list[str]) -> None:
    assert cut(prose) == expected


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("See https://a.b/c.D?x=1! Then go.", ["See https://a.b/c.D?x=1!", "Then go."]),
        ("Use `foo. Bar` now. Then go.", ["Use `foo. Bar` now.", "Then go."]),
        ("Use ``a. `B. C`` now. Then go.", ["Use ``a. `B. C`` now.", "Then go."]),
        ("Before it.\n\n```py\nx = 1. Y\n\n- z\n```\nAfter it.", ["Before it.", "After it."]),
        ("Before it.\n~~~\ncode. Code.\n~~~", ["Before it."]),
        ("```\nnever_closed(code)", []),
        ("```\nThe roof leaks. Call.", ["The roof leaks. Call."]),
        ("- One. Two.\n- Three\n  goes on.", ["- One.", "Two.", "- Three\n  goes on."]),
        ("1. First. Second.\r\n2. Third", ["1. First.", "Second.", "2. Third"]),
        ("# Title\nText here. More here.", ["# Title", "Text here.", "More here."]),
        ("Title\n=====\nText here.", ["Title", "Text here."]),
        ("First point: 1. Pay. 2. Go home.", ["First point: 1. Pay.", "2. Go home."]),
        ("One part\r\n\r\nanother part", ["One part", "another part"]),
        ("> Quoted line. Next\n> goes on.", ["> Quoted line.", "Next\n> goes on."]),
        ("A line\nthat goes on. End.", ["A line\nthat goes on.", "End."]),
        ("---\n***\n", []),
    ],
)
def test_markdown_is_cut_by_its_lines(prose: str, expected: list[str]) -> None:
    assert cut(prose) == expected


@pytest.mark.parametrize(
    "table",
    [
        "| Plan | Refund |\n|------|:-----:|\n| Basic | 4 days. Really. |\n| Pro | 2 days |",
        "Plan | Refund\n---|---\nBasic | 4 days. Really.\nPro | 2 days",
        "Intro.\n| Plan | Refund |\r\n| - | - |\r\n| Basic | 4 days. Really. |\r\n| Pro | 2 days |",
    ],
)
def test_a_table_row_is_one_unit_and_knows_its_header(table: str) -> None:
    rows = [s for s in find_sentences(table) if s.kind == "row"]
    assert len(rows) == 2
    assert "4 days. Really." in table[rows[0].span.start : rows[0].span.end]
    for row in rows:
        assert row.header is not None
        assert "Plan | Refund" in table[row.header.start : row.header.end]
    (header,) = [s for s in find_sentences(table) if s.kind == "header"]
    assert header.span == rows[0].header


def test_rows_without_a_delimiter_have_no_header() -> None:
    kinds = [(s.kind, s.header) for s in find_sentences("| a | b |\n| c | d |")]
    assert kinds == [("row", None), ("row", None)]


def test_code_is_found_where_it_stands() -> None:
    prose = "Use `a.b` now.\n```\nx\n```\nEnd."
    assert [prose[span.start : span.end] for span in find_code(prose)] == [
        "`a.b`",
        "```\nx\n```",
    ]


PIECES = st.lists(
    st.sampled_from(
        ["word", "A", "3.5", ".", "!", "。", " ", " ", "\n", "\r\n", "\n\n", "- ", "1. ", "# ", "“",
         "”", '"', "(", ")", "「", "」", "e.g. ", "Dr. ", "https://a.b/c ", "é", "𝑉", "ب", "> ",
         "…", "*", "`", "；"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@unhurried
@given(PIECES)
def test_sentences_are_ordered_apart_and_hold_every_letter_outside_code(prose: str) -> None:
    found = find_sentences(prose)
    inside: set[int] = set()
    end = 0
    for sentence in found:
        span = sentence.span
        assert end <= span.start < span.end <= len(prose)
        end = span.end
        text = prose[span.start : span.end]
        assert text == text.strip()
        assert any(letter.isalnum() for letter in text)
        inside.update(range(span.start, span.end))
    # Fences need three marks on a line of their own.
    if "```" not in prose:
        outside = [letter for index, letter in enumerate(prose) if index not in inside]
        marks = "1" if any(mark in prose for mark in ("1. ",)) else ""
        assert not [letter for letter in outside if letter.isalnum() and letter not in marks]
    assert find_sentences(prose) == found


@unhurried
@given(PIECES, PIECES)
def test_no_sentence_begins_or_ends_inside_inline_code(one: str, other: str) -> None:
    one, other = (
        text.replace("`", "").replace("\n", " ").replace("\r", " ") for text in (one, other)
    )
    prose = f"Begin {one} `A b. C d. E` {other} end."
    start = prose.index("`A b.")
    for sentence in find_sentences(prose):
        for edge in (sentence.span.start, sentence.span.end):
            assert not start < edge < start + len("`A b. C d. E`")


@pytest.mark.parametrize(
    "piece",
    [
        ".",
        "[",
        "(a",
        "“",
        "»",
        "「",
        '"a. ',
        "a",
        "`a",
        "```\n",
        "|a\n",
        "> ",
        "1. ",
        "e.g. ",
        " ",
        "-",
        "- ",
        "|-",
        "_ ",
        "#",
        " >",
    ],
)
def test_hostile_text_is_read_to_its_end(piece: str) -> None:
    prose = piece * (60_000 // len(piece)) + "\n\nThe end is here."
    found = find_sentences(prose)
    if piece != "```\n":
        assert prose[found[-1].span.start : found[-1].span.end] == "The end is here."
