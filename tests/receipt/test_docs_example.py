"""The example of docs/reference/receipts.md is a statement; the page describes every field."""

from __future__ import annotations

import json
import re

from spanproof.core import canonical_json
from spanproof.receipt.statement.predicate import LIMITATIONS, PREDICATE_TYPE, Predicate
from spanproof.receipt.statement.statement import parse_statement
from tests.pages import read_page
from tests.receipt.event_samples import EVENTS

PAGE = read_page("receipts.md")


def test_the_example_is_a_statement() -> None:
    found = re.search(r"<!-- example: statement -->\n```json\n(.*?)```", PAGE, re.DOTALL)
    assert found
    statement = parse_statement(canonical_json.dumps(json.loads(found[1])))
    assert statement.predicate.limitations == LIMITATIONS


def test_every_field_of_the_predicate_is_described() -> None:
    for field in Predicate._fields:
        assert f"`{field}`" in PAGE, field
    assert PREDICATE_TYPE in PAGE
    assert LIMITATIONS in PAGE


def test_every_kind_of_event_is_described() -> None:
    for event in EVENTS.values():
        assert f"| `{event.KIND}` |" in PAGE
