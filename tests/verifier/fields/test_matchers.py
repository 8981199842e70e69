from __future__ import annotations

from typing import Any

import pytest

from tests.verifier.fields.turns import attribute, find_match

DECOMPOSED = "cafe\N{COMBINING ACUTE ACCENT} noir"


@pytest.mark.parametrize(
    ("response", "value", "expected"),
    [
        ("It is in_progress.", "in_progress", ("enum", 0.95, ["in_progress"])),
        ("It is In_Progress.", "in_progress", ("enum", 0.95, ["In_Progress"])),
        ("It is in progress.", "in_progress", ("enum_spaced", 0.85, ["in progress"])),
        ("It is in\n progress.", "in_progress", ("enum_spaced", 0.85, ["in\n progress"])),
        ("Bronze, then gold.", "gold", ("enum", 0.95, ["gold"])),
        ("A golden one.", "gold", None),
        ("marigold", "gold", None),
        ("gold_plan", "gold", None),
        ("gold2", "gold", None),
        ("It is non-compliant.", "compliant", None),
        ("A gold-tier plan.", "gold", ("enum", 0.95, ["gold"])),
        ("<td>gold</td>", "gold", ("enum", 0.95, ["gold"])),
        ("Grade A.", "A", None),
        ("Grade A.", "", None),
        ("STRASSE", "straße", ("enum", 0.95, ["STRASSE"])),
        ("gold\N{COMBINING ACUTE ACCENT} is one letter more", "gold", None),
        (DECOMPOSED, "café noir", ("enum", 0.95, [DECOMPOSED])),
        # The dotted capital folds to i and a dot; the dotless one is another letter.
        ("\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}STANBUL", "istanbul", None),
        ("\N{LATIN SMALL LETTER DOTLESS I}stanbul", "istanbul", None),
        ("ISTANBUL", "istanbul", ("enum", 0.95, ["ISTANBUL"])),
    ],
)
def test_an_enum_is_found_as_whole_words(response: str, value: str, expected: Any) -> None:
    assert find_match(response, value, "enum") == expected


def test_a_value_of_an_unspaced_script_is_capped() -> None:
    # 京都 stands in 東京都 and is another place: only the script's spaces would tell.
    assert find_match("東京都に住む", "京都", "enum") == ("enum", 0.5, ["京都"])
    assert find_match("「京都」に住む", "京都", "enum") == ("enum", 0.95, ["京都"])
    assert find_match("京 に住む", "京", "enum") is None


@pytest.mark.parametrize(
    ("response", "confidence"),
    [
        ("The risk is high.", 0.95),
        ("Its high risk was noted.", 0.95),
        ("A high building.", 0.5),
        ("The level is high.", 0.5),
        ("Riskless, high.", 0.5),
        ("Risk was discussed at great length by all of those present, and prices are high.", 0.5),
    ],
)
def test_a_common_word_needs_its_label_near(response: str, confidence: float) -> None:
    found = find_match(response, "high", "enum", leaf="risk_level")
    assert found is not None
    assert found[1] == confidence


def test_only_the_places_beside_the_label_are_the_fields() -> None:
    filler = "Nothing else was said on that day about any of it. " * 2
    found = find_match(f"A high tower. {filler}Risk: high.", "high", "enum", leaf="risk_level")
    assert found == ("enum", 0.95, ["high"])


def test_a_caller_adds_labels_and_common_words() -> None:
    words = {"labels": {"tier": ["plan"]}, "common_words": ["Gold"]}
    assert find_match("A gold ring.", "gold", "enum", leaf="tier", **words) is not None
    assert find_match("A gold ring.", "gold", "enum", leaf="tier", **words)[1] == 0.5  # type: ignore[index]
    assert find_match("The plan: gold.", "gold", "enum", leaf="tier", **words)[1] == 0.95  # type: ignore[index]


@pytest.mark.parametrize(
    ("response", "value", "expected"),
    [
        ("14 items", 14, ("numeric", 0.95, ["14"])),
        ("in 2014", 14, None),
        ("on 2014-05-14", 14, None),
        ("at 14:30", 14, None),
        ("version 3.14.1", 14, None),
        ("3.14", 14, None),
        ("14.5", 14, None),
        ("14.0 items", 14, ("numeric", 0.95, ["14.0"])),
        ("ends with 14.", 14, ("numeric", 0.95, ["14"])),
        ("1,014", 14, None),
        ("14,000", 14, None),
        ("14,000", 14000, ("numeric", 0.95, ["14,000"])),
        ("COVID-14", 14, None),
        ("14-20 days", 14, None),
        ("14\N{EN DASH}20 days", 14, None),
        ("a 14-day term", 14, ("numeric", 0.95, ["14"])),
        ("-14 degrees", 14, None),
        ("-14 degrees", -14, ("numeric", 0.95, ["-14"])),
        ("\N{MINUS SIGN}14 degrees", -14, ("numeric", 0.95, ["\N{MINUS SIGN}14"])),
        ("14 degrees", -14, None),
        ("14th", 14, None),
        ("第14章", 14, ("numeric", 0.95, ["14"])),
        ("$14", 14, ("numeric", 0.95, ["14"])),
        ("14% of them", 14, ("numeric", 0.95, ["14"])),
        ("0.85 of it", 0.85, ("numeric", 0.95, ["0.85"])),
        (".85 of it", 0.85, ("numeric", 0.95, [".85"])),
        ("0,85 of it", 0.85, ("numeric", 0.95, ["0,85"])),
        ("85% of it", 0.85, ("percent", 0.85, ["85%"])),
        ("85 % of it", 0.85, ("percent", 0.85, ["85 %"])),
        ("85 percent of it", 0.85, ("percent", 0.85, ["85 percent"])),
        ("85 per cent of it", 0.85, ("percent", 0.85, ["85 per cent"])),
        ("85 percentage points", 0.85, None),
        ("85 of them", 0.85, None),
        ("0.85% of it", 0.85, None),
        ("85.1% of it", 0.85, None),
        ("7% of it", 0.07, ("percent", 0.85, ["7%"])),
        ("100% of it", 1, ("percent", 0.85, ["100%"])),
        ("1% of it", 1, None),
        ("850%", 8.5, None),
        ("14 items", "14", ("numeric", 0.95, ["14"])),
        ("14 items", "fourteen", None),
        ("one item", True, None),
        ("1 item", True, None),
        ("9" * 5000, 9, None),
        ("1e3", 1000, None),
    ],
)
def test_a_number_is_compared_as_a_number(response: str, value: Any, expected: Any) -> None:
    assert find_match(response, value, "numeric") == expected


