"""Turns for tests: one section, its types, what the assistant said."""

from __future__ import annotations

from typing import Any

from spanproof.verifier.fields import FieldReport, Turn, attribute_fields, build_turn


def make_turn(
    response: str,
    fields: dict[str, Any],
    types: dict[str, str] | None = None,
    *,
    role: str = "assistant",
    **registry: Any,
) -> Turn:
    """A turn with the section ``case``, whose prefix is ``C``."""
    return build_turn(
        {
            "role": role,
            "response": response,
            "context": {"case": {"fields": fields}},
            "registry": {"prefixes": {"C": "case"}, "types": types or {}, **registry},
        }
    )


def attribute(
    response: str, fields: dict[str, Any], types: dict[str, str] | None = None, **registry: Any
) -> FieldReport:
    """The report of such a turn."""
    return attribute_fields(make_turn(response, fields, types, **registry))


def find_match(
    response: str, value: Any, type_name: str | None = None, *, leaf: str = "item", **registry: Any
) -> tuple[str, float, list[str]] | None:
    """Method, confidence and matched words of one value; None where it was not found."""
    types = {} if type_name is None else {leaf: type_name}
    report = attribute(response, {leaf: value}, types, **registry)
    for each in report.attributed:
        if each.match is not None:
            words = [report.clean.text[span.start : span.end] for span in each.match.spans]
            return each.match.method, each.match.confidence, words
    return None
