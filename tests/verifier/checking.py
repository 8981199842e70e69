"""Answers about refunds, judged by the procedure with a scripted model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction, Library
    from spanproof.core.verdicts.verification_block import VerificationBlock

POLICY = make_extraction(
    "Refunds are paid within four business days of the request.\n"
    "The supplier must not subcontract without consent.\n"
    "Notices are sent by post. Notices are sent by post.\n"
)
OTHER = make_extraction("The tenant repairs the roof at its own cost every spring.\n")
REFUND = "Refunds are paid within four business days of the request."


def cite(
    text: str, *, anchor: int = 1, document: Extraction = POLICY, at: int | None = None, **more: Any
) -> dict[str, Any]:
    """A citation of these words, at their place in the document where they have one."""
    start = document.text.text.find(text) if at is None else at
    span = {"text": text} | (
        {"char_start": start, "char_end": start + len(text)} if start >= 0 else {}
    )
    return {"anchor": anchor, "doc_hash": str(document.document.doc_hash), "span": span} | more


def check(
    prose: str,
    *citations: dict[str, Any],
    library: Library | None = None,
    model: ScriptedModel | None = None,
    policy: str = "balanced",
    **more: Any,
) -> VerificationBlock:
    """The block of an answer in the native format."""
    raw = json.dumps({"answer": prose, "citations": list(citations)} | more).encode()
    parsed = parse_answer(raw)
    return verify(
        parsed.answer,
        library or make_library(POLICY, OTHER),
        model or ScriptedModel(),
        load_policy(policy),
        verified_at=MOMENT,
        imported=parsed.imported,
    )
