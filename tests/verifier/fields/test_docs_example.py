"""The example of docs/how-to/fields.md is executed."""

from __future__ import annotations

import re
from typing import Any

from tests.test_docs_examples import read_example


def test_the_example_turn_comes_out_as_its_table_says() -> None:
    scope: dict[str, Any] = {"turn": read_example("fields.md", "turn").encode()}
    exec(read_example("fields.md", "python"), scope)  # noqa: S102 - our own page
    report = scope["report"]
    table = re.findall(
        r"^\| `([^`]+)` \| `([^`]+)` \| ([0-9.]+) \| `([^`]+)` \|$",
        read_example("fields.md", "found"),
        re.MULTILINE,
    )
    response = re.search(r'"response": "(.*)"', read_example("fields.md", "turn"))
    assert response is not None
    got = [
        (
            field["path"],
            field["match_method"],
            str(field["match_confidence"]),
            response[1][position["raw"]["start"] : position["raw"]["end"]],
        )
        for section in report["sections"]
        for field in section["fields"]
        for position in field["positions"]
    ]
    assert got == table
    assert [each["code"] for each in report["dropped"]] == ["UNKNOWN_FIELD"]
