from __future__ import annotations

import pytest

from spanproof.verifier.fields import attribute_fields, build_turn, report_to_json, visible_context
from tests.verifier.fields.turns import attribute, make_turn


def test_a_marker_is_the_strongest_signal_and_a_self_report() -> None:
    report = attribute("It rests. [[C:status]]", {"status": "moving"}, {"status": "enum"})
    (field,) = report_to_json(report)["sections"][0]["fields"]
    assert report.attribution_source == "citation"
    assert (field["match_confidence"], field["match_method"]) == (1.0, "marker")
    assert field["self_reported"] is True
    # What the model says of itself is not borne out, and the report shows that.
    assert field["value_match"] is None
    assert field["positions"] == [
        {"raw": {"start": 10, "end": 22}, "clean": {"start": 9, "end": 9}}
    ]


def test_letter_case_does_not_matter() -> None:
    report = attribute("A [[c:STATUS]]", {"Status": "moving"})
    assert [each.field.path for each in report.attributed] == ["case.Status"]
    assert report.dropped == ()


def test_an_exact_name_wins_and_two_of_a_kind_are_ambiguous() -> None:
    fields = {"id": "first", "ID": "second", "one": {"name": "x"}, "two": {"name": "y"}}
    report = attribute("[[C:ID]] [[C:Id]] [[C:name]] [[C:two.NAME]]", fields)
    assert [each.field.path for each in report.attributed] == ["case.ID", "case.two.name"]
    assert [each.code for each in report.dropped] == ["FIELD_AMBIGUOUS", "FIELD_AMBIGUOUS"]


@pytest.mark.parametrize(
    ("marker", "code", "counter"),
    [
        ("[[C:gone]]", "UNKNOWN_FIELD", "unknown"),
        ("[[X:status]]", "UNKNOWN_PREFIX", "unknown"),
        ("[[H:status]]", "HIDDEN_SECTION", "hidden"),
        ("[[H:gone]]", "HIDDEN_SECTION", "hidden"),
        ("[[L:status]]", "HIDDEN_SECTION", "hidden"),
        ("[[N:status]]", "UNKNOWN_FIELD", "unknown"),
        ("[[C:empty]]", "FIELD_EMPTY", "empty"),
        ("[[C:nothing]]", "FIELD_EMPTY", "empty"),
        ("[[C:blank]]", "FIELD_EMPTY", "empty"),
    ],
)
def test_a_marker_of_nothing_is_dropped_and_counted(marker: str, code: str, counter: str) -> None:
    turn = build_turn(
        {
            "role": "assistant",
            "response": f"It moves {marker} on.",
            "context": {
                "case": {"fields": {"empty": "", "nothing": None, "blank": " \n"}},
                "secret": {"fields": {"status": "moves"}, "hidden": True},
                "thin": {"fields": {"status": "moves"}, "completeness": 0.49},
            },
            "registry": {"prefixes": {"C": "case", "H": "secret", "L": "thin", "N": "not here"}},
        }
    )
    body = report_to_json(attribute_fields(turn))
    assert body["clean_text"].split() == ["It", "moves", "on."]
    (dropped,) = body["dropped"]
    assert dropped["code"] == code
    raw = dropped["position"]["raw"]
    assert turn.response[raw["start"] : raw["end"]] == marker
    assert {name for name, count in body["drift"].items() if count} == {counter}
    # Nothing is found in what the prompt did not show either, though the word stands there.
    assert body["sections"] == []
    assert body["attribution_source"] == "none"
    assert body["hidden_sections"] == ["secret", "thin"]
    assert "moves" not in body["snapshot"]["text"]


def test_prompt_and_verifier_see_the_same_sections() -> None:
    turn = build_turn(
        {
            "role": "assistant",
            "response": "",
            "context": {
                "b": {"fields": {"x": 1}, "completeness": 0.3},
                "a": {"fields": {"x": 1}, "completeness": 0.29},
                "c": {"fields": {"x": 1}},
            },
            "registry": {
                "prefixes": {"A": "a", "C": "c", "B": "b"},
                "policy": {"min_completeness": 0.3},
            },
        }
    )
    visible = visible_context(turn.context, turn.registry.policy)
    # In the registry's order, which is that of the snapshot.
    assert [section.name for section in visible.sections] == ["c", "b"]
    assert attribute_fields(turn).snapshot.text == "c.x: 1\nb.x: 1\n"


