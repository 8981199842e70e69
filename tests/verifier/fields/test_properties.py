from __future__ import annotations

import re
import string
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from spanproof.verifier.fields import attribute_fields, report_to_json
from spanproof.verifier.fields.numbers import find_numbers
from spanproof.verifier.fields.words import FoldedText, fold, is_word_character
from tests.verifier.fields.turns import attribute, make_turn

LETTERS = st.text("abAB é\N{COMBINING ACUTE ACCENT}ßİıiI_-2 \n\t京都", max_size=20)
VALUES = st.one_of(
    LETTERS,
    st.integers(-(10**6), 10**6),
    st.floats(0, 1).map(lambda number: round(number, 3)),
    st.booleans(),
    st.none(),
    st.lists(LETTERS, max_size=3),
)
MARKERS = st.sampled_from(["[[C:a]]", "[[c:A]]", "[[C:b]]", "[[C:gone]]", "[[X:a]]", "[[C:", "]]"])
PROSE = st.lists(st.one_of(LETTERS, MARKERS, st.text(max_size=8)), max_size=12).map("".join)
TYPES = st.sampled_from(["enum", "numeric", "summary", "list", "plain_value", "suggested_question"])


@given(LETTERS, LETTERS)
@example("straße", "STRASSE")
def test_a_folded_match_is_bounded_by_what_is_no_word(text: str, needle: str) -> None:
    wanted = fold(needle)
    for span, is_bounded in FoldedText.of(text).find(wanted):
        assert fold(text[span.start : span.end]) == wanted
        before, after = text[: span.start][-1:], text[span.end :][:1]
        first, last = text[span.start], text[span.end - 1]
        if is_bounded and first.isascii() and before.isascii():
            assert not (before and is_word_character(before) and is_word_character(first))
        if is_bounded and last.isascii() and after.isascii():
            assert not (after and is_word_character(after) and is_word_character(last))


@given(
    st.text(string.ascii_letters + " .,", max_size=40), st.text(string.ascii_letters, min_size=2)
)
def test_a_word_between_blanks_is_always_found(text: str, word: str) -> None:
    report = attribute(f"{text} {word} {text}", {"item": word}, {"item": "enum"})
    assert [each.field.path for each in report.attributed] == ["case.item"]


@given(st.text(string.ascii_letters, min_size=1), st.text(string.ascii_letters, min_size=2))
def test_a_word_inside_another_is_never_found(head: str, word: str) -> None:
    if word.casefold() not in head.casefold():
        report = attribute(f"{head}{word}", {"item": word}, {"item": "enum"})
        assert report.attribution_source == "none"


@given(st.text("0123456789.,-–:/% a", max_size=30))
def test_numbers_are_read_where_they_stand(text: str) -> None:
    end_before = 0
    for number, span, unit_end in find_numbers(text):
        said = text[span.start : span.end]
        assert said.lstrip("-").strip("0123456789.,") == ""
        assert str(abs(int(number))).strip("0") in said.replace(",", "")
        assert span.start >= end_before
        assert not text[span.end : span.end + 1].isdecimal()
        assert not text[: span.start][-1:].isdecimal()
        assert unit_end is None or text[span.end : unit_end].strip() == "%"
        end_before = span.end


@given(PROSE, VALUES, VALUES, TYPES, TYPES)
def test_every_position_is_a_slice_and_nothing_exceeds_its_confidence(
    prose: str, first: Any, second: Any, type_a: str, type_b: str
) -> None:
    turn = make_turn(prose, {"a": first, "b": second}, {"a": type_a, "b": type_b})
    report = attribute_fields(turn)
    body = report_to_json(report)
    clean = body["clean_text"]
    assert len(body["response_sha256"]) == 71
    seen: list[str] = []
    for section in body["sections"]:
        confidences = [field["match_confidence"] for field in section["fields"]]
        assert confidences == sorted(confidences, reverse=True)
        for field in section["fields"]:
            seen.append(field["path"])
            _check_field(field, prose, clean)
    assert len(set(seen)) == len(seen)
    for dropped in body["dropped"]:
        raw = dropped["position"]["raw"]
        assert prose[raw["start"] : raw["end"]].startswith("[[")
    told = sum(body["drift"].values()) + sum(each.markers != () for each in report.attributed)
    assert told == body["density"]["markers"]


def _check_field(field: dict[str, Any], prose: str, clean: str) -> None:
    if field["self_reported"]:
        # Duplicates collapse to the first position.
        (position,) = field["positions"]
        raw = position["raw"]
        assert field["match_confidence"] == 1.0
        assert prose[raw["start"] : raw["end"]].casefold() == f"[[c:{field['field']}]]"
        first = re.search(rf"(?i)\[\[c:{field['field']}\]\]", prose)
        assert first is not None
        assert first.start() == raw["start"] or "`" in prose
    else:
        assert field["match_confidence"] < 1.0
    match = field["value_match"]
    for position in () if match is None else match["positions"]:
        raw, where = position["raw"], position["clean"]
        said = clean[where["start"] : where["end"]]
        assert said
        cut = prose[raw["start"] : raw["end"]]
        assert cut[0] == said[0]
        assert cut[-1] == said[-1]
        if "[[" not in cut:
            assert cut == said


@given(PROSE)
def test_the_turn_of_anybody_else_stays_as_it_is(prose: str) -> None:
    report = attribute_fields(make_turn(prose, {"a": "ab"}, role="user"))
    assert report.clean.text == prose
    assert report.attribution_source == "none"
    assert report.dropped == ()
    assert report_to_json(report)["reason"] == "role_not_assistant"
