"""Lists for machines: the same page as JSON, as NDJSON (a row a line), or as CSV (RFC 4180)."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any, Literal

from spanproof.operations.export.tables import to_cell
from spanproof.operations.verification.stored import summary_to_json
from spanproof.store.answers.cited_answers import list_answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.operations.context import Context
    from spanproof.store.answers.cited_answers import CitedAnswer, CitedAnswerPage
    from spanproof.store.records import VerificationFilter

ListFormat = Literal["json", "ndjson", "csv"]
Row = dict[str, Any]
VERIFICATION_COLUMNS = (
    "verification_id",
    "answer_id",
    "verified_at",
    "result",
    "citation_level",
    "verdicts",
    "generator_model",
    "prompt_id",
    "excerpt",
)
CITATION_COLUMNS = (
    "verdict",
    "citation",
    "doc_hash",
    "extraction_id",
    "char_start",
    "char_end",
    "pages",
    "outcome",
    "codes",
    "index_version",
    "chunk_id",
)


def find_answers(
    context: Context,
    wanted: VerificationFilter,
    *,
    cursor: str | None = None,
    limit: int = 50,
) -> CitedAnswerPage:
    """One page of the answers that were verified, each by its newest verification."""
    return list_answers(context.store.database, wanted, cursor, limit)


def answer_to_json(answer: CitedAnswer) -> Row:
    """An answer's row: its newest verification, and the verdicts that the filter means."""
    return summary_to_json(answer.verification) | {
        "citations": [
            {
                "verdict": each.position,
                "citation": each.citation,
                "doc_hash": each.doc_hash,
                "extraction_id": each.extraction_id,
                "char_start": each.char_start,
                "char_end": each.char_end,
                "pages": list(each.pages),
                "outcome": each.outcome,
                "codes": list(each.codes),
                "index_version": each.index_version,
                "chunk_id": each.chunk_id,
            }
            for each in answer.citations
        ]
    }


def flatten_answers(rows: Sequence[Row]) -> list[Row]:
    """A row a citation, for a table; an answer without any has one row all the same."""
    return [
        {name: value for name, value in row.items() if name != "citations"} | citation
        for row in rows
        for citation in row["citations"] or [dict.fromkeys(CITATION_COLUMNS)]
    ]


def write_ndjson(rows: Sequence[Row]) -> bytes:
    """An object a line; what UTF-8 cannot carry is escaped."""
    return b"".join(json.dumps(row, allow_nan=False).encode("ascii") + b"\n" for row in rows)


def write_csv(rows: Sequence[Row], columns: Sequence[str]) -> bytes:
    """A row each below their names; lists are joined by a blank, and no cell is a formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in rows:
        writer.writerow(to_cell(_join(row[column])) for column in columns)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _join(value: object) -> object:
    return " ".join(map(str, value)) if isinstance(value, list) else value
