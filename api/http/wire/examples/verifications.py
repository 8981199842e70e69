"""The example answer, verified, and lists of verifications."""

from __future__ import annotations

from typing import Any

from spanproof.api.http.wire.answer import EXAMPLE
from spanproof.api.http.wire.examples.documents import BOX, DOC_HASH, EXTRACTION_ID, MOMENT, QUAD
from spanproof.api.http.wire.receipt import EXAMPLE as RECEIPT

_POLICY_DIGEST = "sha256:bc1062f8500be6cff44686e373a108d57156be802e6709e644f74265b3f5c3a7"
_CALIBRATION_DIGEST = "sha256:e152337e4e85aa3e81482f0ce329aec7bfad531413fe53fef84f1f0d4165caee"
_WEIGHTS = "50d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c"
_VERIFIER_VERSION = (
    "spanproof@0.1.0 procedure@5 folds-3"
    f" policy@balanced-3:{_POLICY_DIGEST} model@example:sha256:{_WEIGHTS} runtime@example"
)

_VERDICT: dict[str, Any] = {
    "anchor": 1,
    "citation": 0,
    "claim": {
        "text": "Defective goods are replaced within four business days [1].",
        "start": 0,
        "end": 59,
        "hypothesis": "Defective goods are replaced within four business days.",
    },
    "identity": {
        "status": "MATCH",
        "doc_hash": DOC_HASH,
        "extraction_id": EXTRACTION_ID,
        "chunk": "NOT_GIVEN",
        "newest": None,
    },
    "existence": {
        "status": "EXACT",
        "char_start": 29,
        "char_end": 54,
        "folds": [],
        "candidates": [],
        "difference": None,
    },
    "locator": {
        "status": "MATCH",
        "page": 1,
        "bbox": BOX,
        "quads": [{"page": 1, "points": QUAD}],
        "iou": 0.9979,
        "witness": {
            "status": "NOT_ASKED",
            "engine": None,
            "read": None,
            "moved": None,
            "reason": None,
        },
    },
    "support": {
        "status": "ENTAILED",
        "reason": None,
        "p_entailment": 0.97,
        "p_neutral": 0.02,
        "p_contradiction": 0.01,
        "windows": 1,
        "coverage": 1.0,
        "evidence": {"char_start": 29, "char_end": 54},
        "vetoes": [],
        "logits": {
            "entailment": -0.030459208,
            "neutral": -3.912023,
            "contradiction": -4.6051702,
        },
        "terms": [],
        "grade": "full",
        "subclaims": [],
        "context": "bare",
        "read": None,
        "joint": None,
        "ordered_coverage": 0.5,
        "unsupported_parts": [
            {"claim": "Defective", "claim_start": 0, "claim_end": 9},
            {"claim": "goods", "claim_start": 10, "claim_end": 15},
            {"claim": "replaced", "claim_start": 20, "claim_end": 28},
        ],
    },
    "attribution": {"status": "HERE", "supported_by": []},
    "outcome": "pass",
    "codes": [
        "IDENTITY_MATCH",
        "EXISTENCE_EXACT",
        "LOCATOR_MATCH",
        "SUPPORT_ENTAILED",
        "ATTRIBUTION_HERE",
    ],
    "notes": "The quote stands at its place and the span supports the claim.",
    "view_url": f"/view/{DOC_HASH}/{EXTRACTION_ID}/29/54",
    "origin": "native",
    "repaired": False,
    "quotations": [],
}
_BLOCK: dict[str, Any] = {
    "verifier_version": _VERIFIER_VERSION,
    "verified_at": MOMENT,
    "all_spans_present": True,
    "all_claims_entailed": True,
    "result": "pass",
    "citation_level": "YELLOW",
    "citation_density": 1.0,
    "declared": {"count": 1, "density": 1.0},
    "recommended_action": "show",
    "abstention_reason": None,
    "codes": [],
    "orphan_anchors": [],
    "unread_citations": [],
    "unused_citations": [],
    "uncited_sentences": [],
    "over_cited": [],
    "snippets": [],
    "sentences": 1,
    "policy": {"name": "balanced", "version": 10, "digest": _POLICY_DIGEST},
    "model": {
        "name": "example",
        "weights_sha256": _WEIGHTS,
        "runtime": "example",
        "calibration": "example",
        "threshold": 0.5,
        "thresholds": {"balanced/half_in_order": 0.5},
        "labels": ["entailment", "neutral", "contradiction"],
        "replayable": True,
    },
    "calibration": {
        "status": "applied",
        "name": "example",
        "digest": _CALIBRATION_DIGEST,
        "n": 400,
        "date": "2026-11-20",
        "bound": None,
    },
    "verdicts_digest": "sha256:cf6d1cf0aad4cfcc9ca0daaecda3c37d3a46f99581ba0d6298fb03efaaffdecf",
    "import": {
        "format": "native",
        "declared_unit": "codepoint",
        "observed_unit": "codepoint",
        "ambiguous": True,
        "unmapped": [],
        "remarks": [],
    },
    "repair": None,
    "verdicts": [_VERDICT],
}
VERIFICATION: dict[str, Any] = EXAMPLE | {
    "verification_id": "2b80de80-2549-449d-ba4c-4fc6f9f96b4a",
    "verification": _BLOCK,
    "receipt": RECEIPT,
    "receipt_url": "/v1/verifications/2b80de80-2549-449d-ba4c-4fc6f9f96b4a/receipt",
}
VERIFICATION_LIST: dict[str, Any] = {
    "verifications": [
        {
            "verification_id": "2b80de80-2549-449d-ba4c-4fc6f9f96b4a",
            "answer_id": "5d2f7c5e-0c0b-4b52-9f6e-6a9ad2b0c9f1",
            "verified_at": MOMENT,
            "result": "pass",
            "citation_level": "YELLOW",
            "verdicts": 1,
            "generator_model": None,
            "prompt_id": None,
            "excerpt": "Defective goods are replaced within four business days [1].",
        }
    ],
    "next_cursor": None,
}
ANSWER_LIST: dict[str, Any] = {
    "answers": [
        VERIFICATION_LIST["verifications"][0]
        | {
            "citations": [
                {
                    "verdict": 0,
                    "citation": 0,
                    "doc_hash": _VERDICT["identity"]["doc_hash"],
                    "extraction_id": _VERDICT["identity"]["extraction_id"],
                    "char_start": _VERDICT["existence"]["char_start"],
                    "char_end": _VERDICT["existence"]["char_end"],
                    "pages": [1],
                    "outcome": "pass",
                    "codes": sorted(_VERDICT["codes"]),
                    "index_version": None,
                    "chunk_id": None,
                }
            ]
        }
    ],
    "next_cursor": None,
}
FEEDBACK: dict[str, Any] = {
    "verification_id": "2b80de80-2549-449d-ba4c-4fc6f9f96b4a",
    "result": "pass",
    "items": [],
}
