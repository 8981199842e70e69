"""Whether a caller would rather have a job than wait: ``mode=async``, or RFC 7240's header."""

from typing import Annotated

from fastapi import Header

Prefer = Annotated[
    str | None,
    Header(
        description="respond-async (RFC 7240) answers 202 with a job, as mode=async does.",
        examples=["respond-async"],
    ),
]
#: Goes with an answer that did as was preferred.
APPLIED = {"Preference-Applied": "respond-async"}


def prefers_async(prefer: str | None) -> bool:
    """Whether one of the preferences is ``respond-async``; those that nobody knows are ignored."""
    names = (each.partition(";")[0].strip().lower() for each in (prefer or "").split(","))
    return "respond-async" in names