def test_a_number_stands_before_its_percentages() -> None:
    found = find_match("85% is 0.85", 0.85, "numeric")
    assert found == ("numeric", 0.95, ["0.85"])


SUMMARY = "The supplier replaces defective goods within four business days"


@pytest.mark.parametrize(
    ("response", "confidence"),
    [
        ("Defective goods: the supplier replaces them in four business days.", 0.7),
        ("Supplier replaces defective goods.", None),
        ("Supplier replaces defective goods, four of them.", 0.7),
        ("Suppliers replaced defectively good days.", None),
    ],
)
def test_a_summary_is_found_by_the_share_of_its_words(
    response: str, confidence: float | None
) -> None:
    # Words of four letters that are no stop words: supplier replaces defective goods four
    # business days: seven, of which five are 0.71 and four 0.57.
    found = find_match(response, SUMMARY, "summary")
    assert (None if found is None else found[1]) == confidence


def test_the_confidence_of_a_summary_is_its_ratio_where_that_is_lower() -> None:
    found = find_match("alpha bravo delta", "alpha bravo delta echoes foxtrot", "summary")
    assert found == ("summary", 0.6, ["alpha", "bravo", "delta"])


@pytest.mark.parametrize("value", ["", "too short", "with that which were", "1234567890 123"])
def test_a_summary_without_words_is_never_found(value: str) -> None:
    assert find_match(value, value, "summary") is None


def test_question_words_do_not_make_a_question_found() -> None:
    question = "Which documents would help explain the supplier dispute?"
    assert find_match("Documents on the supplier dispute.", question, "suggested_question") == (
        "suggested_question",
        0.7,
        ["Documents", "supplier", "dispute"],
    )
    said = "Which ones would help explain what there is to know?"
    assert find_match(said, question, "suggested_question") is None


def test_a_list_tells_the_share_of_its_items_and_which_were_named() -> None:
    report = attribute("We saw Berlin and Rome.", {"cities": ["Rome", "Oslo", "Berlin", "Bern"]})
    (each,) = report.attributed
    assert each.match is not None
    assert (each.method, each.confidence) == ("list", 0.5)
    assert each.match.items == ("Rome", "Berlin")
    assert each.match.items_total == 4
    places = [report.clean.text[span.start : span.end] for span in each.match.spans]
    assert places == ["Berlin", "Rome"]


def test_a_list_that_is_named_whole_stays_below_one() -> None:
    assert find_match("Oslo", ["Oslo"]) == ("list", 0.95, ["Oslo"])
    assert find_match("Oslo", ["Oslo", "Oslo", ""]) == ("list", 0.95, ["Oslo"])
    assert find_match("Oslo", []) is None
    assert find_match("14 of 2014", [14, 20]) == ("list", 0.5, ["14"])
    assert find_match("a high wall", ["high"]) is None


def test_items_of_a_list_have_the_type_that_was_given() -> None:
    assert find_match("in progress now", ["in_progress"], "enum") == (
        "list",
        0.95,
        ["in progress"],
    )


@pytest.mark.parametrize(
    ("response", "value", "expected"),
    [
        ("Owner: Ada  Lovelace.", "Ada Lovelace", ("plain_value", 0.9, ["Ada  Lovelace"])),
        ("Adam", "Ada", None),
        ("x", "x", None),
        ("14 items in 2014", 14, ("plain_value", 0.9, ["14"])),
        ("14.5 items in 2014", "14", None),
        ("85%", 0.85, None),
        ("it is true", True, ("plain_value", 0.5, ["true"])),
        ("the item is true", True, ("plain_value", 0.9, ["true"])),
        ("null", None, None),
        ("<b>Ada</b> &amp; co", "<b>Ada</b>", ("plain_value", 0.9, ["<b>Ada</b>"])),
        ("(a|b)* is a pattern", "(a|b)*", ("plain_value", 0.9, ["(a|b)*"])),
    ],
)
def test_a_plain_value_is_found_as_it_stands(response: str, value: Any, expected: Any) -> None:
    assert find_match(response, value) == expected


def test_the_type_is_that_of_the_leaf_name() -> None:
    report = attribute(
        "85% is in progress",
        {"state": {"status": "in_progress", "spent": 0.85}},
        {"status": "enum", "spent": "numeric"},
    )
    assert [(each.field.path, each.method) for each in report.attributed] == [
        ("case.state.status", "enum_spaced"),
        ("case.state.spent", "percent"),
    ]


def test_huge_values_and_texts_are_matched_in_time() -> None:
    words = {f"field_{n}": f"value number {n}" for n in range(3000)}
    text = "word " * 100_000 + "value number 2999"
    report = attribute(text, words | {"long": "x" * 500_000})
    assert [each.field.leaf for each in report.attributed] == ["field_2999"]
