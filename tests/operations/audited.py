"""Verified answers in a store, ready to be audited, and what an audit reports of them."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.log.key_folder import open_keys
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.keys.trust_file import parse_trust, write_trust
from tests.sources import SENTENCE, make_pdf

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context
    from spanproof.operations.fsck.report import FsckReport
    from spanproof.receipt.keys.trust_file import TrustFile


def take_document(context: Context) -> Digest:
    """A PDF of three lines that the store keeps."""
    report = ingest_stream(
        context,
        [make_pdf()],
        filename="agreement.pdf",
        media_type=None,
        doc_id="agreement",
        title="Supply agreement",
    )
    assert report.doc_hash is not None
    return report.doc_hash


def verify_answer(context: Context, doc_hash: Digest, **changes: Any) -> str:
    """Verify an answer that cites the document's first sentence; the verification's id."""
    span = {"text": SENTENCE, "char_start": 0, "char_end": len(SENTENCE)}
    answer = {
        "answer": "Defective goods are replaced within four business days [1].",
        "citations": [{"anchor": 1, "doc_hash": str(doc_hash), "span": span} | changes],
    }
    return verify_payload(context, json.dumps(answer).encode()).verification_id


def fill(context: Context, count: int = 3) -> list[str]:
    """Several verifications of one document."""
    doc_hash = take_document(context)
    return [verify_answer(context, doc_hash) for _ in range(count)]


def load_trust(context: Context) -> TrustFile:
    """Whom an auditor of this store goes by."""
    keys = open_keys(context.settings).keys
    return parse_trust(write_trust(keys.to_trust(context.log.origin)))


def codes(report: FsckReport) -> list[str]:
    """The codes of what a check found, in its order."""
    return [found.code for found in report.findings]


def statuses(report: FsckReport) -> dict[str, str]:
    """The status of each line of a check's report."""
    return {line.question: line.status.value for line in report.lines}


def execute(context: Context, *statements: str, **values: object) -> None:
    """What somebody with the database in hand does, past its triggers."""
    if context.store.database.is_postgresql:
        with context.store.database.connection() as opened:
            # Neither triggers nor foreign keys, for this transaction.
            opened.execute(text("SET LOCAL session_replication_role = replica"))
            for statement in statements:
                spelt = re.sub(r"\bx'([0-9a-f]+)'", r"decode('\1', 'hex')", statement)
                spelt = re.sub(r"zeroblob\((\d+)\)", r"decode(repeat('00', \1), 'hex')", spelt)
                opened.execute(text(spelt), values)
        return
    path = context.settings.home / "spanproof.db"
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in names.fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            connection.execute(statement, values)
        connection.commit()
