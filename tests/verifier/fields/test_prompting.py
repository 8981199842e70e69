from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.fields import (
    attribute_fields,
    build_turn,
    list_citable_fields,
    visible_context,
    write_field_list,
)
from tests.verifier.fields.turns import make_turn

NAMES = st.text(min_size=1, max_size=8).filter(lambda name: name.isprintable())


@given(st.dictionaries(NAMES, st.integers(), max_size=6))
def test_every_marker_that_is_shown_cites_its_field(fields: dict[str, int]) -> None:
    turn = make_turn("", fields)
    for row in list_citable_fields(turn.context, turn.registry):
        if row.marker is None:
            continue
        report = attribute_fields(make_turn(f"So it is {row.marker}.", fields))
        assert report.dropped == ()
        marked = [each.field.path for each in report.attributed if each.markers]
        assert marked == [row.field.path]


def test_the_list_shows_what_is_visible_and_nothing_else() -> None:
    turn = build_turn(
        {
            "role": "assistant",
            "response": "",
            "context": {
                "ticket": {"fields": {"status": "open", "due": None, "by": {"name": "Ada [x]"}}},
                "secret": {"fields": {"pin": 1234}, "hidden": True},
                "other": {"fields": {"a]b": "x"}},
            },
            "registry": {"prefixes": {"T": "ticket", "TICKET": "ticket"}},
        }
    )
    visible = visible_context(turn.context, turn.registry.policy)
    assert write_field_list(visible, turn.registry) == (
        "[[t:status]] ticket.status: open\n[[t:by.name]] ticket.by.name: Ada [x]\n- other.a]b: x\n"
    )
