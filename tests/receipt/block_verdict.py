"""A verdict of the block with every field that can hold text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core.canonical_json import with_decimal_strings
from spanproof.core.digest import Digest
from spanproof.receipt.statement.redaction import hash_text, redact_words

if TYPE_CHECKING:
    from collections.abc import Iterator

DOC_HASH, EXTRACTION_ID = str(Digest.of(b"document")), str(Digest.of(b"extraction"))
SPAN = hash_text("the span")

#: Each text is another one, so that a digest says which text it is of.
WORDS = [f"secret-{number:02d} words" for number in range(24)]


def make_verdict(words: Iterator[str], **support: Any) -> dict[str, Any]:
    """A verdict of the block with every field that can hold text, as ``verdict_to_json`` has it."""
    veto = {
        "kind": "number",
        "claim": next(words),
        "claim_start": 3,
        "claim_end": 5,
        "source": next(words),
        "char_start": 12,
        "char_end": 14,
    }
    probabilities = {"p_entailment": 0.25, "p_neutral": 0.5, "p_contradiction": 0.25}
    return {
        "anchor": 1,
        "citation": 0,
        "claim": {"text": next(words), "start": 0, "end": 9, "hypothesis": next(words)},
        "identity": {
            "status": "MATCH",
            "doc_hash": DOC_HASH,
            "extraction_id": EXTRACTION_ID,
            "chunk": "NOT_GIVEN",
            "newest": {
                "extraction_id": DOC_HASH,
                "status": "EXACT",
                "char_start": None,
                "char_end": None,
            },
        },
        "existence": {
            "status": "ALTERED",
            "char_start": 10,
            "char_end": 18,
            "folds": ["white_space"],
            "candidates": [
                {"doc_hash": DOC_HASH, "char_start": 1, "char_end": 2, "folds": ["line_break"]}
            ],
            "difference": {
                "source": next(words),
                "edits": [
                    {
                        "kind": "replaced",
                        "quote": next(words),
                        "source": next(words),
                        "char_start": 11,
                        "char_end": 12,
                        "protected": True,
                        "touches": [{"side": "quote", "kind": "currency", "text": next(words)}],
                    }
                ],
            },
        },
        "locator": {
            "status": "MATCH",
            "page": 3,
            "bbox": [72.0, 312.5, 540.0, 348.2],
            "quads": [{"page": 3, "points": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5]}],
            "iou": 0.9979,
            "witness": {
                "status": "DISAGREES",
                "engine": "pdfium",
                "read": next(words),
                "moved": 0.25,
                "reason": None,
            },
        },
        "support": {
            "status": "CONTRADICTED",
            "reason": "veto",
            **probabilities,
            "windows": 1,
            "coverage": 1.0,
            "evidence": {"char_start": 10, "char_end": 18},
            "vetoes": [veto],
            "logits": {"entailed": -0.0, "neutral": 1.5, "contradicted": 2.25},
            "terms": [{"name": "uncovered_words", "value": 0.5, "weight": 1.0}],
            "grade": "none",
            "subclaims": [
                {
                    "text": next(words),
                    "start": 0,
                    "end": 4,
                    "hypothesis": next(words),
                    "status": "NOT_RUN",
                    "reason": "no_span",
                    "p_entailment": None,
                    "p_neutral": None,
                    "p_contradiction": None,
                    "logits": {},
                    "vetoes": [veto | {"source": None, "char_start": None, "char_end": None}],
                }
            ],
            "context": "headers",
            "read": {"premise": next(words), "hypothesis": next(words)},
            "joint": {
                "citations": [0, 1],
                "status": "ENTAILED",
                "reason": "joint",
                "p_entailment": 0.75,
                "alone": {"status": "NEUTRAL", "p_entailment": None},
            },
            "ordered_coverage": 0.75,
            "unsupported_parts": [{"claim": next(words), "claim_start": 3, "claim_end": 9}],
        }
        | support,
        "attribution": {"status": "NOWHERE", "supported_by": []},
        "outcome": "fail",
        "codes": ["IDENTITY_MATCH", "EXISTENCE_ALTERED"],
        "notes": next(words),
        "view_url": f"/view/{DOC_HASH}/{EXTRACTION_ID}/10/18",
        "origin": "native",
        "repaired": False,
        "quotations": [
            {
                "text": next(words),
                "start": 0,
                "end": 3,
                "status": "ABSENT",
                "char_start": None,
                "char_end": None,
            }
        ],
    }


def redact_verdict(verdict: dict[str, Any], *, span_sha256: str | None) -> dict[str, Any]:
    """A verdict of the block as it is signed."""
    signed: dict[str, Any] = with_decimal_strings(redact_words(verdict, span_sha256=span_sha256))
    return signed
