"""The rows of the tables of example problems, and those that several tables have."""

from __future__ import annotations

#: Code, instance ("" for the area itself), detail, hint, field problems.
Row = tuple[str, str, str, str, list[dict[str, str]]]

#: Of a verification, an answer or a request.
ID = "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11"


def tell_field(pointer: str, expected: str, got: str) -> dict[str, str]:
    """What is wrong with one field."""
    detail = f"Expected {expected}, got {got}."
    return {"pointer": pointer, "detail": detail, "expected": expected, "got": got}


def tell_too_large(hint: str, instance: str = "") -> Row:
    """A body above the cap of answers (bytes)."""
    detail = "Expected at most 8388608 bytes, got 8388609 or more."
    return ("ANSWER_TOO_LARGE", instance, detail, hint, [])


ANCHOR_FIELD = tell_field("/citations/0/anchor", "an integer", '"1"')
_LIMIT_FIELD = tell_field("/query/limit", "a value less than or equal to 200", "'201'")
PARAMETER: Row = (
    "MALFORMED_PARAMETER",
    "",
    "Expected a value less than or equal to 200 at /query/limit, got '201'.",
    "Compare the request with /openapi.json.",
    [_LIMIT_FIELD],
)
STORE: Row = (
    "STORE_UNAVAILABLE",
    "",
    "Expected the database to answer, got OperationalError.",
    "Try again; if it stays, see the log.",
    [],
)
