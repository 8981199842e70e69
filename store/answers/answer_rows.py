"""The rows of an answer: made of its block and payload first, then written in one transaction.

Made beforehand, so that the holder of the database's lock only has to write.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from spanproof.core.errors import ConflictError
from spanproof.core.verdicts.status import IdentityStatus
from spanproof.store import tables
from spanproof.store.database.columns import Row
from spanproof.store.erasing.refusal import refuse_erased_answer
from spanproof.store.facts.intake import add_facts
from spanproof.store.names import to_label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

Values = dict[str, Any]
#: How much of an answer's prose a list shows.
EXCERPT_CHARACTERS = 200
_VERIFICATIONS, _PAYLOADS, *_OTHERS = (
    Row.metadata.tables[str(row.__tablename__)]
    for row in (
        tables.VerificationRow,
        tables.PayloadRow,
        tables.VerdictRow,
        tables.VerdictChunkRow,
        tables.VerdictPageRow,
        tables.VerdictCodeRow,
    )
)
# Made once, and without the rows' classes: every answer needs them, and those take several times
# as long. In the order in which the keys need each other.
_ADD_VERIFICATION, _ADD_PAYLOAD = _VERIFICATIONS.insert(), _PAYLOADS.insert()
_ADD_OTHERS = {table.name: table.insert() for table in _OTHERS}
_FIND = select(_VERIFICATIONS.c.verification_id).where(
    _VERIFICATIONS.c.verification_id == bindparam("verification_id")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRows:
    """The rows to come, by their tables; ``verification`` and ``payload`` are one each."""

    verification: Values
    payload: Values
    others: Mapping[str, Sequence[Values]]
    #: What it is counted by, and the tokens that it is found by.
    facts: Values
    words: str
    #: The submitted answer whose words these are: nothing is written where it was erased.
    submitted: str | None = None

    def write(self, connection: Connection) -> None:
        """Insert them; ConflictError where the id has its rows, even the same ones.

        They stand beside a result's leaf, and a second leaf would never get a receipt. Raises
        VerificationErasedError, and writes none, where their submitted answer was erased.
        """
        if self.submitted is not None:
            refuse_erased_answer(connection, self.submitted)
        name = self.verification["verification_id"]
        if connection.execute(_FIND, {"verification_id": name}).first() is not None:
            msg = f"Expected a new verification_id, got {name!r}, which is recorded."
            hint = "Verify again under a new id; records never change."
            raise ConflictError(msg, hint=hint)
        connection.execute(_ADD_VERIFICATION, self.verification)
        connection.execute(_ADD_PAYLOAD, self.payload)
        for table, add in _ADD_OTHERS.items():
            if rows := self.others.get(table):
                connection.execute(add, rows)
        add_facts(connection, self.facts, self.words)


def to_verification_row(
    block: Mapping[str, Any],
    payload: Mapping[str, Any],
    *,
    verification_id: str,
    answer_id: str,
    verified_at: datetime,
) -> Values:
    """The row of a verification: the judgement from the block, the author from the payload."""
    generator = payload.get("generator")
    written_by = generator if isinstance(generator, dict) else {}
    answer = payload.get("answer")
    return {
        "verification_id": verification_id,
        "answer_id": answer_id,
        "verified_at": verified_at,
        "result": str(block["result"]),
        "level": str(block["citation_level"]),
        "verdicts": len(block["verdicts"]),
        "generator_model": to_label(written_by.get("model")),
        "prompt_id": to_label(written_by.get("prompt_id")),
        "excerpt": answer[:EXCERPT_CHARACTERS] if isinstance(answer, str) else "",
    }


def to_verdict_rows(
    block: Mapping[str, Any], payload: Mapping[str, Any], *, verification_id: str
) -> dict[str, list[Values]]:
    """The searchable rows: one a verdict, one for each of its codes and pages, and its chunk."""
    citations = payload.get("citations")
    given = citations if isinstance(citations, list) else []
    found: defaultdict[str, list[Values]] = defaultdict(list)
    for position, verdict in enumerate(block["verdicts"]):
        identity, existence, locator = (
            verdict["identity"],
            verdict["existence"],
            verdict["locator"],
        )
        index = verdict["citation"]
        citation = given[index] if 0 <= index < len(given) else None
        cited = citation if isinstance(citation, dict) else {}
        key = {"verification_id": verification_id, "position": position}
        # No document is found by the digest of a text that came with a request.
        is_document = identity["status"] != IdentityStatus.SNIPPET
        found["verdict"].append(
            key
            | {
                "citation": index,
                "doc_hash": identity["doc_hash"] if is_document else None,
                "extraction_id": identity["extraction_id"] if is_document else None,
                "outcome": str(verdict["outcome"]),
                "char_start": existence["char_start"],
                "char_end": existence["char_end"],
                "index_version": to_label(cited.get("index_version")),
            }
        )
        if isinstance(chunk_id := cited.get("chunk_id"), str):
            found["verdict_chunk"].append(key | {"chunk_id": chunk_id})
        pages = {quad["page"] for quad in locator["quads"]} | {locator["page"]}
        found["verdict_page"] += [key | {"page": page} for page in sorted(pages - {None})]
        codes = sorted({str(code) for code in verdict["codes"]})
        found["verdict_code"] += [key | {"code": code} for code in codes]
    return found
