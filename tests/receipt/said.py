"""Predicates as an issuer signs them, of one document and of two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.receipt.statement.statement import parse_statement
from tests.receipt.samples import Issuer
from tests.receipt.statements import digest, identify, make_document, sha256

if TYPE_CHECKING:
    from spanproof.receipt.statement.predicate import Predicate

OTHER = "Another text.\n"


def say(**fields: Any) -> Predicate:
    """A predicate of the issuer with these fields."""
    return parse_statement(Issuer().issue(**fields).envelope.payload).predicate


def with_two_documents() -> Predicate:
    """A second document with a text of its own, in which nothing was cited."""
    second = make_document() | {
        "doc_hash": digest(OTHER),
        "byte_length": len(OTHER.encode()),
        "doc_ids": [],
    }
    second["canonical_texts"] = [
        second["canonical_texts"][0]
        | {
            "sha256": sha256(OTHER),
            "code_points": len(OTHER),
            "extraction_id": identify(digest(OTHER), OTHER),
        }
    ]
    return say(documents=[make_document(), second])
