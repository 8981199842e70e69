from __future__ import annotations

from typing import Any

from spanproof.api.console.answer.difference import EditView, merge_difference


def make_edit(quote: str, source: str, start: int, *, protected: bool = False) -> dict[str, Any]:
    return {
        "kind": "replace",
        "quote": quote,
        "source": source,
        "char_start": start,
        "char_end": start + len(source),
        "protected": protected,
    }


SOURCE = "must not exceed 30 days"


def test_same_and_source_pieces_joined_give_the_source() -> None:
    edits = [make_edit("45", "30", 116, protected=True), make_edit("", "not ", 105)]

    view = merge_difference({"source": SOURCE, "edits": edits}, 100)

    assert view is not None
    assert "".join(p.text for p in view.pieces if p.side != "quote") == SOURCE
    assert "".join(p.text for p in view.pieces if p.side != "source") == "must exceed 45 days"
    assert [p.text for p in view.pieces if p.is_protected] == ["45", "30"]


def test_an_addition_to_the_quote_stands_where_it_was_made() -> None:
    view = merge_difference({"source": "a b", "edits": [make_edit("very ", "", 2)]}, 0)

    assert view is not None
    assert [(p.side, p.text) for p in view.pieces] == [
        ("same", "a "),
        ("quote", "very "),
        ("same", "b"),
    ]


def test_edits_that_do_not_fit_the_source_are_listed_and_not_woven() -> None:
    view = merge_difference({"source": SOURCE, "edits": [make_edit("45", "31", 116)]}, 100)

    assert view is not None
    assert view.pieces == ()
    assert view.edits == (EditView(quote="45", source="31", is_protected=False, touches=()),)
    assert view.touching == ()


def test_an_edit_says_what_it_touches() -> None:
    token = {"side": "quote", "kind": "number_word", "text": "forty-five"}
    edit = make_edit("forty-five", "30", 116, protected=True) | {"touches": [token]}

    view = merge_difference({"source": SOURCE, "edits": [edit]}, 100)

    assert view is not None
    assert [edit.touches for edit in view.touching] == [(("quote", "number word", "forty-five"),)]


def test_no_difference_is_none() -> None:
    assert merge_difference(None, 0) is None
