from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.claims.quotation_marks import pair_quotation_marks


def quoted(text: str) -> list[str]:
    return [text[span.start : span.end] for span in pair_quotation_marks(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He said “no way” twice.", ["“no way”"]),
        ('He said "no way" twice.', ['"no way"']),
        ("Er sagte „nie wieder“ laut.", ["„nie wieder“"]),
        ("Il dit « jamais plus » fort.", ["« jamais plus »"]),
        ("彼は「もう一度」と言った。", ["「もう一度」"]),
        ('他说"好的"然后走了。', ['"好的"']),
        ("The company's policy doesn't change.", []),
        ("The company’s policy doesn’t change.", []),
        ("A “court’s own ‘inner’ rule” holds.", ["“court’s own ‘inner’ rule”"]),
        ("“outer “inner” outer” end", ["“outer “inner” outer”"]),
        ("“never closed and “closed” here", ["“closed”"]),
        ('A 5" pipe and a 6" pipe.', []),
        ('A 5" pipe is "quite new" here.', ['"quite new"']),
        ('("in brackets")', ['"in brackets"']),
        ('"open again "closed" here', ['"closed"']),
        ("“one” and “two”", ["“one”", "“two”"]),
        ("", []),
    ],
)
def test_marks_that_belong_together_are_found(text: str, expected: list[str]) -> None:
    assert quoted(text) == expected


@given(st.text(alphabet="ab “”„«»「」『』\"'’.", max_size=60))
def test_stretches_are_ordered_apart_and_marked_at_both_ends(text: str) -> None:
    end = 0
    for span in pair_quotation_marks(text):
        assert end <= span.start < span.end - 1 < len(text)
        end = span.end
        assert text[span.start] in '“„«「『"'
        assert text[span.end - 1] in '”“»」』"'


def test_marks_without_end_are_no_burden() -> None:
    assert pair_quotation_marks("“" * 200_000 + "»" * 200_000) == ()
