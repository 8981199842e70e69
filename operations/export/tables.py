"""Verdicts as rows of CSV (RFC 4180), to count them in a spreadsheet."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from spanproof.core.verdicts.status import IdentityStatus

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.operations.export.material import Case, CitedVerdict

COLUMNS = (
    "verification_id",
    "verified_at",
    "verdict",
    "anchor",
    "outcome",
    "codes",
    "identity",
    "existence",
    "locator",
    "support",
    "attribution",
    "doc_hash",
    "doc_title",
    "extraction_id",
    "char_start",
    "char_end",
    "pages",
    "claim",
    "quote",
    "source_text",
    "notes",
    "receipt_index",
    "decision",
)
#: A spreadsheet takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(cases: Iterable[tuple[Case, int | None]]) -> bytes:
    """One row a verdict, UTF-8; beside each case the index of its receipt's leaf.

    ``decision`` is what people decided on the citation, until the moment of the export.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for case, index in cases:
        for verdict in case.verdicts:
            writer.writerow(map(to_cell, _to_row(case, verdict, index)))
    return text.getvalue().encode("utf-8", "backslashreplace")


def _to_row(case: Case, verdict: CitedVerdict, receipt_index: int | None) -> tuple[object, ...]:
    raw, extraction, span = verdict.raw, verdict.extraction, verdict.span
    words = None if extraction is None or span is None else extraction.text.slice(span)
    # The columns of documents stay empty for a text that came with the request.
    is_document = raw["identity"]["status"] != IdentityStatus.SNIPPET
    return (
        case.verification_id,
        case.block["verified_at"],
        verdict.index,
        raw["anchor"],
        raw["outcome"],
        " ".join(raw["codes"]),
        *(raw[axis]["status"] for axis in ("identity", "existence", "locator")),
        *(raw[axis]["status"] for axis in ("support", "attribution")),
        raw["identity"]["doc_hash"] if is_document else None,
        verdict.title if is_document else None,
        raw["identity"]["extraction_id"] if is_document else None,
        raw["existence"]["char_start"],
        raw["existence"]["char_end"],
        " ".join(map(str, verdict.pages)),
        raw["claim"]["text"],
        verdict.quote,
        words,
        raw["notes"],
        receipt_index,
        case.decided.get(raw["citation"]),
    )


def to_cell(value: object) -> object:
    """A value as a cell: empty for None, and never a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return "" if value is None else value