def test_duplicates_collapse_to_the_first_position() -> None:
    report = attribute("One [[C:a]] two [[C:A]] three [[c:a]].", {"a": "zero"})
    (field,) = report_to_json(report)["sections"][0]["fields"]
    assert [position["raw"] for position in field["positions"]] == [{"start": 4, "end": 11}]
    assert field["markers"] == 3
    assert report.drift["duplicates"] == 2


def test_sources_are_told_apart() -> None:
    fields = {"a": "alpha", "b": "bravo"}
    assert attribute("Nothing.", fields).attribution_source == "none"
    assert attribute("Alpha.", fields).attribution_source == "heuristic"
    assert attribute("Nothing [[C:a]].", fields).attribution_source == "citation"
    assert attribute("Alpha [[C:a]] bravo.", fields).attribution_source == "mixed"


@pytest.mark.parametrize(
    ("markers", "tokens", "is_over_cited"),
    [(1, 1, False), (2, 49, True), (2, 50, False), (3, 50, True), (3, 75, False), (0, 0, False)],
)
def test_more_than_a_marker_in_25_tokens_is_flagged(
    markers: int, tokens: int, is_over_cited: bool
) -> None:
    prose = " ".join(["word"] * tokens) + " [[C:a]]" * markers
    report = attribute(prose, {"a": "zero"})
    assert (report.density.markers, report.density.tokens) == (markers, tokens)
    assert report.density.is_over_cited is is_over_cited


def test_a_match_below_the_threshold_of_its_type_is_listed_apart() -> None:
    policy = {"thresholds": {"plain_value": 0.95}}
    body = report_to_json(attribute("Alpha [[C:b]].", {"a": "alpha", "b": "x"}, policy=policy))
    assert [field["path"] for field in body["sections"][0]["fields"]] == ["case.b"]
    assert [field["path"] for field in body["below_threshold"]] == ["case.a"]
    assert body["attribution_source"] == "citation"


def test_markers_in_code_are_text() -> None:
    report = attribute("Write `[[C:a]]`.", {"a": "zero"})
    assert report.clean.text == "Write `[[C:a]]`."
    assert report.density.markers == 0


def test_a_group_may_be_marked_and_is_never_looked_for() -> None:
    fields = {"address": {"city": "Oslo"}, "items": [{"name": "pen"}, {"name": "ink"}]}
    report = attribute("In Oslo with ink [[C:address]] [[C:items.1.name]].", fields)
    found = [(each.field.path, each.method) for each in report.attributed]
    assert found == [
        ("case.address", "marker"),
        ("case.items.1.name", "marker"),
        ("case.address.city", "plain_value"),
    ]
    group = report.snapshot.find_line(report.attributed[0].field)
    assert group is not None
    assert report.snapshot.text[group.start : group.end] == "case.address.city: Oslo"


def test_without_prefixes_sections_are_their_own() -> None:
    turn = build_turn(
        {
            "role": "assistant",
            "response": "It moves [[Ticket:status]].",
            "context": {"ticket": {"fields": {"status": "open"}}},
        }
    )
    assert attribute_fields(turn).dropped == ()


def test_a_value_cannot_write_lines_of_its_own() -> None:
    value = "open\ncase.owner: me\u2028x\x00"
    snapshot = attribute_fields(make_turn("", {"status": value, "owner": "you"})).snapshot
    assert snapshot.text == "case.status: open case.owner: me x\ncase.owner: you\n"


def test_html_stays_text() -> None:
    body = report_to_json(attribute("<script>alert(1)</script> [[C:a]]", {"a": "<b>x</b>"}))
    assert body["clean_text"] == "<script>alert(1)</script>"
    assert body["sections"][0]["fields"][0]["value"] == "<b>x</b>"
